import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { CONNECTORS } from '../shared/platforms/registry/connectors.ts';
import { startStack, type TestStack } from '../test/support/stack.ts';

const START_MS = 600_000;

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

  test('writes the URLs of the API and the sandbox', async () => {
    expect(stack.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect((await fetch(stack.sandbox_url)).status).toBe(200);
  });

  test('has the profile Demo', async () => {
    const { status, body } = await stack.api<Profiles>('GET', '/agency/profiles');
    expect([status, body.profiles[0]?.username]).toEqual([200, 'Demo']);
  });

  test('connects the profile to every platform', async () => {
    const { body } = await stack.api<Profiles>('GET', '/agency/profiles');
    expect(body.profiles[0]?.social_accounts).toEqual(
      Object.fromEntries(PLATFORM_IDS.map(platform => [platform, true])),
    );
  });

  test('returns 501 for platforms without a connector', async () => {
    for (const platform of PLATFORM_IDS.filter(id => !CONNECTORS[id])) {
      const path = `/integrations/${platform}/connect`;
      const { status, body } = await stack.api('POST', path, { profile_name: 'Demo' });
      expect([status, body]).toEqual([
        501,
        { error: expect.any(String), code: 'PLATFORM_NOT_AVAILABLE', platform },
      ]);
    }
  });

  test('returns the validation errors of all platforms in one response', async () => {
    const { status, body } = await stack.api<{ details: { platform: string }[] }>('POST', '/posts', {
      post_type: 'text',
      profile_name: 'Demo',
      platforms: PLATFORM_IDS,
      description: 'a'.repeat(70_000),
    });
    expect(status).toBe(400);
    expect(new Set(body.details.map(({ platform }) => platform))).toEqual(new Set(PLATFORM_IDS));
  });

  test('verifies deliveries to its receivers with the secrets that the API returned', async () => {
    const deliveries = async () => {
      const answer = await stack.control<{ deliveries: { receiver: string; verified: boolean | null }[] }>(
        'GET',
        '/_page/deliveries',
      );
      return answer.body.deliveries.map(({ receiver, verified }) => `${receiver}: ${verified}`);
    };
    const untilDelivered = (...expected: string[]) =>
      stack.until(expected.join(), async () => (await deliveries()).join() === expected.join());
    const url = `${stack.sandbox_url}/_receiver/mine`;
    const { body } = await stack.api<{ webhook: { id: string } }>('POST', '/webhooks', { url });
    const path = `/webhooks/${body.webhook.id}`;

    await stack.api('POST', `${path}/test`);
    await untilDelivered('mine: true');
    await stack.api('POST', `${path}/rotate-secret`);
    await stack.api('POST', `${path}/test`);
    await untilDelivered('mine: true', 'mine: true');
    await stack.api('PATCH', path, {
      url: url.replace('127.0.0.1', 'localhost').replace('mine', 'the%20other'),
    });
    await stack.api('POST', `${path}/test`);
    await untilDelivered('the other: true', 'mine: true', 'mine: true');
    await fetch(url.replace('mine', 'the other'), { method: 'POST', body: '{"event":"post.published"}' });
    await untilDelivered('the other: false', 'the other: true', 'mine: true', 'mine: true');
    await stack.api('DELETE', path);
    await stack.control('POST', '/_control/reset');
  });

  test('refuses an unknown API key', async () => {
    expect((await stack.api('GET', '/posts', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  test('serves /_local on the ports of the API and the sandbox', async () => {
    await stack.advance(60);
    for (const call of [stack.local, stack.control]) {
      expect((await call<ClockState>('GET', '/_local/clock')).body.offset_seconds).toBe(60);
      expect((await call('GET', '/_local/schedules')).body).toEqual({ schedules: expect.any(Array) });
    }
    expect((await stack.local('POST', '/_local/clock', { advance_seconds: -1 })).status).toBe(400);
    const { body } = await stack.local<{ queues: unknown[] }>('GET', '/_local/queues');
    expect(body.queues).toContainEqual(expect.objectContaining({ depth: 0, in_flight: 0, dead_letters: 0 }));
  });

  test('polls the publish queues of connected platforms, which the template leaves off', async () => {
    const { body } = await stack.local<{ mappings: { queue: string; state: string }[] }>(
      'GET',
      '/_local/mappings',
    );
    const states = body.mappings.filter(({ queue }) => queue.includes('-publish-')).map(({ state }) => state);
    expect(states).toEqual(PLATFORM_IDS.map(() => 'Enabled'));
  });

  test('injects faults into AWS calls', async () => {
    const fault = { service: 'dynamodb', function: '-posts', times: 0, error: 'ResourceNotFoundException' };
    expect((await stack.local('POST', '/_local/faults', { service: 'dynamodb' })).status).toBe(400);
    expect((await stack.local('POST', '/_local/faults', fault)).status).toBe(200);
    expect((await stack.api('GET', '/posts')).status).toBe(500);
    const { body } = await stack.local<{ items: unknown[] }>('GET', '/_local/faults');
    expect(body.items).toEqual([expect.objectContaining({ ...fault, remaining: null })]);
    expect((await stack.local('DELETE', '/_local/faults')).status).toBe(200);
    expect((await stack.api('GET', '/posts')).status).toBe(200);
  });

  test('advances its clock while no invocation is running', async () => {
    const before = await stack.local<ClockState>('GET', '/_local/clock');
    const [advanced, listed] = await Promise.all([
      stack.local<ClockState>('POST', '/_local/clock', { advance_seconds: 5, between_runs: true }),
      stack.api('GET', '/posts'),
    ]);
    expect(advanced.body.offset_seconds).toBe(before.body.offset_seconds + 5);
    expect(listed.status).toBe(200);
    await stack.until('no invocation is running', async () => {
      const { body } = await stack.local<{ working: object }>('GET', '/_local/working');
      return Object.keys(body.working).length === 0;
    });
  });

  test('returns its own time in the Date header of AWS responses', async () => {
    const { body } = await stack.local<ClockState>('POST', '/_local/clock', { advance_seconds: 60 });
    const answer = await fetch(stack.aws.endpoint, { method: 'POST' });
    const date = Date.parse(answer.headers.get('date') ?? '');
    expect(date).toBeGreaterThan(Date.parse(body.now) - 1000);
  });

  test('purges queues', async () => {
    expect((await stack.local('DELETE', '/_local/queues/nothing')).status).toBe(404);
    expect((await stack.local('DELETE', '/_local/queues')).status).toBe(200);
  });

  test('counts calls by function since the last reset', async () => {
    await stack.api('GET', '/posts');
    const first = await stack.local<CallReport>('GET', '/_local/calls?reset=1');
    const rows = first.body.calls.filter(row => row.function.endsWith('-posts'));
    expect(rows.length).toBeGreaterThan(0);
    expect(first.body.read_units).toBeGreaterThan(0);
  });
});

describe('its state', () => {
  test(
    'survives a power cut with --data',
    async () => {
      const data = mkdtempSync(join(tmpdir(), 'data-'));
      const first = await startStack({ data });
      const created = await first.api('POST', '/agency/profiles', { username: 'Kept' });
      expect(created.status).toBe(201);
      const publish = async (stack: TestStack, description: string) => {
        const post = { post_type: 'text', profile_name: 'Demo', platforms: ['x'], description };
        expect((await stack.api('POST', '/posts', post)).status).toBe(201);
        await stack.until(`${description} is published`, async () =>
          (await texts(stack)).includes(description),
        );
      };
      const texts = async (stack: TestStack) => {
        const { body } = await stack.control<{ items: { text: string }[] }>('GET', '/_control/published');
        return body.items.map(({ text }) => text);
      };
      await publish(first, 'before');
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
      // Posts and connections of the sandbox are kept as well.
      expect(await texts(second)).toEqual(['before']);
      await publish(second, 'after');
      await expect(startStack({ data })).rejects.toThrow(/already uses/);
      await second.close();
      expect(existsSync(join(data, 'stack.json'))).toBe(false);
      rmSync(data, { recursive: true });
    },
    2 * START_MS,
  );
});

describe('a start that fails', () => {
  test('reports the reason', async () => {
    await expect(startStack({ args: ['--scheduler-jitter', 'x'] })).rejects.toThrow(
      /--scheduler-jitter must be/,
    );
    await expect(startStack({ args: ['--nonsense'] })).rejects.toThrow(/Usage: npm start/);
  });

  test('is not attempted with --help', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['bin/local.ts', '--help']);
    for (const option of ['--port', '--data', '--ephemeral', '--ready-file', '--allow-private', '--quiet']) {
      expect(stdout).toContain(option);
    }
  });
});
