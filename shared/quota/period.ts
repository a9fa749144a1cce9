import { Temporal } from 'temporal-polyfill';
import type { QuotaPeriod } from '../platforms/contract/quota.ts';

/** The period of a quota at an instant. */
export interface CurrentPeriod {
  /** Sortable: `2026-12-01`, `2026-12-01T10` or `2026-12-01T10:05`. */
  id: string;
  /** Start of the next period, epoch milliseconds. */
  resets_at: number;
}

/** Returns the period at an instant. A day lasts 23 or 25 hours when the clocks of its zone change. */
export function periodAt(period: QuotaPeriod, epochMs: number): CurrentPeriod {
  const instant = Temporal.Instant.fromEpochMilliseconds(epochMs);
  if (period.every === 'day') {
    const day = instant.toZonedDateTimeISO(period.zone).toPlainDate();
    const next = day.add({ days: 1 }).toZonedDateTime(period.zone);
    return { id: day.toString(), resets_at: next.epochMilliseconds };
  }
  const { every } = period;
  const start = instant.toZonedDateTimeISO('UTC').round({ smallestUnit: every, roundingMode: 'floor' });
  const next = start.add(every === 'hour' ? { hours: 1 } : { minutes: 1 });
  const id = start.toPlainDateTime().toString({ smallestUnit: 'minute' });
  return { id: every === 'hour' ? id.slice(0, 13) : id, resets_at: next.epochMilliseconds };
}
