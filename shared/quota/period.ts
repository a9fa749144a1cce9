import type { QuotaPeriod } from '../platforms/contract/quota.ts';
import { HOUR, MINUTE, toIso } from '../time/instant.ts';

/** The period of a quota at an instant. */
export interface CurrentPeriod {
  /** Sortable: `2026-12-01`, `2026-12-01T10` or `2026-12-01T10:05`. */
  id: string;
  /** Start of the next period, epoch milliseconds. */
  resets_at: number;
}

/** Returns the period at an instant. A day lasts 23 or 25 hours when the clocks of its zone change. */
export async function periodAt(period: QuotaPeriod, epochMs: number): Promise<CurrentPeriod> {
  if (period.every === 'day') {
    // Most functions count no days and start without the library of time zones.
    const { dayIn } = await import('../time/zone.ts');
    const { date, ends_at } = dayIn(period.zone, epochMs);
    return { id: date, resets_at: ends_at };
  }
  const ms = period.every === 'hour' ? HOUR : MINUTE;
  const start = Math.floor(epochMs / ms) * ms;
  return { id: toIso(start).slice(0, period.every === 'hour' ? 13 : 16), resets_at: start + ms };
}
