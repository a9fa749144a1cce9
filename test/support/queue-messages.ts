import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';

/** A message as it was sent, or the event of an asynchronous invocation. */
export interface SentMessage {
  /** The URL of the queue, or the name of the function. */
  queueUrl: string;
  body: unknown;
  /** The text that was sent: the body's, or a schedule's whole input. */
  text: string;
  delayS: number;
  group: string;
}

/**
 * Creates an SQS client and a Lambda client that keep sent messages and events in memory. `take` returns and removes them,
 * oldest first.
 */
export function fakeQueues(): { sqs: SQSClient; lambda: LambdaClient; take: () => SentMessage[] } {
  let sent: SentMessage[] = [];
  const send = (command: unknown) => {
    if (!(command instanceof SendMessageCommand)) throw new Error('The fake supports SendMessage only');
    const { QueueUrl, MessageBody, DelaySeconds, MessageGroupId } = command.input;
    sent.push({
      queueUrl: QueueUrl ?? '',
      body: JSON.parse(MessageBody ?? ''),
      text: MessageBody ?? '',
      delayS: DelaySeconds ?? 0,
      group: MessageGroupId ?? '',
    });
    return Promise.resolve({});
  };
  const invoke = (command: unknown) => {
    if (!(command instanceof InvokeCommand)) return Promise.resolve({});
    const { Payload } = command.input;
    const text = typeof Payload === 'string' ? Payload : '';
    const queueUrl = command.input.FunctionName ?? '';
    sent.push({ queueUrl, body: JSON.parse(text), text, delayS: 0, group: '' });
    return Promise.resolve({});
  };
  const take = () => {
    const taken = sent;
    sent = [];
    return taken;
  };
  return {
    sqs: { send } as unknown as SQSClient,
    lambda: { send: invoke } as unknown as LambdaClient,
    take,
  };
}

/** The input of the SendMessage call that a schedule makes. */
const CallSchema = v.object({ QueueUrl: v.string(), MessageBody: v.string(), MessageGroupId: v.string() });

/** Creates a Scheduler client that keeps schedules as delayed messages. `take` returns and removes them. */
export function fakeSchedules(now: () => number) {
  let sent: SentMessage[] = [];
  let failing = false;
  const send = (command: unknown) => {
    if (!(command instanceof CreateScheduleCommand)) throw new Error('The fake supports CreateSchedule only');
    if (failing) return Promise.reject(new Error('Scheduler is unavailable'));
    const { ScheduleExpression = '', Target } = command.input;
    const at = Date.parse(`${ScheduleExpression.slice('at('.length, -1)}Z`);
    const delayS = Math.ceil((at - now()) / 1000);
    const { QueueUrl, MessageBody, MessageGroupId } = v.parse(CallSchema, JSON.parse(Target?.Input ?? ''));
    sent.push({
      queueUrl: QueueUrl,
      body: JSON.parse(MessageBody),
      text: Target?.Input ?? '',
      delayS,
      group: MessageGroupId,
    });
    return Promise.resolve({});
  };
  const take = () => {
    const taken = sent;
    sent = [];
    return taken;
  };
  const fail = (fail: boolean) => void (failing = fail);
  return { scheduler: { send } as unknown as SchedulerClient, take, fail };
}
