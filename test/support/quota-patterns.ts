import { newId } from '../../shared/model/id.ts';
import { addReservation, commitUnits, getQuota, spendReserved } from '../../shared/store/quota.ts';
import type { Table } from '../../shared/store/table.ts';

const refOf = () => ({ owner: `youtube#app#${newId()}`, bucket: 'units', period: '2026-12-01' });
const LIMIT = { limit: 10_000, resets_at: 1, now: 1 };
const RESERVATION = { units: 600, expires_at: 1 };

/** The access patterns of the quota ledger; `base` creates what exists beforehand, outside the measurement. */
export const QUOTA_PATTERNS: Record<string, (table: Table, base: Table) => Promise<unknown>> = {
  'spend quota units': table => commitUnits(table, refOf(), 50, LIMIT),
  'reserve quota units': table => addReservation(table, refOf(), newId(), RESERVATION, LIMIT),
  'spend reserved units': async (table, base) => {
    const [ref, id] = [refOf(), newId()];
    await addReservation(base, ref, id, RESERVATION, LIMIT);
    await getQuota(table, ref);
    return spendReserved(table, ref, id, RESERVATION, 50, LIMIT);
  },
};
