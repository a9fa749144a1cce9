import * as v from 'valibot';
import { PlatformIdSchema } from './platform.ts';

const count = v.nullable(v.pipe(v.number(), v.integer()));

/** How a live post was received; null for what the platform does not count. */
export const MetricsSchema = v.object({ likes: count, comments: count, shares: count, views: count });
export type Metrics = v.InferOutput<typeof MetricsSchema>;

const live = {
  post_id: v.string(),
  platform: PlatformIdSchema,
  /** Epoch milliseconds. */
  published_at: v.number(),
};

/** The latest look at a live post. */
export const MetricsReadingSchema = v.object({ ...live, ...MetricsSchema.entries, measured_at: v.number() });
export type MetricsReading = v.InferOutput<typeof MetricsReadingSchema>;

/** A look that is still to be had. */
export const DueReadingSchema = v.object({
  ...live,
  workspace_id: v.string(),
  profile_id: v.string(),
  account_id: v.string(),
  platform_post_id: v.string(),
  due_at: v.number(),
  /** Which of a post's looks it is, from 0. */
  look: v.number(),
  /** Looks in a row that failed. */
  faults: v.number(),
});
export type DueReading = v.InferOutput<typeof DueReadingSchema>;
