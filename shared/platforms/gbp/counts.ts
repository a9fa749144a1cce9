import * as v from 'valibot';

const count = v.number();
/** Metrics of a location. */
export const CountsSchema = v.object({
  impressions_maps: count,
  impressions_search: count,
  website_clicks: count,
  call_clicks: count,
  direction_requests: count,
  bookings: count,
  menu_clicks: count,
});
export type Counts = v.InferOutput<typeof CountsSchema>;
