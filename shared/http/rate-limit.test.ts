import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { newId } from '../model/id.ts';
import type { Plan, Principal } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { createRateLimiter, type Verdict } from './rate-limit.ts';

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

/** Containers that share nothing but the table. */
const containers = (count: number) => Array.from({ length: count }, () => createRateLimiter(services));

const allowedOf = (verdicts: Verdict[]) => verdicts.filter(({ allowed }) => allowed).length;

async function inTurn(
  limiters: ReturnType<typeof containers>,
  principal: Principal,
  count: number,
  stepMs = 0,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let index = 0; index < count; index++) {
    verdicts.push(await limiters[index % limiters.length]!(principal));
    clock.now += stepMs;
  }
  return verdicts;
}

describe('a key may make', () => {
  test.each([
    ['starter', 60],
    ['pro', 120],
    ['business', 600],
    ['enterprise', 1200],
  ] as const)('%s: %i requests at once, and then one more as each token refills', async (plan, limit) => {
    const [one] = containers(1);
    const principal = keyOf(plan);
    expect(allowedOf(await inTurn([one!], principal, limit + 20))).toBe(limit);
    clock.now += MINUTE / limit;
    expect(allowedOf(await inTurn([one!], principal, 5))).toBe(1);
    clock.now += MINUTE;
    expect(allowedOf(await inTurn([one!], principal, limit + 5))).toBe(limit);
  });

  test('as many from many containers at once', async () => {
    const principal = keyOf('starter');
    const all = containers(60);
    const verdicts = await Promise.all(all.map(limiter => limiter(principal)));
    expect(allowedOf(verdicts)).toBe(60);
    expect(allowedOf(await Promise.all(all.map(limiter => limiter(principal))))).toBe(0);
  });

  test('never more than its plan over any number of containers', async () => {
    const principal = keyOf('starter');
    const all = containers(7);
    const minutes = 5;
    let allowed = 0;
    for (let second = 0; second < minutes * 60; second++) {
      const verdicts = await Promise.all([...all, ...all].map(limiter => limiter(principal)));
      allowed += allowedOf(verdicts);
      clock.now += 1000;
    }
    // The burst, the rate, and not much less: leases that nobody used are lost.
    expect(allowed).toBeLessThanOrEqual(60 + minutes * 60);
    expect(allowed).toBeGreaterThan(0.9 * minutes * 60);
  });

  test('its own requests: another key has another bucket', async () => {
    const [one] = containers(1);
    const spent = keyOf('starter');
    await inTurn([one!], spent, 61);
    expect((await one!(spent)).allowed).toBe(false);
    expect((await one!(keyOf('starter'))).allowed).toBe(true);
  });

  test('requests at its rate for ever', async () => {
    const principal = keyOf('starter');
    expect(allowedOf(await inTurn(containers(3), principal, 400, 1000))).toBe(400);
  });
});

describe('a verdict', () => {
  test('tells what is left, when all is back, and when to come again', async () => {
    const [one] = containers(1);
    const principal = keyOf('starter');
    expect(await one!(principal)).toEqual({
      allowed: true,
      limit: 60,
      remaining: 59,
      reset_s: 1,
      retry_after_s: 0,
    });
    await inTurn([one!], principal, 59);
    expect(await one!(principal)).toEqual({
      allowed: false,
      limit: 60,
      remaining: 0,
      reset_s: 60,
      retry_after_s: 1,
    });
  });
});

describe('the cost', () => {
  test('of a busy key is a write per several requests', async () => {
    await inTurn(containers(1), keyOf('business'), 500);
    expect(writes).toBeLessThan(20);
  });

  test('of a key over its limit is no write for a request that is refused', async () => {
    const [one] = containers(1);
    const principal = keyOf('starter');
    await inTurn([one!], principal, 61);
    const before = writes;
    await inTurn([one!], principal, 100, 5);
    expect(writes).toBe(before);
  });
});

describe('a limiter that fails', () => {
  test('lets requests pass, and is not asked again at once', async () => {
    const broken = {
      ...services,
      table: { name: 'none', client: { send: () => (writes++, Promise.reject(new Error('down'))) } },
    } as unknown as Services;
    const limiter = createRateLimiter(broken);
    const principal = keyOf('starter');
    expect(allowedOf(await inTurn([limiter], principal, 200))).toBe(200);
    expect(writes).toBe(1);
    clock.now += 6000;
    await limiter(principal);
    expect(writes).toBe(2);
  });
});
