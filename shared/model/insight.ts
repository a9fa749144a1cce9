import * as v from 'valibot';
import { PlatformIdSchema } from './platform.ts';

const count = v.nullable(v.pipe(v.number(), v.integer()));

/** Metrics of a published post; null for what the platform does not count. */
export const MetricsSchema = v.object({ likes: count, comments: count, shares: count, views: count });
export type Metrics = v.InferOutput<typeof MetricsSchema>;

const live = {
  post_id: v.string(),
  platform: PlatformIdSchema,
  /** Epoch milliseconds. */
  published_at: v.number(),
};

/** The latest metrics of a published post. */
export const MetricsReadingSchema = v.object({ ...live, ...MetricsSchema.entries, measured_at: v.number() });
export type MetricsReading = v.InferOutput<typeof MetricsReadingSchema>;

/** A metrics reading that is due at `due_at`. */
export const DueReadingSchema = v.object({
  ...live,
  workspace_id: v.string(),
  profile_id: v.string(),
  account_id: v.string(),
  /** The page, location or board that the post named; null for the account's default. */
  target_id: v.nullable(v.string()),
  platform_post_id: v.string(),
  due_at: v.number(),
  /** Index into the platform's reading ages. */
  index: v.number(),
  /** Consecutive attempts of this reading that failed. */
  failures: v.number(),
});
export type DueReading = v.InferOutput<typeof DueReadingSchema>;

/** The first readings of a post at these platforms, which are due from `due_at` on where the post is live. */
export const FirstReadingsSchema = v.object({
  workspace_id: v.string(),
  profile_id: v.string(),
  post_id: v.string(),
  platforms: v.array(PlatformIdSchema),
  due_at: v.number(),
});
export type FirstReadings = v.InferOutput<typeof FirstReadingsSchema>;
