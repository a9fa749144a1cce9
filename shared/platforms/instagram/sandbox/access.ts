import type { Context } from 'hono';
import { guarded, type Caller } from '../../families/meta/sandbox/access.ts';
import { graphError, unknownObject } from '../../families/meta/sandbox/responses.ts';
import type { Account, InstagramState, Modes } from './state.ts';

export const HOSTS = ['graph.instagram.com', 'graph.facebook.com'] as const;
export type GraphHost = (typeof HOSTS)[number];

type Permission = 'basic' | 'content_publish' | 'manage_comments' | 'manage_insights' | 'manage_contents';

/** Who calls, and the accounts that are visible to the token. */
export interface InstagramCaller {
  host: GraphHost;
  kind: 'instagram' | 'page' | 'user';
  accounts: readonly Account[];
}

type Handler = (c: Context, caller: InstagramCaller) => Response | Promise<Response>;

/** Wraps a handler with checks of token and permissions. Tokens of the other host are unknown to this one. */
export function allowed(state: InstagramState, host: GraphHost, permission: Permission, handler: Handler) {
  const meta = host === 'graph.instagram.com' ? state.instagram : state.facebook;
  return guarded(meta, {}, (c, caller) => {
    const needed = `instagram_${host === 'graph.instagram.com' ? 'business_' : ''}${permission}`;
    if (!caller.scopes.includes(needed)) return denied();
    const accounts = accountsOf(state, host, caller);
    if (accounts.some(({ account_type, modes }) => account_type === 'PERSONAL' || modes.personal === true)) {
      return graphError({ code: 100, message: '(#100) The user is not an Instagram Business' });
    }
    const kind = host === 'graph.instagram.com' ? 'instagram' : caller.kind;
    return handler(c, { host, kind, accounts });
  });
}

const denied = () =>
  graphError({
    status: 403,
    code: 10,
    message: '(#10) Application does not have permission for this action',
  });

function accountsOf(state: InstagramState, host: GraphHost, caller: Caller): Account[] {
  const find = (id: string | undefined) => state.accounts.get(id ?? '') ?? [];
  if (host === 'graph.instagram.com') return [find(caller.user_id)].flat();
  const { pages, users } = state.facebook;
  const ids =
    caller.page_id === null ? Object.keys(users.get(caller.user_id)?.roles ?? {}) : [caller.page_id];
  return ids.flatMap(id => find(pages.get(id)?.instagram?.id));
}

/** Returns the account of a path. Ends the request with 100/33 for one that the token does not see. */
export function pathAccount(c: Context, { host, accounts }: InstagramCaller): Account {
  const id = c.req.param('id') ?? '';
  const isKnown = ({ id: own, app_scoped_id, modes }: Account) => {
    if (host === 'graph.facebook.com') return id === own;
    if (modes.known_by === 'me') return id === 'me';
    return [own, app_scoped_id, 'me'].includes(id);
  };
  return accounts.find(isKnown) ?? unknownObject(id, c.req.method);
}

/** Returns the account that owns an object. Ends the request with 100/33 where the token does not see it. */
export function ownerOf(
  c: Context,
  { accounts, kind }: InstagramCaller,
  accountId: string | undefined,
): Account {
  const account = accounts.find(({ id }) => id === accountId);
  if (!account || hides(account.modes, kind)) return unknownObject(c.req.param('id') ?? '', c.req.method);
  return account;
}

const hides = ({ hides_from = [] }: Modes, kind: InstagramCaller['kind']) => hides_from.includes(kind);
