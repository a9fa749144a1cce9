import { randomBytes } from 'node:crypto';
import type { SandboxHost, SandboxMedia } from '../../contract/sandbox.ts';

export interface XAccount {
  id: string;
  username: string;
  name: string;
  premium: boolean;
}

/** What an access or a refresh token stands for. */
export interface Grant {
  account: XAccount;
  scopes: readonly string[];
  /** Epoch milliseconds; refresh tokens name none. */
  expiresAt: number;
}

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
  file: (SandboxMedia & { sha256: string; size: number }) | null;
  finalizedAt: number;
}

export interface XPost {
  id: string;
  account: XAccount;
  createdAt: number;
  /** As it was sent; what X shows is derived from it. */
  text: string;
  shown: ShownText;
  media: readonly XMedia[];
  replySettings: string | null;
}

export interface ShownText {
  text: string;
  urls: {
    start: number;
    end: number;
    url: string;
    expanded_url: string;
    display_url: string;
    media_key?: string;
  }[];
}

export interface XState {
  host: SandboxHost;
  codes: Map<string, AuthorizationCode>;
  access: Map<string, Grant>;
  refresh: Map<string, Grant>;
  media: Map<string, XMedia>;
  posts: XPost[];
  /** Requests in the running window, by account and operation. */
  windows: Map<string, { count: number; resetAt: number }>;
}

export const APP = { client_id: 'sandbox-x-client', client_secret: 'sandbox-x-secret' };

export const DEMO: XAccount = { id: '2244994945', username: 'demo', name: 'Demo', premium: false };
/** A subscriber: longer texts, longer videos. `&as=demo_premium` on the authorize page connects it. */
export const PREMIUM: XAccount = {
  id: '2244994946',
  username: 'demo_premium',
  name: 'Demo Premium',
  premium: true,
};
export const ACCOUNTS = [DEMO, PREMIUM];

export function newState(host: SandboxHost): XState {
  return {
    host,
    codes: new Map(),
    access: new Map(),
    refresh: new Map(),
    media: new Map(),
    posts: [],
    windows: new Map(),
  };
}

export function secret(): string {
  return randomBytes(32).toString('base64url');
}

/** Start of X's identifiers, 4 Nov 2010. */
const EPOCH = 1288834974657n;
let sequence = 0n;

/** Identifiers grow with time and have more digits than a number keeps. */
export function snowflake(now: number): string {
  sequence = (sequence + 1n) % 4096n;
  return (((BigInt(Math.floor(now)) - EPOCH) << 22n) + sequence).toString();
}
