import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';

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

/** The call that a schedule makes. */
const CallSchema = v.object({ QueueUrl: v.string(), MessageBody: v.string(), MessageGroupId: v.string() });

/** The `send` of a Scheduler client: each schedule is a note that is sent after its wait. `take` gives them away. */
export function fakeSchedules(now: () => number) {
  let sent: SentNote[] = [];
  let refusing = false;
  const send = (command: unknown) => {
    if (!(command instanceof CreateScheduleCommand)) throw new Error('Only CreateSchedule is played');
    if (refusing) return Promise.reject(new Error('Scheduler refuses'));
    const { ScheduleExpression = '', Target } = command.input;
    const at = Date.parse(`${ScheduleExpression.slice('at('.length, -1)}Z`);
    const delayS = Math.ceil((at - now()) / 1000);
    const { QueueUrl, MessageBody, MessageGroupId } = v.parse(CallSchema, JSON.parse(Target?.Input ?? ''));
    sent.push({ queueUrl: QueueUrl, body: JSON.parse(MessageBody), delayS, group: MessageGroupId });
    return Promise.resolve({});
  };
  const take = () => {
    const taken = sent;
    sent = [];
    return taken;
  };
  const refuse = (refuse: boolean) => void (refusing = refuse);
  return { scheduler: { send } as unknown as SchedulerClient, take, refuse };
}
