import type { SQSClient } from '@aws-sdk/client-sqs';
import type { JsonObject } from '../model/json.ts';
import { asciiJson } from './ascii-json.ts';
import type { Loadable } from './clients.ts';

const sdk = () => import('./sdk/sqs.ts');

/** Longest delay of one SQS message, in seconds. */
export const MAX_DELAY_S = 900;

export interface Message {
  queueUrl: string;
  body: JsonObject;
  /** Whole seconds, 0..900. */
  delayS?: number;
  /** Fair-queue tenant: the workspace whose burst must not delay others. */
  group: string;
}

/** Sends a message to a queue. */
export async function sendMessage(sqs: Loadable<SQSClient>, message: Message): Promise<void> {
  const { SendMessageCommand } = await sdk();
  const client = await sqs;
  await client.send(
    new SendMessageCommand({
      QueueUrl: message.queueUrl,
      MessageBody: asciiJson(message.body),
      MessageGroupId: message.group,
      DelaySeconds: Math.max(0, Math.min(MAX_DELAY_S, Math.floor(message.delayS ?? 0))),
    }),
  );
}

export interface ReceivedMessage {
  messageId: string;
  receipt: string;
  body: string;
}

/** Receives up to ten messages, waiting `waitS` for the first. Messages that are not deleted become visible again. */
export async function receiveMessages(
  sqs: Loadable<SQSClient>,
  queueUrl: string,
  waitS = 1,
): Promise<ReceivedMessage[]> {
  const { ReceiveMessageCommand } = await sdk();
  const client = await sqs;
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: waitS }),
  );
  return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
    messageId: MessageId,
    receipt: ReceiptHandle,
    body: Body,
  }));
}

export async function deleteMessage(
  sqs: Loadable<SQSClient>,
  queueUrl: string,
  { receipt }: ReceivedMessage,
): Promise<void> {
  const { DeleteMessageCommand } = await sdk();
  const client = await sqs;
  await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt }));
}

/** Makes a received message visible at once. */
export async function releaseMessage(
  sqs: Loadable<SQSClient>,
  queueUrl: string,
  { receipt }: Pick<ReceivedMessage, 'receipt'>,
): Promise<void> {
  const { ChangeMessageVisibilityCommand } = await sdk();
  const client = await sqs;
  await client.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt, VisibilityTimeout: 0 }),
  );
}
