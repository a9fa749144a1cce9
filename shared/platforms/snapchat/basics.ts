import { USUAL_READING_AGES_MS, type PlatformBasics } from '../contract/basics.ts';
import type { Post } from '../../model/post.ts';
import { GB, MB } from '../kit/sizes.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';

/** Snapchat should have processed a video when it is due; slow for a server, so that a slow host is in time too. */
const PROCESSING_MS = 5 * MINUTE;
const BYTES_PER_SECOND = 4 * MB;

const prepareAheadMs = ({ post_type }: Pick<Post, 'post_type'>, bytes: number | null): number =>
  post_type === 'video' ? PROCESSING_MS + Math.ceil((bytes ?? GB) / BYTES_PER_SECOND) * SECOND : 2 * MINUTE;

export const basics: PlatformBasics = {
  platform: 'snapchat',
  display_name: 'Snapchat',
  daily_cap: 25,
  prepare_ahead_ms: prepareAheadMs,
  // Earlier, a repetition could meet the first request.
  reading_ages_ms: USUAL_READING_AGES_MS,
  settle_ms: 60_000,
  worker: { timeout_s: 180, request_s: 120, memory_mb: 1024, max_concurrency: 5 },
};
