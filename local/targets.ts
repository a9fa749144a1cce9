import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema } from '../shared/model/json.ts';
import type { Sqs } from './aws/sqs.ts';
import type { InvocationResult } from './lambda/environment.ts';
import { REGION } from './template/names.ts';
import { functionName } from './template/resources.ts';

export interface TargetsParts {
  sqs: Sqs;
  invoke: (functionName: string, event: unknown) => Promise<InvocationResult>;
  now: () => number;
}

export interface Targets {
  /** Delivers a schedule: calls SQS, or sends its input to a queue or function. Rejects on failure. */
  deliver: (targetArn: string, input: string, delayS?: number) => Promise<void>;
  /** Delivers a rule. Failures are in the function's log; the next period is the next attempt. */
  fireRule: (targetArn: string, ruleArn: string) => void;
}

/** Scheduler's universal target for SQS SendMessage: the input is the request. */
const SQS_SEND_MESSAGE = 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage';

export function createTargets({ sqs, invoke, now }: TargetsParts): Targets {
  async function deliver(targetArn: string, input: string, delayS = 0): Promise<void> {
    if (targetArn === SQS_SEND_MESSAGE) {
      const call = v.parse(JsonObjectSchema, JSON.parse(input));
      await sqs.handle('SendMessage', { ...call, DelaySeconds: delayS });
      return;
    }
    if (targetArn.includes(':sqs:')) return sqs.send(targetArn, input, delayS);
    const event: unknown = JSON.parse(input);
    const result = await invoke(functionName(targetArn), event);
    if (!result.ok) throw new Error(result.errorMessage);
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
