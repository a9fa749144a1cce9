import type { Context, Hono } from 'hono';
import { Temporal } from 'temporal-polyfill';
import { authorize, PERFORMANCE_HOST, type Guard } from './access.ts';
import { badRequest, notFound, permissionDenied } from './errors.ts';
import { protoJson } from './proto-json.ts';
import { switchesOf } from './state.ts';

const METRICS = [
  'BUSINESS_IMPRESSIONS_DESKTOP_MAPS',
  'BUSINESS_IMPRESSIONS_DESKTOP_SEARCH',
  'BUSINESS_IMPRESSIONS_MOBILE_MAPS',
  'BUSINESS_IMPRESSIONS_MOBILE_SEARCH',
  'BUSINESS_CONVERSATIONS',
  'BUSINESS_DIRECTION_REQUESTS',
  'CALL_CLICKS',
  'WEBSITE_CLICKS',
  'BUSINESS_BOOKINGS',
  'BUSINESS_FOOD_ORDERS',
  'BUSINESS_FOOD_MENU_CLICKS',
];
const METHOD = ':fetchMultiDailyMetricsTimeSeries';

/** Daily metrics of a location. Nobody converses or books with a location of the sandbox. */
export function addPerformance(app: Hono, guard: Guard): void {
  app.get(`/${PERFORMANCE_HOST}/v1/locations/:name`, c => {
    const user = authorize(c, guard, PERFORMANCE_HOST);
    const name = c.req.param('name');
    const location = user.locations.find(({ id }) => name === `${id}${METHOD}`);
    if (!location) return notFound();
    if (switchesOf(guard.state, user).denied) permissionDenied();
    const metrics = c.req.queries('dailyMetrics') ?? [];
    if (metrics.length === 0) badRequest('daily_metrics', 'daily_metrics is required');
    const unknown = metrics.find(metric => !METRICS.includes(metric));
    if (unknown !== undefined) badRequest('daily_metrics', `Invalid value (${unknown})`);
    const days = daysOf(dateOf(c, 'startDate'), dateOf(c, 'endDate'));
    const dailyMetricTimeSeries = metrics.map(metric => ({
      dailyMetric: metric,
      timeSeries: {
        datedValues: days.map((day, index) => ({ date: partsOf(day), value: valueOf(metric, index) })),
      },
    }));
    return protoJson({ multiDailyMetricTimeSeries: [{ dailyMetricTimeSeries }] });
  });
}

/** A string, which is left out for 0. */
function valueOf(metric: string, index: number): string | null {
  const value = ['BUSINESS_CONVERSATIONS', 'BUSINESS_BOOKINGS'].includes(metric) ? 0 : index % 4;
  return value === 0 ? null : String(value);
}

function dateOf(c: Context, name: string): Temporal.PlainDate {
  const part = (unit: string) => Number(c.req.query(`dailyRange.${name}.${unit}`));
  try {
    const parts = { year: part('year'), month: part('month'), day: part('day') };
    return Temporal.PlainDate.from(parts, { overflow: 'reject' });
  } catch {
    return badRequest(`daily_range.${name}`, 'Date is not valid');
  }
}

function daysOf(start: Temporal.PlainDate, end: Temporal.PlainDate): Temporal.PlainDate[] {
  const { days } = start.until(end, { largestUnit: 'days' });
  if (days < 0) badRequest('daily_range', 'start_date must not be after end_date');
  return Array.from({ length: days + 1 }, (_, index) => start.add({ days: index }));
}

const partsOf = ({ year, month, day }: Temporal.PlainDate) => ({ year, month, day });
