import * as v from 'valibot';
import type { Target } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import type { PublishJob, StepContext } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import type { Caller } from './call.ts';

export const StateSchema = v.object({
  /** Name of the location after it moved to another account; null where it is the target's. */
  parent: v.nullable(v.string()),
  /** Where Google fetches the file; null for a text. */
  media_url: v.nullable(v.string()),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = { parent: null, media_url: null };

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

/** The location's name in the API of posts: `accounts/{id}/locations/{id}`. */
export const parentOf = (context: Context, { parent }: Pick<State, 'parent'>): string =>
  parent ?? locationOf(context).attributes['parent'] ?? '';

export function textOption({ options }: PublishJob, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
