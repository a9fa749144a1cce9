import * as v from 'valibot';
import { defineLookup, type PlatformLookups } from '../contract/lookups.ts';
import { GoogleCredentialsSchema } from '../families/google/credentials.ts';
import { CountsSchema } from './counts.ts';
import { isDate } from './event.ts';
import { locationId } from './location-id.ts';

const day = (description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(isDate, 'Must be an ISO 8601 date such as 2026-12-01'),
      v.description(description),
    ),
  );

const locationInsights = defineLookup(GoogleCredentialsSchema, {
  name: 'location-insights',
  operation_id: 'getGbpLocationInsights',
  method: 'GET',
  summary: 'Show how people found a business location',
  description:
    'Daily metrics of a location, read from Google. They arrive two to three days late and reach back about 18 months. Google has no metrics of single posts.',
  input: {
    location_id: locationId('Location; default: the default location of the connection'),
    start_date: day('First day; default: 30 days up to the last one'),
    end_date: day('Last day; default: three days ago, the last one with figures'),
  },
  answer: v.object({
    location_id: v.string(),
    start_date: v.string(),
    end_date: v.string(),
    total: CountsSchema,
    days: v.array(v.object({ date: v.string(), ...CountsSchema.entries })),
  }),
  run: async (account, input, context) => {
    const { readInsights } = await import('./location-insights.ts');
    return readInsights(account, input, context);
  },
});

export const lookups: PlatformLookups = [locationInsights];
