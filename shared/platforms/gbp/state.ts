import * as v from 'valibot';
import type { Target } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import type { Caller } from './call.ts';

export const StateSchema = v.object({
  /** Where Google fetches the file; null for a text. */
  media_url: v.nullable(v.string()),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = { media_url: null };

export type Context = StepContext<GoogleCredentials>;

export const callerOf = ({ http, credentials, now }: Context): Caller => ({
  http,
  token: credentials.access_token,
  now,
});

/** Returns the location of the post. Throws PlatformError `rejected` where the account has no default. */
export function locationOf({ target }: Pick<Context, 'target'>): Target {
  if (target) return target;
  throw new PlatformError({
    kind: 'rejected',
    code: 'CONTENT_REJECTED',
    message:
      'The connection has no default location: set gbp_location_id, or choose a default location of GET /integrations/gbp/targets',
  });
}

export function textOption({ options }: PublishJob, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
