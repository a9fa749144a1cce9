import type { Metrics } from '../../model/insight.ts';
import type { Credentials } from '../../model/profile.ts';
import type { HttpClient } from '../../net/http.ts';

/** What a platform gets to read metrics with. */
export interface InsightsContext {
  http: HttpClient;
  /** The account's secrets, opened when they are asked for: some platforms show their counts to anyone. */
  credentials: () => Promise<Credentials>;
  now: () => number;
}

/** How a platform tells how live posts were received. A platform without a reader tells nothing. */
export interface InsightsReader {
  /** Most posts of one call. */
  batch: number;
  /**
   * Metrics by the platform's ids of posts, all of one account. Posts that are gone are missing. Throws PlatformError.
   */
  read: (context: InsightsContext, ids: readonly string[]) => Promise<ReadonlyMap<string, Metrics>>;
}
