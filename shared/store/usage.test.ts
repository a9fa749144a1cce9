import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { getMonthlyUsage, releaseUse, keepUse, RESERVED_MS, reserveUse, type Reservation } from './usage.ts';

const NOW = Date.UTC(2026, 11, 31, 23, 59);

let table: TestTable;
beforeAll(async () => {
  table = await createTestTable();
});
afterAll(() => table.close());

/** Sends all commands before the nth. */
function diesAt(nth: number): (command: never) => Promise<unknown> {
  let count = 0;
  return command => (++count < nth ? table.client.send(command) : Promise.reject(new Error('died')));
}

/** A workspace of its own for each test. */
function counter(limit: number | null) {
  const id = randomUUID();
  return {
    reserve: (now = NOW, use: string = randomUUID()) =>
      reserveUse(table, { workspace_id: id, feature: 'AI', id: use }, limit, now),
    used: (now = NOW) => getMonthlyUsage(table, id, 'AI', now),
  };
}

const keep = (reservation: Reservation) => keepUse(table, reservation, NOW);

function taken(outcome: Awaited<ReturnType<typeof reserveUse>>): Reservation {
  if (!('entry' in outcome)) throw new Error('Nothing was left');
  return outcome;
}

describe('a monthly allowance', () => {
  test('counts what is done, and not what came to nothing', async () => {
    const { reserve, used } = counter(3);
    expect(await used()).toBe(0);
    await keep(taken(await reserve()));
    await releaseUse(table, taken(await reserve()));
    expect(await used()).toBe(1);
  });

  test('ends at its limit', async () => {
    const { reserve } = counter(2);
    for (let n = 0; n < 2; n += 1) await keep(taken(await reserve()));
    expect(await reserve()).toEqual({ used: 2 });
  });

  test('has no end where the plan sets none', async () => {
    const { reserve, used } = counter(null);
    for (let n = 0; n < 12; n += 1) await keep(taken(await reserve()));
    expect(await used()).toBe(12);
  });

  test('begins anew with the month, in UTC', async () => {
    const { reserve, used } = counter(1);
    await keep(taken(await reserve()));
    expect(await reserve(Date.UTC(2027, 0, 1) - 1)).toEqual({ used: 1 });
    await keep(taken(await reserve(Date.UTC(2027, 0, 1))));
    expect(await used(NOW)).toBe(1);
  });

  test('gives a use back to the month that it was taken from', async () => {
    const { reserve, used } = counter(1);
    const late = taken(await reserve(NOW));
    await releaseUse(table, late);
    expect(await used(NOW)).toBe(0);
    expect(await used(Date.UTC(2027, 0, 1))).toBe(0);
  });

  test('gives back once, however often it is told', async () => {
    const { reserve, used } = counter(5);
    const kept = taken(await reserve());
    await keep(kept);
    await releaseUse(table, kept);
    const lost = taken(await reserve());
    for (let n = 0; n < 3; n += 1) await releaseUse(table, lost);
    expect(await used()).toBe(1);
  });

  test('is not held by the dead: their uses are free once they have certainly ended', async () => {
    const { reserve, used } = counter(2);
    taken(await reserve());
    taken(await reserve());
    expect(await reserve(NOW + RESERVED_MS - 1)).toEqual({ used: 2 });
    const later = Date.UTC(2026, 11, 31, 23, 59, 59);
    expect(await used(later)).toBe(0);
    for (let n = 0; n < 2; n += 1) await keep(taken(await reserve(later)));
    expect(await reserve(later)).toEqual({ used: 2 });
    expect(await used(later)).toBe(2);
  });

  test('counts a request once that was done, lost its answer and is repeated', async () => {
    const { reserve, used } = counter(1);
    await keep(taken(await reserve(NOW, 'request')));
    const again = taken(await reserve(NOW + RESERVED_MS, 'request'));
    await releaseUse(table, again);
    await keep(again);
    expect(await used(NOW + RESERVED_MS)).toBe(1);
    expect(await reserve(NOW + RESERVED_MS)).toEqual({ used: 1 });
  });

  test('counts what was done by a function that died before it could say so', async () => {
    const { reserve, used } = counter(2);
    const dying = { ...table, client: { send: diesAt(2) } as unknown as TestTable['client'] };
    await expect(keepUse(dying, taken(await reserve(NOW, 'request')), NOW)).rejects.toThrow('died');
    const later = NOW + RESERVED_MS;
    expect(await used(later)).toBe(1);
    await keep(taken(await reserve(later)));
    expect(await used(later)).toBe(2);
    expect(await reserve(later)).toEqual({ used: 2 });
    expect(await reserve(later, 'request')).toMatchObject({ entry: null });
  });

  test('is exact under 100 requests at once, with failures in between', async () => {
    const { reserve, used } = counter(50);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const outcome = await reserve();
        if (!('entry' in outcome)) return 'refused';
        // Every third fails, and some die without a word.
        if (index % 3 === 0) await releaseUse(table, outcome);
        else if (index % 7 !== 0) await keep(outcome);
        return index % 3 === 0 ? 'failed' : index % 7 === 0 ? 'died' : 'done';
      }),
    );
    const done = outcomes.filter(outcome => outcome === 'done').length;
    expect(done).toBeLessThanOrEqual(50);
    expect(await used(NOW + RESERVED_MS)).toBe(done);
    for (let left = 50 - done; left > 0; left -= 1) {
      await keep(taken(await reserve(NOW + RESERVED_MS)));
    }
    expect(await reserve(NOW + RESERVED_MS)).toEqual({ used: 50 });
  });

  test('counts once when a write that was done is sent again, its answer lost', async () => {
    const id = randomUUID();
    const twice = {
      name: table.name,
      client: {
        send: async (command: never) => {
          await table.client.send(command);
          return table.client.send(command);
        },
      } as unknown as TestTable['client'],
    };
    const use = { workspace_id: id, feature: 'AI', id: randomUUID() } as const;
    const outcome = taken(await reserveUse(twice, use, 1, NOW));
    expect(await getMonthlyUsage(table, id, 'AI', NOW)).toBe(1);
    await releaseUse(twice, outcome);
    expect(await getMonthlyUsage(table, id, 'AI', NOW)).toBe(0);
  });
});
