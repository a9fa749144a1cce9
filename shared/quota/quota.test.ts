import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { newId } from '../model/id.ts';
import type { QuotaBucket } from '../platforms/contract/quota.ts';
import { HOUR, toIso } from '../time/instant.ts';
import { periodAt } from './period.ts';
import { openQuota } from './quota.ts';

const PACIFIC: QuotaBucket['period'] = { every: 'day', zone: 'America/Los_Angeles' };
const NOON = Date.parse('2026-12-01T20:00:00Z');
const RESET = '2026-12-02T08:00:00.000Z';

let table: TestTable;
let clock = NOON;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** Opens a quota that nothing was spent of. */
function freshQuota(limit: number, scope: QuotaBucket['scope'] = 'app') {
  clock = NOON;
  const owner = { app: { client_id: newId() }, account_id: newId() };
  const buckets = { units: { limit, period: PACIFIC, scope }, uploads: { limit, period: PACIFIC, scope } };
  const open = (changes: Partial<typeof owner> = {}) =>
    openQuota({ table, now: () => clock }, { ...owner, ...changes }, 'youtube', buckets);
  return { quota: open(), open };
}

const used = async ({ quota }: ReturnType<typeof freshQuota>) => (await quota.usage('units')).used;
const outcomeOf = (running: Promise<void>) => running.then(() => true, rejectUnlessExhausted);
function rejectUnlessExhausted(error: unknown): false {
  expect(error).toMatchObject({ name: 'PlatformError', kind: 'rate_limited', code: 'QUOTA_EXHAUSTED' });
  return false;
}

describe('spend', () => {
  test('counts units up to the limit and then throws QUOTA_EXHAUSTED with the time until the reset', async () => {
    const fresh = freshQuota(150);
    await fresh.quota.spend('units', 100);
    await fresh.quota.spend('units', 50);
    await expect(fresh.quota.spend('units', 1)).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'QUOTA_EXHAUSTED',
      message: `The YouTube quota "units" of 150 units is used up. It resets at ${RESET}.`,
      retryAfterMs: 12 * HOUR,
      limit: 150,
    });
    expect(await fresh.quota.usage('units')).toEqual({ limit: 150, used: 150, resets_at: Date.parse(RESET) });
  });

  test('counts nothing for a request that does not fit', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.spend('units', 60);
    expect(await outcomeOf(fresh.quota.spend('units', 50))).toBe(false);
    expect(await outcomeOf(fresh.quota.spend('units', 101))).toBe(false);
    expect(await used(fresh)).toBe(60);
    await fresh.quota.spend('units', 40);
  });

  test('starts again at zero with the next period', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.spend('units', 100);
    clock = Date.parse(RESET) - 1;
    expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(false);
    clock = Date.parse(RESET);
    await fresh.quota.spend('units', 100);
  });

  test('counts buckets, apps and accounts separately, by the scope of the bucket', async () => {
    for (const [scope, other, same] of [
      ['app', { app: { client_id: 'other' } }, { account_id: 'other' }],
      ['account', { account_id: 'other' }, { app: { client_id: 'other' } }],
    ] as const) {
      const fresh = freshQuota(10, scope);
      await fresh.quota.spend('units', 10);
      await fresh.quota.spend('uploads', 1);
      expect(await outcomeOf(fresh.open(other).spend('units', 1))).toBe(true);
      expect(await outcomeOf(fresh.open(same).spend('units', 1))).toBe(false);
    }
  });

  test('throws for a bucket that the platform does not define', async () => {
    await expect(freshQuota(1).quota.spend('other', 1)).rejects.toThrow('defines no quota bucket');
  });
});

describe('a reservation', () => {
  test('sets units aside that only its holder can spend', async () => {
    const { quota } = freshQuota(100);
    await quota.reserve('units', 70, 'post');
    await quota.reserve('units', 70, 'post');
    expect(await outcomeOf(quota.spend('units', 31))).toBe(false);
    await quota.spend('units', 30);
    await quota.spend('units', 50, 'post');
    await quota.spend('units', 20, 'post');
    expect(await outcomeOf(quota.spend('units', 1, 'post'))).toBe(false);
  });

  test('gives back what is left when it is released', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.reserve('units', 100, 'post');
    await fresh.quota.spend('units', 30, 'post');
    await fresh.quota.release('units', 'post');
    await fresh.quota.release('units', 'post');
    expect(await used(fresh)).toBe(30);
  });

  test('is refused when its units do not fit', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.spend('units', 50);
    expect(await outcomeOf(fresh.quota.reserve('units', 51, 'post'))).toBe(false);
    expect(await used(fresh)).toBe(50);
  });

  test('lets its holder spend more than was reserved while units are left', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.reserve('units', 50, 'post');
    await fresh.quota.spend('units', 80, 'post');
    expect(await used(fresh)).toBe(80);
    expect(await outcomeOf(fresh.quota.spend('units', 21, 'post'))).toBe(false);
  });

  test('of a function that crashed is released an hour later when somebody needs the units', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.reserve('units', 100, 'post');
    clock += HOUR - 1;
    expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(false);
    clock += 1;
    await fresh.quota.spend('units', 100);
    expect(await used(fresh)).toBe(100);
  });
});

describe('exhausted', () => {
  test('stops spending until the reset although the count has units left', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.reserve('units', 10, 'post');
    await fresh.quota.exhausted('units');
    expect(await fresh.quota.usage('units')).toMatchObject({ used: 100 });
    expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(false);
    expect(await outcomeOf(fresh.quota.spend('units', 1, 'post'))).toBe(false);
    expect(await outcomeOf(fresh.quota.reserve('units', 1, 'other'))).toBe(false);
    expect(await outcomeOf(fresh.quota.spend('uploads', 1))).toBe(true);
    clock = Date.parse(RESET);
    await fresh.quota.spend('units', 100);
  });

  test('lasts as long as the platform says, and an earlier time does not shorten it', async () => {
    const fresh = freshQuota(100);
    await fresh.quota.exhausted('units', clock + HOUR);
    await fresh.quota.exhausted('units', clock + 1000);
    clock += HOUR - 1;
    expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(false);
    await expect(fresh.quota.requireOpen('units')).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'QUOTA_EXHAUSTED',
      retryAfterMs: 1,
      message: expect.stringContaining('The next attempt is at'),
    });
    clock += 1;
    await fresh.quota.requireOpen('units');
    expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(true);
  });
});

type Action =
  | { type: 'spend'; units: number; id?: string }
  | { type: 'reserve'; units: number; id: string }
  | { type: 'release'; id: string };
const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const units = fc.integer({ min: 1, max: 40 });
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant('spend' as const), units }),
  fc.record({ type: fc.constant('spend' as const), units, id: ids }),
  fc.record({ type: fc.constant('reserve' as const), units, id: ids }),
  fc.record({ type: fc.constant('release' as const), id: ids }),
);

describe('concurrent use', () => {
  test('lets exactly the limit be spent', async () => {
    const fresh = freshQuota(100);
    const outcomes = await Promise.all(
      Array.from({ length: 150 }, () => outcomeOf(fresh.open().spend('units', 1))),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(100);
    expect(await used(fresh)).toBe(100);
  });

  test('never exceeds the limit and never loses a unit, whatever happens at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(actions, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 1, max: 200 }),
        async (spenders, limit) => {
          const fresh = freshQuota(limit);
          let spent = 0;
          const run = async (action: Action, quota = fresh.open()) => {
            if (action.type === 'release') return quota.release('units', action.id);
            if (action.type === 'reserve') {
              await outcomeOf(quota.reserve('units', action.units, action.id));
              return;
            }
            if (await outcomeOf(quota.spend('units', action.units, action.id))) spent += action.units;
            expect(spent).toBeLessThanOrEqual(limit);
          };
          await Promise.all(
            spenders.map(async list => {
              for (const action of list) await run(action);
            }),
          );
          expect(await used(fresh)).toBeLessThanOrEqual(limit);
          for (const id of ['a', 'b', 'c', 'd', 'e']) await fresh.quota.release('units', id);
          expect(await used(fresh)).toBe(spent);
          if (spent < limit) await fresh.quota.spend('units', limit - spent);
          expect(await outcomeOf(fresh.quota.spend('units', 1))).toBe(false);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('periodAt', () => {
  test.each([
    ['2026-12-01T07:59:59.999Z', '2026-11-30', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01T08:00:00.000Z', '2026-12-01', '2026-12-02T08:00:00.000Z'],
    ['2026-07-01T06:59:59.999Z', '2026-06-30', '2026-07-01T07:00:00.000Z'],
    // The clocks go forward on the 14th of March 2027 and back on the 7th of November: 23 and 25 hours.
    ['2027-03-14T08:00:00.000Z', '2027-03-14', '2027-03-15T07:00:00.000Z'],
    ['2027-03-15T06:59:59.999Z', '2027-03-14', '2027-03-15T07:00:00.000Z'],
    ['2027-11-07T07:00:00.000Z', '2027-11-07', '2027-11-08T08:00:00.000Z'],
    ['2027-11-08T07:59:59.999Z', '2027-11-07', '2027-11-08T08:00:00.000Z'],
  ])('places %s in the Pacific day %s, which resets at %s', async (at, id, resets) => {
    const period = await periodAt(PACIFIC, Date.parse(at));
    expect({ ...period, resets_at: toIso(period.resets_at) }).toEqual({ id, resets_at: resets });
  });

  test('starts a day at its first instant where midnight does not exist', async () => {
    // The clocks of Beirut go forward at midnight of the 28th of March 2027.
    const period = await periodAt({ every: 'day', zone: 'Asia/Beirut' }, Date.parse('2027-03-27T12:00:00Z'));
    expect(toIso(period.resets_at)).toBe('2027-03-27T22:00:00.000Z');
  });

  test('supports hours and minutes', async () => {
    const at = Date.parse('2026-12-01T10:05:30.5Z');
    expect(await periodAt({ every: 'hour' }, at)).toEqual({
      id: '2026-12-01T10',
      resets_at: Date.parse('2026-12-01T11:00:00Z'),
    });
    expect(await periodAt({ every: 'minute' }, at)).toEqual({
      id: '2026-12-01T10:05',
      resets_at: Date.parse('2026-12-01T10:06:00Z'),
    });
  });

  test('puts every instant into a period that ends after it, in any zone', async () => {
    const instants = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2037-01-01') });
    await fc.assert(
      fc.asyncProperty(instants, fc.constantFrom(...Intl.supportedValuesOf('timeZone')), async (at, zone) => {
        const period = await periodAt({ every: 'day', zone }, at);
        expect(period.resets_at).toBeGreaterThan(at);
        expect((await periodAt({ every: 'day', zone }, period.resets_at - 1)).id).toBe(period.id);
        expect((await periodAt({ every: 'day', zone }, period.resets_at)).id > period.id).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
