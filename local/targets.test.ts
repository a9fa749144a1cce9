import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { createSchedule, type Schedule } from '../shared/aws/schedule.ts';
import { schedulerFront, type SchedulerFront } from '../test/support/scheduler-front.ts';
import { createScheduler, type Scheduler } from './aws/scheduler.ts';
import { createSqs, type Sqs } from './aws/sqs.ts';
import { openStore } from './store.ts';
import { createTargets } from './targets.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');
const QUEUE_URL = 'http://127.0.0.1/000000000000/dispatch';
const MessagesSchema = v.object({
  Messages: v.optional(
    v.array(v.object({ Body: v.string(), Attributes: v.object({ MessageGroupId: v.string() }) })),
    [],
  ),
});

let front: SchedulerFront;
let client: SchedulerFront['client'];
let sqs: Sqs;
let scheduler: Scheduler;
let now: number;

beforeAll(async () => {
  front = await schedulerFront();
  client = front.client;
});
afterAll(() => front.close());
beforeEach(() => {
  now = NOON;
  sqs = createSqs(null);
  sqs.createQueue({ name: 'dispatch', attributes: {} }, QUEUE_URL);
  const invoke = () => Promise.reject(new Error('No function is played'));
  const { deliver } = createTargets({ sqs, invoke, now: () => now });
  scheduler = createScheduler({ store: openStore(null), now: () => now, jitterS: 0, deliver });
  scheduler.createGroup('posts');
  front.open(scheduler);
});

const alarm = (change: Partial<Schedule> = {}): Schedule => ({
  name: 'p-1',
  scheduleGroup: 'posts',
  roleArn: 'arn:aws:iam::000000000000:role/schedules',
  message: { queueUrl: QUEUE_URL, body: { post_id: '1' }, group: 'workspace-1' },
  at: NOON + 60_000,
  ...change,
});
async function received() {
  const call = { QueueUrl: QUEUE_URL, MaxNumberOfMessages: 10, AttributeNames: ['All'] };
  const { body } = await sqs.handle('ReceiveMessage', call);
  return v.parse(MessagesSchema, JSON.parse(body)).Messages;
}

describe('an alarm', () => {
  test('puts its note on the queue at its time, in the name of its tenant', async () => {
    await createSchedule(client, alarm());
    now += 59_000;
    await scheduler.tick();
    expect(await received()).toEqual([]);
    now += 1000;
    await scheduler.tick();
    expect(await received()).toEqual([
      { Body: '{"post_id":"1"}', Attributes: { MessageGroupId: 'workspace-1' } },
    ]);
    expect(scheduler.schedules()).toEqual([]);
  });

  test('that is set twice goes off once', async () => {
    await createSchedule(client, alarm());
    await createSchedule(client, alarm());
    now += 60_000;
    await scheduler.tick();
    expect(await received()).toHaveLength(1);
  });

  test('whose queue refuses it goes off again', async () => {
    await createSchedule(
      client,
      alarm({ message: { queueUrl: `${QUEUE_URL}s`, body: {}, group: 'workspace-1' } }),
    );
    now += 60_000;
    const complaint = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await scheduler.tick();
    expect(complaint).toHaveBeenCalled();
    complaint.mockRestore();
    expect(scheduler.schedules()).toHaveLength(1);
  });

  test('calls the Scheduler of its own partition', async () => {
    await createSchedule(client, alarm({ roleArn: 'arn:aws-us-gov:iam::000000000000:role/schedules' }));
    expect(scheduler.schedules()[0]?.Target.Arn).toBe('arn:aws-us-gov:scheduler:::aws-sdk:sqs:sendMessage');
  });
});
