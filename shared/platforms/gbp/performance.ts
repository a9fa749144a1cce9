import * as v from 'valibot';
import { Temporal } from 'temporal-polyfill';
import type { Counts } from './counts.ts';
import { PERFORMANCE_API, send, type Caller } from './call.ts';

/*
 * Daily metrics of a location. Google counts none for single posts any more.
 *
 * @see https://developers.google.com/my-business/reference/performance/rest
 */

/** Metrics of the service and those of Google that they sum. */
const SOURCES = {
  impressions_maps: ['BUSINESS_IMPRESSIONS_DESKTOP_MAPS', 'BUSINESS_IMPRESSIONS_MOBILE_MAPS'],
  impressions_search: ['BUSINESS_IMPRESSIONS_DESKTOP_SEARCH', 'BUSINESS_IMPRESSIONS_MOBILE_SEARCH'],
  website_clicks: ['WEBSITE_CLICKS'],
  call_clicks: ['CALL_CLICKS'],
  direction_requests: ['BUSINESS_DIRECTION_REQUESTS'],
  bookings: ['BUSINESS_BOOKINGS'],
  menu_clicks: ['BUSINESS_FOOD_MENU_CLICKS'],
} as const;

const DatedValueSchema = v.object({
  date: v.object({ year: v.number(), month: v.number(), day: v.number() }),
  /** A number as text, which Google leaves out when it is 0. */
  value: v.optional(v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number)), '0'),
});

const SeriesSchema = v.object({
  multiDailyMetricTimeSeries: v.optional(
    v.array(
      v.object({
        dailyMetricTimeSeries: v.optional(
          v.array(
            v.object({
              dailyMetric: v.string(),
              timeSeries: v.optional(
                v.object({ datedValues: v.optional(v.array(DatedValueSchema), []) }),
                {},
              ),
            }),
          ),
          [],
        ),
      }),
    ),
    [],
  ),
});
type Series = v.InferOutput<typeof SeriesSchema>;

export interface Days {
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
}

/** Returns the metrics of a location by day, as `YYYY-MM-DD`, in order. */
export async function dailyCounts(
  caller: Caller,
  locationId: string,
  { first, last }: Days,
): Promise<Map<string, Counts>> {
  const query = new URLSearchParams([
    ...Object.values(SOURCES)
      .flat()
      .map((metric): [string, string] => ['dailyMetrics', metric]),
    ...dateQuery('startDate', first),
    ...dateQuery('endDate', last),
  ]);
  const url = `${PERFORMANCE_API}/locations/${locationId}:fetchMultiDailyMetricsTimeSeries`;
  const call = { what: 'Reading the metrics of the location', purpose: 'read', method: 'GET' } as const;
  return countsByDay(await send(caller, { ...call, url, query }, SeriesSchema));
}

const dateQuery = (name: string, { year, month, day }: Temporal.PlainDate): [string, string][] =>
  Object.entries({ year, month, day }).map(([unit, value]) => [`dailyRange.${name}.${unit}`, String(value)]);

function countsByDay({ multiDailyMetricTimeSeries }: Series): Map<string, Counts> {
  const values = multiDailyMetricTimeSeries
    .flatMap(({ dailyMetricTimeSeries }) => dailyMetricTimeSeries)
    .flatMap(({ dailyMetric, timeSeries }) =>
      timeSeries.datedValues.map(({ date, value }) => ({ metric: dailyMetric, day: dayOf(date), value })),
    );
  const byDay = Map.groupBy(values, ({ day }) => day);
  const days = [...byDay].toSorted(([one], [other]) => one.localeCompare(other));
  return new Map(days.map(([day, ofDay]) => [day, countsOf(ofDay)]));
}

const dayOf = (date: { year: number; month: number; day: number }) =>
  Temporal.PlainDate.from(date).toString();

function countsOf(values: readonly { metric: string; value: number }[]): Counts {
  return mapCounts(name => {
    const sources: readonly string[] = SOURCES[name];
    return values.filter(({ metric }) => sources.includes(metric)).reduce((sum, { value }) => sum + value, 0);
  });
}

/** Returns the sums of several days. */
export const totalOf = (days: readonly Counts[]): Counts =>
  mapCounts(name => days.reduce((sum, each) => sum + each[name], 0));

const mapCounts = (countOf: (name: keyof Counts) => number): Counts => ({
  impressions_maps: countOf('impressions_maps'),
  impressions_search: countOf('impressions_search'),
  website_clicks: countOf('website_clicks'),
  call_clicks: countOf('call_clicks'),
  direction_requests: countOf('direction_requests'),
  bookings: countOf('bookings'),
  menu_clicks: countOf('menu_clicks'),
});
