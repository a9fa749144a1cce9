import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ENV } from '../../../shared/aws/env.ts';
import { counted, orOk, todo, type Check } from './finding.ts';

const QUEUES = {
  dispatch: ENV.dispatchQueueUrl,
  events: ENV.eventsQueueUrl,
  broadcasts: ENV.broadcastQueueUrl,
};

/** Messages that wait for a consumer. Each function takes them at once: a thousand means that it fails or is throttled. */
const BACKLOG = 1000;

export const queues: Check = {
  name: 'queues',
  run: async ({ sqs, settings, arguments: options }) => {
    const setting = await settings();
    const waiting = await Promise.all(
      Object.entries(QUEUES).map(async ([name, variable]) => ({
        name,
        count: (await depthOf(sqs, setting(variable))).visible,
      })),
    );
    const dead = await depthOf(sqs, setting(ENV.deadLetterQueueUrl));
    const letters = dead.visible + dead.in_flight;
    const findings = waiting
      .filter(({ count }) => count >= BACKLOG)
      .map(({ name, count }) =>
        todo(`${counted(count, 'message')} wait in the queue ${name}: read the log of its function`),
      );
    if (letters > 0) {
      findings.push(
        todo(`${counted(letters, 'dead letter')}. See them with npm run admin -- dlq list${options}`),
      );
    }
    const text = waiting.map(({ name, count }) => `${name} ${count}`).join(', ');
    return orOk(findings, `No dead letters; messages that wait: ${text}`);
  },
};

async function depthOf(sqs: SQSClient, QueueUrl: string) {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
    in_flight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
}
