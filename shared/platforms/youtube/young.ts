import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import type { OnVideo } from './follow-up-calls.ts';
import type { Context } from './state.ts';

/** For this long YouTube may answer that it does not know a new video. */
const YOUNG_MS = 10 * MINUTE;

/** The video of a post, for what follows it. */
export const onVideo = ({ now }: Context, { platform_post_id, published_at }: PublishedPost): OnVideo => ({
  video_id: platform_post_id,
  young: now() - published_at < YOUNG_MS,
});

/** How often the processing of a video is read. */
export const PollsSchema = v.object({ polls: v.number() });
export type Polls = v.InferOutput<typeof PollsSchema>;
export const POLLS = 20;

/** Returns the delay after a number of polls: all of them take about ten minutes. */
export const pollDelayMs = (polls: number): number => Math.min(MINUTE, Math.round(5 * 1.4 ** polls) * SECOND);
