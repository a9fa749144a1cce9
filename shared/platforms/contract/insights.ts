import * as v from 'valibot';
import type { Metrics } from '../../model/insight.ts';
import type { AppCredentials } from '../../model/platform-app.ts';
import type { HttpClient } from '../../net/http.ts';
import type { Target } from './connector.ts';

/** What a reader works with. `C`: the platform's credentials. */
export interface InsightsContext<C> {
  /** Sends requests to the platform. */
  http: HttpClient;
  account: {
    platform_user_id: string;
    username: string | null;
    attributes: Readonly<Record<string, string>>;
  };
  /**
   * Unseals the account's credentials, renewed where they are about to expire. A function, because some platforms show
   * metrics without credentials. `target`: the page or location that the posts were published to.
   */
  authorize: () => Promise<{ credentials: C; app: AppCredentials | null; target: Target | null }>;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

export interface InsightsDefinition<C> {
  credentials: v.GenericSchema<unknown, C>;
  /** Most posts of one call. */
  batch: number;
  /**
   * Returns metrics by the platform's post ids; all posts are of one account and target. Deleted posts are missing.
   * Throws PlatformError.
   */
  read: (context: InsightsContext<C>, ids: readonly string[]) => Promise<ReadonlyMap<string, Metrics>>;
}

/** A reader with its credentials type hidden. Platforms without one report no metrics. */
export interface InsightsReader {
  batch: number;
  read: (context: InsightsContext<unknown>, ids: readonly string[]) => Promise<ReadonlyMap<string, Metrics>>;
}

/** Hides the credentials type of a reader. */
export function defineInsights<C>(definition: InsightsDefinition<C>): InsightsReader {
  const { credentials, batch, read } = definition;
  return {
    batch,
    read: (context, ids) => {
      const authorize = async () => {
        const authorized = await context.authorize();
        return { ...authorized, credentials: v.parse(credentials, authorized.credentials) };
      };
      return read({ ...context, authorize }, ids);
    },
  };
}
