import { createHmac } from 'node:crypto';
import * as v from 'valibot';
import type { AppCredentials } from '../../contract/connector.ts';
import { PlatformError } from '../../contract/error.ts';

/** https://developers.facebook.com/docs/graph-api/changelog/versions */
const DEFAULT_VERSION = 'v26.0';

/** Fields of a Meta app beside its id and secret. */
export const META_APP_FIELDS = {
  /** Version of the Graph API; calls with an expired version are served by the oldest living one without notice. */
  graph_version: v.optional(
    v.pipe(v.string(), v.regex(/^v\d{2}\.0$/, 'Must be a version of the Graph API such as v26.0')),
    DEFAULT_VERSION,
  ),
};

/** A Facebook Login for Business configuration: it names the permissions, in place of `scope`. */
export const LOGIN_CONFIGURATION_FIELD = {
  config_id: v.exactOptional(v.pipe(v.string(), v.regex(/^\d+$/, 'Must be the id of a configuration'))),
};

export function graphVersion(app: AppCredentials | null): string {
  return app?.['graph_version'] ?? DEFAULT_VERSION;
}

/** Returns the app. Throws PlatformError `transient` where the operator has not set it. */
export function requireApp(app: AppCredentials | null, platform: string): AppCredentials {
  if (app) return app;
  throw new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: `The credentials of the ${platform} app are not set`,
  });
}

/** Proves that a call comes from the app's server: lower-case hex of HMAC-SHA256 over the token in use. */
export function appSecretProof(token: string, appSecret: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}
