import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { CONNECTORS } from '../shared/platforms/registry.ts';
import { startStack, type TestStack } from '../test/support/stack.ts';

const START_MS = 150_000;

interface Profiles {
  profiles: { username: string; social_accounts: Record<string, boolean> }[];
}
interface ClockState {
  now: string;
  offset_seconds: number;
}
interface CallReport {
  calls: { function: string }[];
  read_units: number;
}

describe('the local stack', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  }, START_MS);
  afterAll(() => stack.close());

  test('tells where everything is', async () => {
    expect(stack.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await fetch(stack.sandbox_url)).status).toBe(200);
  });

  test('is seeded with a profile', async () => {
    const { status, body } = await stack.api<Profiles>('GET', '/agency/profiles');
    expect([status, body.profiles[0]?.username]).toEqual([200, 'Demo']);
  });

  test('connects the profile to every platform, so that every rule can be tried', async () => {
    const { body } = await stack.api<Profiles>('GET', '/agency/profiles');
    expect(body.profiles[0]?.social_accounts).toEqual(
      Object.fromEntries(PLATFORM_IDS.map(platform => [platform, true])),
    );
  });

  test('says which platforms cannot be connected yet', async () => {
    for (const platform of PLATFORM_IDS.filter(id => !CONNECTORS[id])) {
      const path = `/integrations/${platform}/connect`;
      const { status, body } = await stack.api('POST', path, { profile_name: 'Demo' });
      expect([status, body]).toEqual([
        501,
        { error: expect.any(String), code: 'PLATFORM_NOT_AVAILABLE', platform },
      ]);
    }
  });

  test('names every fault of a post for all platforms in one answer', async () => {
    const { status, body } = await stack.api<{ details: { platform: string }[] }>('POST', '/posts', {
      post_type: 'text',
      profile_name: 'Demo',
      platforms: PLATFORM_IDS,
      description: 'a'.repeat(70_000),
    });
    expect(status).toBe(400);
    expect(new Set(body.details.map(({ platform }) => platform))).toEqual(new Set(PLATFORM_IDS));
  });

  test('tells the receivers of the sandbox the secrets that the API shows, so that they verify what comes', async () => {
    const deliveries = async () => {
      const answer = await stack.control<{ deliveries: { receiver: string; verified: boolean | null }[] }>(
        'GET',
        '/_page/deliveries',
      );
      return answer.body.deliveries.map(({ receiver, verified }) => `${receiver}: ${verified}`);
    };
    const come = (...expected: string[]) =>
      stack.until(expected.join(), async () => (await deliveries()).join() === expected.join());
    const url = `${stack.sandbox_url}/_receiver/mine`;
    const { body } = await stack.api<{ webhook: { id: string } }>('POST', '/webhooks', { url });
    const path = `/webhooks/${body.webhook.id}`;

    await stack.api('POST', `${path}/test`);
    await come('mine: true');
    await stack.api('POST', `${path}/rotate-secret`);
    await stack.api('POST', `${path}/test`);
    await come('mine: true', 'mine: true');
    await stack.api('PATCH', path, {
      url: url.replace('127.0.0.1', 'localhost').replace('mine', 'the%20other'),
    });
    await stack.api('POST', `${path}/test`);
    await come('the other: true', 'mine: true', 'mine: true');
    await fetch(url.replace('mine', 'the other'), { method: 'POST', body: '{"event":"post.published"}' });
    await come('the other: false', 'the other: true', 'mine: true', 'mine: true');
    await stack.api('DELETE', path);
    await stack.control('POST', '/_control/reset');
  });

  test('knows its key only', async () => {
    expect((await stack.api('GET', '/posts', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test('shows its clock, queues, schedules and calls, at both ports', async () => {
    await stack.advance(60);
    for (const ask of [stack.local, stack.control]) {
      expect((await ask<ClockState>('GET', '/_local/clock')).body.offset_seconds).toBe(60);
      expect((await ask('GET', '/_local/schedules')).body).toEqual({ schedules: expect.any(Array) });
    }
    expect((await stack.local('POST', '/_local/clock', { advance_seconds: -1 })).status).toBe(400);
    const { body } = await stack.local<{ queues: unknown[] }>('GET', '/_local/queues');
    expect(body.queues).toContainEqual(expect.objectContaining({ depth: 0, in_flight: 0, dead_letters: 0 }));
  });

  test('fails calls of its functions as told', async () => {
    const fault = { service: 'dynamodb', function: '-posts', times: 0, error: 'ResourceNotFoundException' };
    expect((await stack.local('POST', '/_local/faults', { service: 'dynamodb' })).status).toBe(400);
    expect((await stack.local('POST', '/_local/faults', fault)).status).toBe(200);
    expect((await stack.api('GET', '/posts')).status).toBe(500);
    const { body } = await stack.local<{ items: unknown[] }>('GET', '/_local/faults');
    expect(body.items).toEqual([expect.objectContaining({ ...fault, remaining: null })]);
    expect((await stack.local('DELETE', '/_local/faults')).status).toBe(200);
    expect((await stack.api('GET', '/posts')).status).toBe(200);
  });

  test('moves its clock between two runs of its functions', async () => {
    const before = await stack.local<ClockState>('GET', '/_local/clock');
    const [moved, asked] = await Promise.all([
      stack.local<ClockState>('POST', '/_local/clock', { advance_seconds: 5, between_runs: true }),
      stack.api('GET', '/posts'),
    ]);
    expect(moved.body.offset_seconds).toBe(before.body.offset_seconds + 5);
    expect(asked.status).toBe(200);
    await stack.until('nothing is at work', async () => {
      const { body } = await stack.local<{ working: object }>('GET', '/_local/working');
      return Object.keys(body.working).length === 0;
    });
  });

  test('tells its own time in the answers of its AWS services', async () => {
    const { body } = await stack.local<ClockState>('POST', '/_local/clock', { advance_seconds: 60 });
    const answer = await fetch(stack.aws.endpoint, { method: 'POST' });
    const told = Date.parse(answer.headers.get('date') ?? '');
    expect(told).toBeGreaterThan(Date.parse(body.now) - 1000);
  });

  test('forgets the messages of a queue', async () => {
    expect((await stack.local('DELETE', '/_local/queues/nothing')).status).toBe(404);
    expect((await stack.local('DELETE', '/_local/queues')).status).toBe(200);
  });

  test('counts calls by function since the last reset', async () => {
    await stack.api('GET', '/posts');
    const first = await stack.local<CallReport>('GET', '/_local/calls?reset=1');
    const mine = first.body.calls.filter(row => row.function.endsWith('-posts'));
    expect(mine.length).toBeGreaterThan(0);
    expect(first.body.read_units).toBeGreaterThan(0);
  });
});

describe('its state', () => {
  test(
    'outlives even a power cut with --data, and is gone without',
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'data-'));
      const first = await startStack({ data });
      const made = await first.api('POST', '/agency/profiles', { username: 'Kept' });
      expect(made.status).toBe(201);
      await first.advance(3600);
      await first.close('SIGKILL');

      const second = await startStack({ data });
      expect([second.api_key, second.workspace_id]).toEqual([first.api_key, first.workspace_id]);
      const { body } = await second.api<Profiles>('GET', '/agency/profiles');
      expect(body.profiles.map(profile => profile.username).sort()).toEqual(['Demo', 'Kept']);
      expect((await second.local<ClockState>('GET', '/_local/clock')).body.offset_seconds).toBe(3600);
      expect(JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'))).toMatchObject({
        table: expect.any(String),
      });
      await expect(startStack({ data })).rejects.toThrow(/already uses/);
      await second.close();
      expect(existsSync(join(data, 'stack.json'))).toBe(false);
      rmSync(data, { recursive: true });
    },
    2 * START_MS,
  );
});

describe('a start that fails', () => {
  test('says why', async () => {
    await expect(startStack({ args: ['--scheduler-jitter', 'x'] })).rejects.toThrow(
      /--scheduler-jitter must be/,
    );
    await expect(startStack({ args: ['--nonsense'] })).rejects.toThrow(/Usage: npm start/);
  });
});
