import type { Context } from 'hono';
import { MINUTE } from '../../../time/instant.ts';
import { bearerOf, type GoogleTokens } from '../../families/google/sandbox/tokens.ts';
import {
  insufficientScopes,
  notFound,
  permissionDenied,
  quotaExceeded,
  serviceDisabled,
  unauthenticated,
} from './errors.ts';
import { findUser, switchesOf, type GbpState } from './state.ts';
import { NEW_OWNER, type BusinessLocation, type User } from './users.ts';

export const POSTS_HOST = 'mybusiness.googleapis.com';
export const ACCOUNTS_HOST = 'mybusinessaccountmanagement.googleapis.com';
export const LOCATIONS_HOST = 'mybusinessbusinessinformation.googleapis.com';
export const STANDING_HOST = 'mybusinessverifications.googleapis.com';
export const PERFORMANCE_HOST = 'businessprofileperformance.googleapis.com';

export const SCOPE = 'https://www.googleapis.com/auth/business.manage';

const PER_MINUTE = 300;
const EDITS_PER_MINUTE = 10;

export interface Guard {
  state: GbpState;
  tokens: GoogleTokens;
}

/** Returns the user of the token. Ends the request when the token, its scope or the quota of the API is missing. */
export function authorize(c: Context, { state, tokens }: Guard, service: string): User {
  const token = bearerOf(tokens, c.req.header('authorization'));
  const user = token && findUser(token.account_id);
  if (!user) return unauthenticated();
  if (!token.scopes.includes(SCOPE)) insufficientScopes(service);
  announcedLimit(state, user, service);
  count(state, service, PER_MINUTE, () => quotaExceeded(service, 'minute'));
  return user;
}

/** `POST /_control/limits {"quota": "zero" | "minute" | "day" | "disabled"}`. */
function announcedLimit({ host }: GbpState, { id, name }: User, service: string): void {
  const quota = (host.limit('gbp', id) ?? host.limit('gbp', name))?.['quota'];
  if (quota === 'disabled') serviceDisabled(service);
  if (quota === 'zero' || quota === 'minute' || quota === 'day') quotaExceeded(service, quota);
}

function count({ counts, host }: GbpState, what: string, limit: number, refusal: () => never): void {
  const key = `${what}#${Math.floor(host.now() / MINUTE)}`;
  const used = counts.get(key) ?? 0;
  if (used >= limit) refusal();
  counts.set(key, used + 1);
}

/** Counts a change of a location. */
export function countEdit(state: GbpState, { id }: BusinessLocation): void {
  count(state, id, EDITS_PER_MINUTE, () => quotaExceeded(POSTS_HOST, 'location'));
}

/** Ids of the accounts that list a location now. */
export const accountsOf = (state: GbpState, user: User, { accounts }: BusinessLocation): readonly string[] =>
  switchesOf(state, user).moved ? [NEW_OWNER] : accounts;

/** Returns the location of a path. Ends the request unless the account lists it and the user has a role on it. */
export function requireLocation(c: Context, { state }: Guard, user: User): BusinessLocation {
  const { a: account = '', l: id = '' } = c.req.param() as Record<string, string>;
  const location = user.locations.find(each => each.id === id);
  if (!location || !accountsOf(state, user, location).includes(account)) return notFound();
  if (switchesOf(state, user).denied) permissionDenied();
  return location;
}

/** Whether an item is of the location of a path: its name keeps the account that it was created under. */
export const isOfLocation = (c: Context, name: string, kind: 'localPosts' | 'media'): boolean =>
  name.includes(`/locations/${c.req.param('l') ?? ''}/${kind}/`);

/** Returns a page of a list; `pageSize` is capped, as Google does. */
export function pageOf<T>(
  c: Context,
  items: readonly T[],
  sizes: { default: number; max: number },
): { items: T[]; nextPageToken?: string } {
  const size = Math.min(Number(c.req.query('pageSize') ?? sizes.default) || sizes.default, sizes.max);
  const start = Number(Buffer.from(c.req.query('pageToken') ?? '', 'base64url').toString() || 0);
  const end = start + size;
  const next = Buffer.from(String(end)).toString('base64url');
  return { items: items.slice(start, end), ...(end < items.length ? { nextPageToken: next } : {}) };
}
