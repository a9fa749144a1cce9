import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as v from 'valibot';
import { createSchedule, type Schedule } from '../shared/aws/schedule.ts';
import { startSchedulerEndpoint, type SchedulerEndpoint } from '../test/support/scheduler-endpoint.ts';
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

let awsEndpoint: SchedulerEndpoint;
let client: SchedulerEndpoint['client'];
let sqs: Sqs;
let scheduler: Scheduler;
let now: number;

beforeAll(async () => {
  awsEndpoint = await startSchedulerEndpoint();
  client = awsEndpoint.client;
});
afterAll(() => awsEndpoint.close());
beforeEach(() => {
  now = NOON;
  sqs = createSqs(null);
  sqs.createQueue({ name: 'dispatch', attributes: {} }, QUEUE_URL);
  const invoke = () => Promise.reject(new Error('No function is expected'));
  const { deliver } = createTargets({ sqs, invoke, now: () => now });
  scheduler = createScheduler({ store: openStore(null), now: () => now, jitterS: 0, deliver });
  scheduler.createGroup('posts');
  awsEndpoint.open(scheduler);
});

const schedule = (change: Partial<Schedule> = {}): Schedule => ({
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

describe('a schedule', () => {
  test('sends its message at its time with the message group', async () => {
    await createSchedule(client, schedule());
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

  test('fires once when it is created twice', async () => {
    await createSchedule(client, schedule());
    await createSchedule(client, schedule());
    now += 60_000;
    await scheduler.tick();
    expect(await received()).toHaveLength(1);
  });

  test('fires again if its queue does not exist', async () => {
    await createSchedule(
      client,
      schedule({ message: { queueUrl: `${QUEUE_URL}s`, body: {}, group: 'workspace-1' } }),
    );
    now += 60_000;
    const consoleError = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await scheduler.tick();
    expect(consoleError).toHaveBeenCalled();
    consoleError.mockRestore();
    expect(scheduler.schedules()).toHaveLength(1);
  });

  test('uses the target ARN of its partition', async () => {
    await createSchedule(client, schedule({ roleArn: 'arn:aws-us-gov:iam::000000000000:role/schedules' }));
    expect(scheduler.schedules()[0]?.Target.Arn).toBe('arn:aws-us-gov:scheduler:::aws-sdk:sqs:sendMessage');
  });
});
