import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../model/id.ts';
import type { Plan, Principal } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import { readBucket } from '../store/rate-limits.ts';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { createRateLimiter, type RateLimitDecision } from './rate-limit.ts';

let table: TestTable;
let clock: { now: number };
let writes: number;
let services: Services;
const MINUTE = 60_000;

beforeEach(async () => {
  table = await createTestTable();
  clock = { now: Date.UTC(2026, 11, 1) };
  writes = 0;
  const client = {
    send: (command: UpdateCommand) => {
      writes += 1;
      return table.client.send(command);
    },
  };
  services = { table: { client, name: table.name }, now: () => clock.now } as unknown as Services;
});
afterEach(() => table.close());

const keyOf = (plan: Plan): Principal => ({
  workspace_id: newId(),
  user_id: newId(),
  key_id: newId(),
  role: 'owner',
  plan,
});

/** Limiters of containers that share only the table. */
const containers = (count: number) => Array.from({ length: count }, () => createRateLimiter(services));

const countAllowed = (decisions: RateLimitDecision[]) => decisions.filter(({ allowed }) => allowed).length;

async function sequentially(
  limiters: ReturnType<typeof containers>,
  principal: Principal,
  count: number,
  stepMs = 0,
): Promise<RateLimitDecision[]> {
  const decisions: RateLimitDecision[] = [];
  for (let index = 0; index < count; index++) {
    decisions.push(await limiters[index % limiters.length]!(principal));
    clock.now += stepMs;
  }
  return decisions;
}

describe('a key', () => {
  test.each([
    ['starter', 60],
    ['pro', 120],
    ['business', 600],
    ['enterprise', 1200],
  ] as const)(
    'may send a burst of %s: %i requests, then one more for each refilled token',
    async (plan, limit) => {
      const [limiter] = containers(1);
      const principal = keyOf(plan);
      expect(countAllowed(await sequentially([limiter!], principal, limit + 20))).toBe(limit);
      clock.now += MINUTE / limit;
      expect(countAllowed(await sequentially([limiter!], principal, 5))).toBe(1);
      clock.now += MINUTE;
      expect(countAllowed(await sequentially([limiter!], principal, limit + 5))).toBe(limit);
    },
  );

  test('may send the same number through many containers at once', async () => {
    const principal = keyOf('starter');
    const all = containers(60);
    const decisions = await Promise.all(all.map(limiter => limiter(principal)));
    expect(countAllowed(decisions)).toBe(60);
    expect(countAllowed(await Promise.all(all.map(limiter => limiter(principal))))).toBe(0);
  });

  test('never exceeds its rate over any number of containers', async () => {
    const principal = keyOf('starter');
    const all = containers(7);
    const minutes = 2;
    let allowed = 0;
    for (let second = 0; second < minutes * 60; second++) {
      const decisions = await Promise.all([...all, ...all].map(limiter => limiter(principal)));
      allowed += countAllowed(decisions);
      clock.now += 1000;
    }
    // At most burst and rate, and not much less: leased tokens that are not used are lost.
    expect(allowed).toBeLessThanOrEqual(60 + minutes * 60);
    expect(allowed).toBeGreaterThan(0.9 * minutes * 60);
  });

  test('has its own bucket', async () => {
    const [limiter] = containers(1);
    const spent = keyOf('starter');
    await sequentially([limiter!], spent, 61);
    expect((await limiter!(spent)).allowed).toBe(false);
    expect((await limiter!(keyOf('starter'))).allowed).toBe(true);
  });

  test('may send requests at its rate without end', async () => {
    const principal = keyOf('starter');
    expect(countAllowed(await sequentially(containers(3), principal, 400, 1000))).toBe(400);
  });
});

describe('the keys of a workspace', () => {
  test('may send three times the requests of one key together', async () => {
    const owner = keyOf('starter');
    const keys = Array.from({ length: 5 }, () => ({ ...owner, key_id: newId() }));
    const [limiter] = containers(1);
    const decisions: RateLimitDecision[] = [];
    for (const key of keys) decisions.push(...(await sequentially([limiter!], key, 50)));
    expect(countAllowed(decisions)).toBe(180);
    expect(decisions.at(-1)).toEqual({
      allowed: false,
      scope: 'workspace',
      limit: 180,
      remaining: 0,
      reset_s: 60,
      retry_after_s: 1,
    });
    const other = await sequentially([limiter!], keyOf('starter'), 60);
    expect(countAllowed(other)).toBe(60);
  });
});

describe('a bucket', () => {
  test('is full at a whole millisecond, also where a token refills in a fraction of one', async () => {
    const principal = keyOf('starter');
    await sequentially(containers(5), principal, 5);
    const fullAt = await readBucket(services.table, `workspace:${principal.workspace_id}`);
    expect(fullAt).toBe(clock.now + 5 * 333);
  });
});

describe('a decision', () => {
  test('reports what is left, when the bucket is full, and when to retry', async () => {
    const [limiter] = containers(1);
    const principal = keyOf('starter');
    expect(await limiter!(principal)).toEqual({
      allowed: true,
      scope: 'key',
      limit: 60,
      remaining: 59,
      reset_s: 1,
      retry_after_s: 0,
    });
    await sequentially([limiter!], principal, 59);
    expect(await limiter!(principal)).toEqual({
      allowed: false,
      scope: 'key',
      limit: 60,
      remaining: 0,
      reset_s: 60,
      retry_after_s: 1,
    });
  });
});

describe('the limiter', () => {
  test('needs one write for several requests of a busy key', async () => {
    await sequentially(containers(1), keyOf('business'), 500);
    // Leases of two buckets: key and workspace.
    expect(writes).toBeLessThan(30);
  });

  test('needs no write to refuse a request', async () => {
    const [limiter] = containers(1);
    const principal = keyOf('starter');
    await sequentially([limiter!], principal, 61);
    const before = writes;
    await sequentially([limiter!], principal, 100, 5);
    expect(writes).toBe(before);
  });
});

describe('a limiter that fails', () => {
  test('lets requests pass and does not try again immediately', async () => {
    const broken = {
      ...services,
      table: { name: 'none', client: { send: () => (writes++, Promise.reject(new Error('down'))) } },
    } as unknown as Services;
    const limiter = createRateLimiter(broken);
    const principal = keyOf('starter');
    expect(countAllowed(await sequentially([limiter], principal, 200))).toBe(200);
    // Once for each bucket.
    expect(writes).toBe(2);
    clock.now += 6000;
    await limiter(principal);
    expect(writes).toBe(4);
  });
});
