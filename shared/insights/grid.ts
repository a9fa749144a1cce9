import { Temporal } from 'temporal-polyfill';
import type { MetricsReading } from '../model/insight.ts';
import { WEEKDAYS, type Weekday } from '../model/queue.ts';
import { slotsAfter } from '../queue/slots.ts';
import { MINUTE } from '../time/instant.ts';

/** One hour of the week. */
export interface Cell {
  weekday: Weekday;
  hour: number;
  /** Mean of likes + comments + shares of the posts published in this hour; null without posts. */
  engagement: number | null;
  samples: number;
}

/** With fewer measured posts the default grid is used. */
export const ENOUGH_POSTS = 10;
/** Shortest time from now to the best time. */
const LEAD_MS = 5 * MINUTE;

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/**
 * Weights of the default grid (docs/best-time.md): working days, Tuesday to Thursday above all, in the late morning. They
 * have no unit; only their order matters.
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

/** Computes the mean engagement of every hour of the week, in a time zone. */
export function gridOf(readings: readonly MetricsReading[], timezone: string): Cell[] {
  const byHour = Map.groupBy(readings, ({ published_at }) => hourOf(published_at, timezone));
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

/** Without views: not every platform reports them, and they would outweigh everything else. */
const engagementOf = ({ likes, comments, shares }: MetricsReading) =>
  (likes ?? 0) + (comments ?? 0) + (shares ?? 0);

/** Returns the cells with the highest engagement; several when they are equal. */
export function bestCells(grid: readonly Cell[]): Cell[] {
  const top = Math.max(...grid.map(({ engagement }) => engagement ?? -Infinity));
  return grid.filter(({ engagement }) => engagement === top);
}

/** Returns the next start of any of these hours, epoch milliseconds. */
export function nextOccurrence(cells: readonly Cell[], timezone: string, now: number): number {
  const slots = cells.map(({ weekday, hour }) => ({
    time: `${String(hour).padStart(2, '0')}:00`,
    days: [weekday],
  }));
  return slotsAfter({ timezone, slots, posts_per_slot: 1 }, now + LEAD_MS - 1).next().value.at;
}
