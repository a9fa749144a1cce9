import * as v from 'valibot';
import type { HttpRequest } from '../../../net/http.ts';
import { DAY, SECOND } from '../../../time/instant.ts';
import type { ConnectContext } from '../../contract/connector.ts';
import { PlatformError } from '../../contract/error.ts';
import { sendRequest } from '../../kit/wire.ts';
import type { ErrorRow } from './error-row.ts';
import { parseGraphResponse } from './graph.ts';

const TIMEOUT_MS = 20 * SECOND;
/** Life of a long-lived token where the response does not say. */
const LONG_LIVED_MS = 60 * DAY;

/** Errors of the token endpoints, in both of their formats. */
const TOKEN_ERRORS: readonly ErrorRow[] = [
  {
    code: [100, 400],
    message: /code|redirect_uri/i,
    kind: 'rejected',
    failure: 'CONTENT_REJECTED',
    advice: 'Start the connection again: a code can be used once, for a short time.',
  },
  {
    code: [1, 101],
    message: /client secret|application/i,
    kind: 'transient',
    failure: 'INTERNAL',
    advice: 'The operator must check the id and the secret of the app.',
  },
];

export interface TokenRequest extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  /** Names the request in error messages. */
  what: string;
  /** The platform as users know it. */
  platform: string;
  /** Without a query. */
  url: string;
  query?: Readonly<Record<string, string>>;
}

/** What the token endpoints answer. */
export const TokenSchema = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  /** Seconds; may be missing. */
  expires_in: v.optional(v.number()),
});
export type IssuedToken = v.InferOutput<typeof TokenSchema>;

/** Calls a token endpoint. Throws GraphFailure: `token_expired` for a token that cannot be exchanged any more. */
export async function requestToken<T>(
  { http }: Pick<ConnectContext, 'http'>,
  { what, platform, url, query = {}, ...request }: TokenRequest,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const search = new URLSearchParams(query).toString();
  const response = await sendRequest(
    http,
    { ...request, url: search === '' ? url : `${url}?${search}`, timeoutMs: TIMEOUT_MS },
    what,
  );
  return parseGraphResponse(
    response,
    { what, purpose: 'read', token: '' },
    { platform, errors: TOKEN_ERRORS },
    schema,
  );
}

/** When a long-lived token expires, epoch milliseconds. */
export function longLivedUntil({ expires_in }: IssuedToken, now: number): number {
  return now + (expires_in === undefined ? LONG_LIVED_MS : expires_in * SECOND);
}

/** Rethrows as final: a failed exchange cannot be retried, because an authorization code can be used once. */
export function rejectForGood(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { code, message, outcomeUnknown } = error;
  throw new PlatformError({ kind: 'rejected', code, message, outcomeUnknown });
}
