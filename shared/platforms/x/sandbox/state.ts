import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost, StoredMedia } from '../../contract/sandbox.ts';

export interface XAccount {
  id: string;
  username: string;
  name: string;
  premium: boolean;
  suspended: boolean;
  /** Its timeline shows posts only when they are this old. */
  timeline_delay_ms?: number;
}

const AccountSchema = v.object({
  id: v.string(),
  username: v.string(),
  name: v.string(),
  premium: v.boolean(),
  suspended: v.boolean(),
  timeline_delay_ms: v.exactOptional(v.number()),
});

/** What an access or refresh token grants. */
export interface Grant {
  account: XAccount;
  scopes: readonly string[];
}

const TokenSchema = v.object({
  account_id: v.string(),
  scopes: v.array(v.string()),
  /** Epoch milliseconds; null for refresh tokens. */
  expires_at: v.nullable(v.number()),
});
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account: XAccount;
  scopes: readonly string[];
  redirectUri: string;
  challenge: string;
  expiresAt: number;
}

export interface XMedia {
  id: string;
  key: string;
  account: XAccount;
  category: string;
  type: string;
  totalBytes: number;
  segments: Map<number, Uint8Array>;
  expiresAt: number;
  altText: string | null;
  /** Set by finalize. */
  file: StoredMedia | null;
  /** Why processing fails; null if the file is valid. */
  invalid: string | null;
  finalizedAt: number;
}

const ShownTextSchema = v.object({
  text: v.string(),
  urls: v.array(
    v.object({
      start: v.number(),
      end: v.number(),
      url: v.string(),
      expanded_url: v.string(),
      display_url: v.string(),
      media_key: v.exactOptional(v.string()),
    }),
  ),
});
/** A text with t.co links, as X returns it. */
export type ShownText = v.InferOutput<typeof ShownTextSchema>;

const PostSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  created_at: v.number(),
  /** As it was sent. */
  text: v.string(),
  shown: ShownTextSchema,
  media_keys: v.array(v.string()),
  reply_settings: v.nullable(v.string()),
});
export type XPost = v.InferOutput<typeof PostSchema>;

export interface XState {
  host: SandboxHost;
  codes: Map<string, AuthorizationCode>;
  accounts: SandboxCollection<XAccount>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
  media: Map<string, XMedia>;
  posts: SandboxCollection<XPost>;
  /** Requests in the running window, by account and operation. */
  windows: Map<string, { count: number; resetAt: number }>;
}

export const APP = { client_id: 'sandbox-x-client', client_secret: 'sandbox-x-secret' };

export const DEMO: XAccount = {
  id: '2244994945',
  username: 'demo',
  name: 'Demo',
  premium: false,
  suspended: false,
};
/** A subscriber, for longer texts. `&as=demo_premium` on the authorize page selects it. */
export const PREMIUM: XAccount = {
  id: '2244994946',
  username: 'demo_premium',
  name: 'Demo Premium',
  premium: true,
  suspended: false,
};
const ACCOUNTS = [DEMO, PREMIUM];

export function openState(host: SandboxHost): XState {
  const state: XState = {
    host,
    codes: new Map(),
    accounts: host.collection('accounts', AccountSchema),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
    media: new Map(),
    posts: host.collection('posts', PostSchema),
    windows: new Map(),
  };
  if (state.accounts.values().length === 0) seedAccounts(state);
  return state;
}

export function seedAccounts({ accounts }: XState): void {
  accounts.clear();
  for (const account of ACCOUNTS) accounts.set(account.id, account);
}

export function findAccount({ accounts }: XState, idOrName: string): XAccount | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

export function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Epoch of X's identifiers, 4 Nov 2010. */
const EPOCH = 1288834974657n;
let sequence = 0n;

/** Returns an identifier that increases with time and exceeds the safe integers. */
export function snowflake(now: number): string {
  sequence = (sequence + 1n) % 4096n;
  return (((BigInt(Math.floor(now)) - EPOCH) << 22n) + sequence).toString();
}
