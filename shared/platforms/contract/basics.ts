import type { PlatformId } from '../../model/platform.ts';
import type { Post } from '../../model/post.ts';
import { DAY, HOUR } from '../../time/instant.ts';

/** An hour, a day, a week: few, since some platforms bill each read. */
export const USUAL_READING_AGES_MS: readonly number[] = [HOUR, DAY, 7 * DAY];

/**
 * The part of a platform's rules that needs no library and no code for texts: most functions read nothing else of a platform,
 * and must not load the rest when they start.
 */
export interface PlatformBasics {
  platform: PlatformId;
  display_name: string;
  /** The field that chooses a page, location or board of the account for one post; absent where there is none. */
  target_field?: string;
  /** Fields of the request that connects an account without a consent page. */
  connect_fields?: readonly string[];
  /** Fields of the platform's app beside its id and secret. */
  app_fields?: readonly string[];
  /** Maximum number of posts per connected account in any 24 hours. */
  daily_cap: number;
  /** How long before its time a post is prepared (uploads, containers). `bytes`: size of its media, null while unknown. Milliseconds; default 90 s. */
  prepare_ahead_ms?: (post: Pick<Post, 'post_type'>, bytes: number | null) => number;
  /** Ages of a post at which its metrics are read, ascending, milliseconds; absent where the platform's API returns none. */
  reading_ages_ms?: readonly number[];
  /** How long after a lost commit its result is certainly visible to a read. Milliseconds. */
  settle_ms: number;
  /**
   * Resources of the publisher's Lambda. `request_s` is the longest time the requests of one step may take: a step
   * starts only while that much of `timeout_s` is left.
   */
  worker: {
    timeout_s: number;
    request_s: number;
    memory_mb: number;
    max_concurrency: number;
  };
}
