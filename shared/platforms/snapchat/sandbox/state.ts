import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost, StoredMedia } from '../../contract/sandbox.ts';

export const AccountSchema = v.object({
  /** Id of its public profile. */
  id: v.string(),
  organization_id: v.nullable(v.string()),
  username: v.string(),
  display_name: v.string(),
  /** False: the user has no public profile. */
  profile: v.boolean(),
  /** False: the app is not on Snap's allowlist; every call answers 403 with an empty body. */
  allowlisted: v.boolean(),
  /** A refresh returns a new refresh token, and the old one ends. */
  rotates: v.boolean(),
  /** Creating calls that are answered with MEDIA_PROCESSING. */
  processing_calls: v.number(),
  /** How these answers look: sources disagree. */
  processing_answer: v.picklist(['code', 'code_in_200', 'text']),
  media_answer: v.picklist(['flat', 'nested']),
  saved_answer: v.picklist(['nested', 'plain', 'top', 'none']),
  /** What a part or a FINALIZE that is repeated does. */
  repeated_part: v.picklist(['replace', 'refuse']),
  repeated_finalize: v.picklist(['accept', 'refuse']),
  /** Whether stories have an id in their answer. */
  story_ids: v.boolean(),
  /** Longest video in seconds. */
  max_seconds: v.number(),
  /** Whether posts can be listed. */
  lists: v.boolean(),
  /** Seconds until a new post is listed. */
  list_lag_s: v.number(),
  /** How moderation ends. */
  moderation: v.picklist(['LIVE', 'REJECTED']),
});
export type SnapchatAccount = v.InferOutput<typeof AccountSchema>;

const { id: _id, username: _username, ...changeable } = AccountSchema.entries;
/** What `POST /_control/accounts` may change. */
export const ChangeSchema = v.partial(v.strictObject(changeable));

const TokenSchema = v.object({ account_id: v.string(), scope: v.string(), expires_at: v.number() });
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account_id: string;
  scope: string;
  redirect_uri: string;
  expires_at: number;
}

/** A media object: what is known of it, and the ciphertext that arrived. */
export interface SnapchatMedia {
  id: string;
  profile_id: string;
  type: 'VIDEO' | 'IMAGE';
  key: Buffer;
  iv: Buffer;
  created_at: number;
  /** Ciphertext by part number. */
  parts: Map<number, Buffer>;
  finalized_at: number | null;
  /** The decrypted file; null before FINALIZE, and for ever where it could not be decrypted. */
  file: StoredMedia | null;
  broken: boolean;
  /** Creating calls so far that came while it was processed. */
  asked: number;
  /** When a post was last created from it. */
  posted_at: number | null;
}

const PostSchema = v.object({
  id: v.string(),
  profile_id: v.string(),
  kind: v.picklist(['stories', 'spotlights', 'saved_stories']),
  created_at: v.number(),
  /** Description of a Spotlight video, title of a saved story. */
  text: v.nullable(v.string()),
});
export type StoredPost = v.InferOutput<typeof PostSchema>;

export interface SnapchatState {
  host: SandboxHost;
  accounts: SandboxCollection<SnapchatAccount>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
  posts: SandboxCollection<StoredPost>;
  codes: Map<string, AuthorizationCode>;
  media: Map<string, SnapchatMedia>;
  /** Requests of an account in the current second. */
  rates: Map<string, { second: number; count: number }>;
}

export const APP = {
  client_id: 'c0ffee00-5eed-4000-8000-000000000001',
  client_secret: 'sandbox-snapchat-secret',
};
const ORGANIZATION = '8fdeefec-f502-4ca8-9a84-6411e0a51052';

const account = (
  id: string,
  username: string,
  display_name: string,
  organization_id: string | null,
): SnapchatAccount => ({
  id,
  organization_id,
  username,
  display_name,
  profile: true,
  allowlisted: true,
  rotates: false,
  processing_calls: 2,
  processing_answer: 'code',
  media_answer: 'flat',
  saved_answer: 'nested',
  repeated_part: 'replace',
  repeated_finalize: 'accept',
  story_ids: false,
  max_seconds: 60,
  lists: true,
  list_lag_s: 0,
  moderation: 'LIVE',
});

export const DEMO = account('2b2e5d52-1c2f-4f05-8d2c-3a1d4e9b7f11', 'demo', 'Demo Profile', ORGANIZATION);
/** Another profile of the same business: Demo may post to it. */
export const STUDIO = account(
  '2b2e5d52-1c2f-4f05-8d2c-3a1d4e9b7f12',
  'demo_studio',
  'Demo Studio',
  ORGANIZATION,
);
/** A profile of somebody else. `&as=demo_other` on the consent page selects it. */
export const OTHER = account('2b2e5d52-1c2f-4f05-8d2c-3a1d4e9b7f13', 'demo_other', 'Somebody Else', null);

export function openState(host: SandboxHost): SnapchatState {
  const state: SnapchatState = {
    host,
    accounts: host.collection('accounts', AccountSchema),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
    posts: host.collection('posts', PostSchema),
    codes: new Map(),
    media: new Map(),
    rates: new Map(),
  };
  if (state.accounts.values().length === 0) seedAccounts(state);
  return state;
}

export function seedAccounts({ accounts }: SnapchatState): void {
  accounts.clear();
  for (const each of [DEMO, STUDIO, OTHER]) accounts.set(each.id, each);
}

export function findAccount({ accounts }: SnapchatState, idOrName: string): SnapchatAccount | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

export const secret = (prefix: string) => prefix + randomBytes(40).toString('base64url');

/** Returns whether a user may act for a profile: its own, and those of its business. */
export function mayActFor(user: SnapchatAccount, profile: SnapchatAccount): boolean {
  const isColleague = user.organization_id !== null && user.organization_id === profile.organization_id;
  return profile.id === user.id || isColleague;
}
