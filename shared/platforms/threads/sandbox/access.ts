import type { Context } from 'hono';
import { paramsOf } from '../../families/meta/sandbox/params.ts';
import { graphError } from '../../families/meta/sandbox/responses.ts';
import { permissionMissing } from './responses.ts';
import type { StoredToken, ThreadsAccount, ThreadsState } from './state.ts';

/** Parameters of the query and the body. */
export type Params = Readonly<Record<string, string>>;

/** What a token grants. */
export interface Grant {
  account: ThreadsAccount;
  token: string;
  stored: StoredToken;
}

/** Parameters that Threads reads from a JSON body; it ignores the others silently. */
const READ_FROM_JSON = ['access_token', 'media_type', 'text', 'image_url', 'video_url', 'creation_id'];

/** Reads the parameters of the query and of the body. */
export async function readParams(c: Context, { accounts }: ThreadsState): Promise<Params> {
  const params = await paramsOf(c);
  const isJson = (c.req.header('content-type') ?? '').startsWith('application/json');
  if (!isJson || accounts.values().some(({ reads_json }) => reads_json)) return params;
  const read = Object.entries(params).filter(([name]) => READ_FROM_JSON.includes(name));
  return { ...Object.fromEntries(read), ...c.req.query() };
}

/** Returns what the token of a request grants. Ends the request when it is missing, unusable or lacks a scope. */
export function authorize(c: Context, state: ThreadsState, params: Params, scopes: readonly string[]): Grant {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? params['access_token'];
  if (token === undefined || token === '') return noToken(c);
  const stored = livingToken(state, token);
  const account = state.accounts.get(stored.account_id);
  if (!account) return badToken('Failed to decode');
  if (scopes.some(scope => !stored.scopes.includes(scope))) return permissionMissing();
  return { account, token, stored };
}

/** Ends the request unless the token is valid. */
export function livingToken({ tokens, host }: ThreadsState, token: string): StoredToken {
  const stored = tokens.get(token);
  if (!stored) return badToken('Failed to decode');
  if (stored.revoked) {
    return badToken('Error validating access token: The user has not authorized the application.', 467);
  }
  if (stored.expires_at <= host.now()) {
    return badToken('Error validating access token: Session has expired.', 463);
  }
  return stored;
}

const badToken = (message: string, subcode?: number) =>
  graphError({ code: 190, message, ...(subcode === undefined ? {} : { subcode }) });

function noToken(c: Context): never {
  if (!/\/me\b/.test(c.req.path)) return graphError({ code: 104, message: 'An access token is required' });
  return graphError({
    code: 2500,
    message: 'An active access token must be used to query information about the current user.',
  });
}
