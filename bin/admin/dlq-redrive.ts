import { setTimeout as sleep } from 'node:timers/promises';
import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  StartMessageMoveTaskCommand,
  type ListMessageMoveTasksResultEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { ENV } from '../../shared/aws/env.ts';
import type { Command } from './command.ts';

const POLL_MS = 2000;
/** How long the command watches the task, which goes on without it. */
const WATCH_MS = 60_000;

export const dlqRedrive: Command = {
  name: 'dlq redrive',
  arguments: '',
  summary: 'returns the dead letters to the queues that they came from; mend what made them fail first',
  options: [],
  run: async ({ target }) => {
    const settings = await target.settings();
    const arn = await arnOf(target.sqs, settings(ENV.deadLetterQueueUrl));
    await target.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arn }));
    const task = await ended(target.sqs, arn);
    const moved = task?.ApproximateNumberOfMessagesMoved ?? 0;
    if (task?.Status === 'RUNNING') return `${moved} dead letters are returned so far; SQS goes on`;
    if (task?.Status === 'COMPLETED') return `${moved} dead letters are returned to their queues`;
    throw new Error(
      `SQS returned ${moved} dead letters and stopped (${task?.FailureReason ?? 'unknown reason'}). It cannot return ` +
        'what a queue did not send: the sweeper starts the work of failed functions again',
    );
  },
};

async function arnOf(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn ?? '';
}

/** Returns the newest task of the queue once it has ended, or as it is after a while. */
async function ended(sqs: SQSClient, SourceArn: string): Promise<ListMessageMoveTasksResultEntry | null> {
  for (let waited = 0; ; waited += POLL_MS) {
    const { Results = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }));
    const task = Results[0] ?? null;
    if (task?.Status !== 'RUNNING' || waited >= WATCH_MS) return task;
    await sleep(POLL_MS);
  }
}
