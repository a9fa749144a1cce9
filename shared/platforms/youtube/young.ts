import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import type { OnVideo } from './follow-up-calls.ts';
import type { Context, State } from './state.ts';

/** For this long YouTube may answer that it does not know a new video. */
const YOUNG_MS = 10 * MINUTE;

const isYoung = ({ now }: Context, since: number) => now() - since < YOUNG_MS;

/** The video of a post, for what follows it. */
export const onVideo = (context: Context, { platform_post_id, published_at }: PublishedPost): OnVideo => ({
  video_id: platform_post_id,
  young: isYoung(context, published_at),
});

/** The held video of a post, before it is published. */
export const onHeldVideo = (context: Context, video_id: string, { uploaded_at }: State): OnVideo => ({
  video_id,
  young: uploaded_at !== null && isYoung(context, uploaded_at),
});

/** How often the processing of a video is read. */
export const PollsSchema = v.object({ polls: v.number() });
export type Polls = v.InferOutput<typeof PollsSchema>;
export const POLLS = 20;

/** Returns the delay after a number of polls: all of them take about ten minutes. */
export const pollDelayMs = (polls: number): number => Math.min(MINUTE, Math.round(5 * 1.4 ** polls) * SECOND);
