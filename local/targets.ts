import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema } from '../shared/model/json.ts';
import type { Sqs } from './aws/sqs.ts';
import type { Outcome } from './lambda/environment.ts';
import { REGION } from './template/names.ts';
import { functionName } from './template/resources.ts';

export interface TargetsParts {
  sqs: Sqs;
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  now: () => number;
}

export interface Targets {
  /** What a schedule does: calls SQS, or sends its input to a queue or a function. Rejects when that is not taken. */
  deliver: (targetArn: string, input: string, delayS?: number) => Promise<void>;
  /** What a rule does. Failures are in the function's log; the next period is the next try. */
  fireRule: (targetArn: string, ruleArn: string) => void;
}

/** Scheduler's universal target: the input is the call. */
const SENDING = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

export function createTargets({ sqs, invoke, now }: TargetsParts): Targets {
  async function deliver(targetArn: string, input: string, delayS = 0): Promise<void> {
    if (targetArn === SENDING) {
      const call = v.parse(JsonObjectSchema, JSON.parse(input));
      await sqs.handle('SendMessage', { ...call, DelaySeconds: delayS });
      return;
    }
    if (targetArn.includes(':sqs:')) return sqs.send(targetArn, input, delayS);
    const event: unknown = JSON.parse(input);
    const outcome = await invoke(functionName(targetArn), event);
    if (!outcome.ok) throw new Error(outcome.errorMessage);
  }

  const scheduledEvent = (ruleArn: string) => ({
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    region: REGION,
    time: new Date(now()).toISOString(),
    resources: [ruleArn],
    detail: {},
  });

  return {
    deliver,
    fireRule: (targetArn, ruleArn) => {
      deliver(targetArn, JSON.stringify(scheduledEvent(ruleArn))).catch(() => undefined);
    },
  };
}
