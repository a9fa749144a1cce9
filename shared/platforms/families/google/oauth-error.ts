import * as v from 'valibot';
import { parseJson } from '../../../model/json.ts';
import type { HttpResponse } from '../../../net/http.ts';
import { retryAfterMs } from '../../kit/retry-after.ts';
import { PlatformError } from '../../contract/error.ts';

/** The flat error body of Google's OAuth endpoints. */
const OAuthErrorSchema = v.object({
  error: v.optional(v.string(), ''),
  error_description: v.optional(v.string(), ''),
  error_subtype: v.optional(v.string(), ''),
});
type OAuthError = v.InferOutput<typeof OAuthErrorSchema>;

/** Errors that concern the registration of the app. They must not disconnect accounts. */
const APP_ERRORS: Readonly<Record<string, string>> = {
  invalid_client:
    'Google does not accept the client id and secret of the app: check them in the Cloud console',
  deleted_client: 'The OAuth client of the app was deleted in the Cloud console: create a new one',
  unauthorized_client:
    'The OAuth client may not use this kind of grant: it must be of the type Web application',
  redirect_uri_mismatch:
    'The redirect URL is not registered for the OAuth client: add it to its authorized redirect URIs',
};

/** Errors that end a grant. */
const DEAD_GRANT = ['invalid_grant', 'admin_policy_enforced'];

/** Returns what is wrong with the registration of the app; null for other errors. */
export const appProblem = ({ error }: OAuthError): string | null => APP_ERRORS[error] ?? null;

/** Reads an error response of an OAuth endpoint; all fields are empty where the body is a proxy's page. */
export function readOAuthError(response: HttpResponse): OAuthError {
  const parsed = v.safeParse(OAuthErrorSchema, parseJson(response.body.toString('utf8')));
  return parsed.success ? parsed.output : v.parse(OAuthErrorSchema, {});
}

/**
 * Classifies an error response of the token endpoint: `token_expired` for a grant that has ended, otherwise transient.
 * Errors of the app's registration have the code INTERNAL.
 */
export function toOAuthError(response: HttpResponse): PlatformError {
  const { error, error_description, error_subtype } = readOAuthError(response);
  const words = error_description || error || `status ${response.status}`;
  if (response.status >= 500 || response.status === 429) {
    return new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: `Google's token endpoint failed: ${words}`,
      retryAfterMs: retryAfterMs(response),
      outcomeUnknown: true,
    });
  }
  if (DEAD_GRANT.includes(error)) {
    return new PlatformError({
      kind: 'token_expired',
      code: 'TOKEN_EXPIRED',
      message: `Google ended the grant: ${reasonOf(error, error_subtype)}${words}`,
    });
  }
  return new PlatformError({
    kind: 'transient',
    code: 'INTERNAL',
    message: APP_ERRORS[error] ?? `Google refused the token request: ${words}`,
  });
}

function reasonOf(error: string, subtype: string): string {
  if (error === 'admin_policy_enforced') return 'an administrator of the organization blocked the app. ';
  return subtype === 'invalid_rapt' ? 'the organization requires signing in again. ' : '';
}
