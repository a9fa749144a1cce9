import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** A note as it was sent. */
export interface SentNote {
  queueUrl: string;
  body: unknown;
  delayS: number;
  group: string;
}

/** The `send` of an SQS client that keeps what is sent in memory. `take` gives it away, oldest first. */
export function fakeQueues(): { sqs: SQSClient; take: () => SentNote[] } {
  let sent: SentNote[] = [];
  const send = (command: unknown) => {
    if (!(command instanceof SendMessageCommand)) throw new Error('Only SendMessage is played');
    const { QueueUrl, MessageBody, DelaySeconds, MessageGroupId } = command.input;
    sent.push({
      queueUrl: QueueUrl ?? '',
      body: JSON.parse(MessageBody ?? ''),
      delayS: DelaySeconds ?? 0,
      group: MessageGroupId ?? '',
    });
    return Promise.resolve({});
  };
  const take = () => {
    const taken = sent;
    sent = [];
    return taken;
  };
  return { sqs: { send } as unknown as SQSClient, take };
}
