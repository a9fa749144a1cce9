import { ReceiveMessageCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { ENV } from '../../shared/aws/env.ts';
import { releaseMessage } from '../../shared/aws/queue.ts';
import { toIso } from '../../shared/time/instant.ts';
import type { Command } from './command.ts';
import { columns } from './text.ts';

/** Receives of up to ten messages. */
const MOST_RECEIVES = 10;
/** Until this command releases them, no other reader receives the letters. Seconds. */
const HELD_S = 60;
const BODY_CHARACTERS = 200;

export const dlqList: Command = {
  name: 'dlq list',
  arguments: '',
  summary:
    'lists up to 100 dead letters: when each was sent, to which queue, and its body; they stay in the queue',
  options: [],
  run: async ({ target }) => {
    const settings = await target.settings();
    const letters = await peek(target.sqs, settings(ENV.deadLetterQueueUrl));
    if (letters.length === 0) return 'There are no dead letters';
    return columns([['SENT', 'RECEIVED', 'QUEUE', 'BODY'], ...letters.map(rowOf)]);
  },
};

/** Receives messages and releases them again. */
async function peek(sqs: SQSClient, QueueUrl: string): Promise<Message[]> {
  const found = new Map<string | undefined, Message>();
  for (let receive = 0; receive < MOST_RECEIVES; receive += 1) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        VisibilityTimeout: HELD_S,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) break;
    for (const message of Messages) found.set(message.MessageId, message);
  }
  const letters = [...found.values()];
  await Promise.all(
    letters.map(({ ReceiptHandle = '' }) => releaseMessage(sqs, QueueUrl, { receipt: ReceiptHandle })),
  );
  return letters;
}

function rowOf({ Attributes = {}, Body = '' }: Message): string[] {
  const { SentTimestamp, ApproximateReceiveCount = '', DeadLetterQueueSourceArn } = Attributes;
  return [
    toIso(Number(SentTimestamp)),
    `${ApproximateReceiveCount} times`,
    DeadLetterQueueSourceArn?.split(':').at(-1) ?? 'unknown',
    Body.length > BODY_CHARACTERS ? `${Body.slice(0, BODY_CHARACTERS)}…` : Body,
  ];
}
