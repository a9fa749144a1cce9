import { Temporal } from 'temporal-polyfill';
import type { MetricsReading } from '../model/insight.ts';
import { WEEKDAYS, type Weekday } from '../model/queue.ts';
import { slotsAfter } from '../queue/slots.ts';
import { MINUTE } from '../time/instant.ts';

/** An hour of the week. */
export interface Cell {
  weekday: Weekday;
  hour: number;
  /** Mean of likes, comments and shares of the posts that went live in it; null where none did. */
  engagement: number | null;
  samples: number;
}

/** Fewer measured posts than this say nothing. */
export const ENOUGH_POSTS = 10;
/** The best time is not nearer than this. */
const AHEAD_MS = 5 * MINUTE;

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/**
 * What serves while there are too few posts (docs/best-time.md): working days, most of all from Tuesday to Thursday, and
 * the late morning. Of no unit; only the order counts.
 */
const DAY_WEIGHTS: Readonly<Record<Weekday, number>> = {
  mon: 0.9,
  tue: 1,
  wed: 1,
  thu: 1,
  fri: 0.9,
  sat: 0.6,
  sun: 0.6,
};
const HOUR_WEIGHTS = [
  0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 0.7, 0.9, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.8, 0.8, 0.7, 0.6, 0.4,
  0.3, 0.2,
];

export const DEFAULT_GRID: readonly Cell[] = WEEKDAYS.flatMap(weekday =>
  HOURS.map(hour => ({
    weekday,
    hour,
    engagement: Math.round(DAY_WEIGHTS[weekday] * (HOUR_WEIGHTS[hour] ?? 0) * 100) / 100,
    samples: 0,
  })),
);

/** The hours of the week as posts were received in them, by the clocks of a zone. */
export function gridOf(measurements: readonly MetricsReading[], timezone: string): Cell[] {
  const byHour = Map.groupBy(measurements, ({ published_at }) => hourOf(published_at, timezone));
  return WEEKDAYS.flatMap(weekday =>
    HOURS.map(hour => cellOf(weekday, hour, byHour.get(`${weekday} ${hour}`) ?? [])),
  );
}

function hourOf(at: number, timezone: string): string {
  const { dayOfWeek, hour } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return `${WEEKDAYS[dayOfWeek - 1] ?? ''} ${hour}`;
}

function cellOf(weekday: Weekday, hour: number, posts: readonly MetricsReading[]): Cell {
  const sum = posts.reduce((total, post) => total + engagementOf(post), 0);
  const engagement = posts.length === 0 ? null : sum / posts.length;
  return { weekday, hour, engagement, samples: posts.length };
}

/** Views are left out: not every platform has them, and they would outweigh everything else. */
const engagementOf = ({ likes, comments, shares }: MetricsReading) =>
  (likes ?? 0) + (comments ?? 0) + (shares ?? 0);

/** The cells with the highest engagement; there may be several. */
export function bestCells(grid: readonly Cell[]): Cell[] {
  const top = Math.max(...grid.map(({ engagement }) => engagement ?? -Infinity));
  return grid.filter(({ engagement }) => engagement === top);
}

/** When the soonest of some hours of the week begins next, epoch milliseconds. */
export function nextOccurrence(cells: readonly Cell[], timezone: string, now: number): number {
  const slots = cells.map(({ weekday, hour }) => ({
    time: `${String(hour).padStart(2, '0')}:00`,
    days: [weekday],
  }));
  return slotsAfter({ timezone, slots, posts_per_slot: 1 }, now + AHEAD_MS - 1).next().value.at;
}
