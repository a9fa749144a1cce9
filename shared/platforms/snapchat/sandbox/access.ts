import type { Context } from 'hono';
import { SECOND } from '../../../time/instant.ts';
import { bare, denied, notFound } from './answers.ts';
import { mayActFor, type SnapchatAccount, type SnapchatState } from './state.ts';

/** Ends the request unless its token is valid and its app is on the allowlist. Returns the user. */
export function authorize(c: Context, state: SnapchatState): SnapchatAccount {
  const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  const stored = state.access.get(token);
  const user = stored && state.accounts.get(stored.account_id);
  if (!user || stored.expires_at <= state.host.now()) {
    const words = 'Bearer error="invalid_token", error_description="The access token expired"';
    return bare(401, { 'www-authenticate': words });
  }
  if (!user.allowlisted || !stored.scope.split(' ').includes('snapchat-profile-api')) return bare(403);
  countRequest(state, token, user);
  return user;
}

/** `POST /_control/limits {requests_per_second: 10}` switches Snapchat's limit on: tests use a clock that stands still. */
function countRequest({ host, rates }: SnapchatState, token: string, { id }: SnapchatAccount): void {
  const most = host.limit('snapchat', id)?.['requests_per_second'];
  if (typeof most !== 'number') return;
  const second = Math.floor(host.now() / SECOND);
  const current = rates.get(token);
  const count = current?.second === second ? current.count + 1 : 1;
  rates.set(token, { second, count });
  if (count > most) bare(429);
}

/** Ends the request unless the user may act for the profile of the path. */
export function authorizeProfile(c: Context, state: SnapchatState): SnapchatAccount {
  const user = authorize(c, state);
  const profile = state.accounts.get(c.req.param('profile') ?? '');
  if (profile?.profile !== true) return notFound('Public profile');
  return mayActFor(user, profile) ? profile : denied();
}
