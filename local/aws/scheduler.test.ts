import {
  ConflictException,
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  UpdateScheduleCommand,
  ValidationException,
  type CreateScheduleCommandInput,
} from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSchedulerEndpoint, type SchedulerEndpoint } from '../../test/support/scheduler-endpoint.ts';
import { openStore, type LocalStore } from '../store.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:dispatch';

let awsEndpoint: SchedulerEndpoint;
let client: SchedulerEndpoint['client'];
let store: LocalStore;
let scheduler: Scheduler;
let now: number;
let delivered: [string, string][];
let isTargetUp: boolean;

beforeAll(async () => {
  awsEndpoint = await startSchedulerEndpoint();
  client = awsEndpoint.client;
});
afterAll(() => awsEndpoint.close());
beforeEach(() => {
  now = NOON;
  delivered = [];
  isTargetUp = true;
  store = openStore(null);
  scheduler = open(store);
});

function open(kept: LocalStore, jitterS = 0): Scheduler {
  const opened = createScheduler({
    store: kept,
    now: () => now,
    jitterS,
    deliver: (...message) => {
      if (!isTargetUp) return Promise.reject(new Error('down'));
      delivered.push(message);
      return Promise.resolve();
    },
  });
  opened.createGroup('posts');
  awsEndpoint.open(opened);
  return opened;
}

const input = (change: Partial<CreateScheduleCommandInput> = {}): CreateScheduleCommandInput => ({
  Name: 'p-1',
  GroupName: 'posts',
  ScheduleExpression: 'at(2026-12-01T12:10:00)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  ActionAfterCompletion: 'DELETE',
  Target: { Arn: QUEUE, RoleArn: 'arn:aws:iam::000000000000:role/r', Input: '{"post_id":"1"}' },
  ...change,
});
const create = (change: Partial<CreateScheduleCommandInput> = {}) =>
  client.send(new CreateScheduleCommand(input(change)));
const get = (Name = 'p-1') => client.send(new GetScheduleCommand({ Name, GroupName: 'posts' }));

describe('the Scheduler API', () => {
  test('creates and gets a schedule with the defaults of the service', async () => {
    const { ScheduleArn } = await create();
    expect(ScheduleArn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/posts/p-1');
    const schedule = await get();
    expect(schedule).toMatchObject({
      Arn: ScheduleArn,
      Name: 'p-1',
      State: 'ENABLED',
      ScheduleExpressionTimezone: 'UTC',
      CreationDate: new Date(NOON),
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 } },
    });
    expect(schedule).not.toHaveProperty('fire_at');
  });

  test('replaces the whole schedule on update', async () => {
    await create({ Description: 'old' });
    const changed = input({ ScheduleExpression: 'at(2026-12-02T00:00:00)' });
    await client.send(new UpdateScheduleCommand(changed));
    const schedule = await get();
    expect(schedule.ScheduleExpression).toBe('at(2026-12-02T00:00:00)');
    expect(schedule.Description).toBeUndefined();
  });

  test('lists schedules in pages by prefix and group', async () => {
    for (const Name of ['p-1', 'p-2', 'p-3', 'q-1']) await create({ Name });
    const first = await client.send(
      new ListSchedulesCommand({ GroupName: 'posts', NamePrefix: 'p-', MaxResults: 2 }),
    );
    expect(first.Schedules?.map(({ Name }) => Name)).toEqual(['p-1', 'p-2']);
    const rest = await client.send(
      new ListSchedulesCommand({ GroupName: 'posts', NamePrefix: 'p-', NextToken: first.NextToken }),
    );
    expect(rest.Schedules?.map(({ Name }) => Name)).toEqual(['p-3']);
    expect(rest.NextToken).toBeUndefined();
  });

  test('returns ResourceNotFoundException for a deleted schedule', async () => {
    await create();
    await client.send(new DeleteScheduleCommand({ Name: 'p-1', GroupName: 'posts' }));
    await expect(get()).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(
      client.send(new DeleteScheduleCommand({ Name: 'p-1', GroupName: 'posts' })),
    ).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(client.send(new UpdateScheduleCommand(input()))).rejects.toBeInstanceOf(
      ResourceNotFoundException,
    );
  });

  test('refuses an existing name unless the client token is the same', async () => {
    await create({ ClientToken: 'first' });
    await expect(create({ ClientToken: 'first' })).resolves.toMatchObject({
      ScheduleArn: expect.any(String),
    });
    await expect(create({ ClientToken: 'second' })).rejects.toBeInstanceOf(ConflictException);
  });

  test('requires an existing schedule group', async () => {
    await expect(create({ GroupName: 'nobody' })).rejects.toBeInstanceOf(ResourceNotFoundException);
    await client.send(new CreateScheduleGroupCommand({ Name: 'mine' }));
    await expect(create({ GroupName: 'mine' })).resolves.toBeDefined();
    expect(await client.send(new GetScheduleGroupCommand({ Name: 'mine' }))).toMatchObject({
      State: 'ACTIVE',
    });
  });

  const target = input().Target!;
  test.each<[string, Partial<CreateScheduleCommandInput>]>([
    ['a name of 65 characters', { Name: 'x'.repeat(65) }],
    ['a name with a blank', { Name: 'a b' }],
    ['a time with a zone letter', { ScheduleExpression: 'at(2026-12-01T12:10:00Z)' }],
    ['a time that does not exist', { ScheduleExpression: 'at(2026-13-01T12:10:00)' }],
    ['a time in the past', { ScheduleExpression: 'at(2026-12-01T11:59:00)' }],
    ['an unknown time zone', { ScheduleExpressionTimezone: 'Moon/Base' }],
    ['a flexible window without its length', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }],
    ['186 retries', { Target: { ...target, RetryPolicy: { MaximumRetryAttempts: 186 } } }],
    ['an event age of 59 s', { Target: { ...target, RetryPolicy: { MaximumEventAgeInSeconds: 59 } } }],
    ['an input over 256 KB', { Target: { ...target, Input: 'x'.repeat(262_145) } }],
    ['a target that is not an ARN', { Target: { ...target, Arn: 'queue' } }],
    ['a description of 513 characters', { Description: 'x'.repeat(513) }],
  ])('refuses %s', async (_, change) => {
    await expect(create(change)).rejects.toBeInstanceOf(ValidationException);
  });
});

describe('firing', () => {
  const minutes = (count: number) => {
    now += count * 60_000;
    return scheduler.tick();
  };

  test('sends the input to the target once and deletes the schedule', async () => {
    await create();
    await minutes(9);
    expect(delivered).toEqual([]);
    await minutes(1);
    await minutes(1);
    expect(delivered).toEqual([[QUEUE, '{"post_id":"1"}']]);
    await expect(get()).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test('applies the time zone of the schedule', async () => {
    await create({
      ScheduleExpression: 'at(2026-12-01T13:05:00)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
    });
    await minutes(5);
    expect(delivered).toHaveLength(1);
  });

  test('keeps a completed schedule with ActionAfterCompletion NONE and does not fire it again', async () => {
    await create({ ActionAfterCompletion: 'NONE' });
    await minutes(10);
    await minutes(10);
    expect(delivered).toHaveLength(1);
    await expect(get()).resolves.toBeDefined();
  });

  test('retries when the target fails', async () => {
    await create();
    isTargetUp = false;
    const consoleError = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await minutes(10);
    expect(consoleError).toHaveBeenCalled();
    consoleError.mockRestore();
    isTargetUp = true;
    await minutes(1);
    expect(delivered).toHaveLength(1);
  });

  test('does not restore a schedule that was deleted while its delivery failed', async () => {
    await create();
    isTargetUp = false;
    const consoleError = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const firing = minutes(10);
    scheduler.handle('DELETE', new URL('http://localhost/schedules/p-1?groupName=posts'), {});
    await firing;
    expect(consoleError).toHaveBeenCalled();
    consoleError.mockRestore();
    await expect(get()).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test('does not fire a disabled schedule', async () => {
    await create({ State: 'DISABLED' });
    await minutes(20);
    expect(delivered).toEqual([]);
  });

  test('fires late by at most the jitter', async () => {
    scheduler = open(store, 60);
    for (let n = 0; n < 20; n++) await create({ Name: `p-${n}` });
    await minutes(10);
    expect(delivered.length).toBeLessThan(20);
    await minutes(1);
    expect(delivered).toHaveLength(20);
  });

  test('fires after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scheduler-'));
    const kept = openStore(folder);
    scheduler = open(kept);
    await create();
    kept.close();
    const again = openStore(folder);
    scheduler = open(again);
    await minutes(10);
    expect(delivered).toHaveLength(1);
    again.close();
    rmSync(folder, { recursive: true });
  });
});
