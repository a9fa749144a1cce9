import { randomBytes, randomInt } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost, StoredMedia } from '../../contract/sandbox.ts';

/** Production and Pinterest's own sandbox share nothing: a token of one is refused by the other. */
export type World = 'production' | 'sandbox';

const AccountSchema = v.object({
  id: v.string(),
  username: v.string(),
  business_name: v.nullable(v.string()),
  /** Number of its boards. */
  boards: v.number(),
  /** The app has trial access: no Pins in production. */
  trial: v.boolean(),
  /** Status of a missing scope and of an unreachable URL: sources disagree. */
  scope_status: v.picklist([401, 403]),
  unreachable_status: v.picklist([400, 403]),
  /** A refresh token ends when it is used. */
  rotates: v.boolean(),
  /** Seconds until a new Pin is listed. */
  list_lag_s: v.number(),
  /** Smallest side of an image; the true number is not published. */
  min_side: v.number(),
  /** Seconds until the rate limits reset, as headers of every response tell; null: no such headers. */
  rate_limit_reset_s: v.nullable(v.number()),
});
export type PinterestAccount = v.InferOutput<typeof AccountSchema>;

/** What `POST /_control/accounts` may change. */
export const ChangeSchema = v.strictObject({
  boards: v.exactOptional(v.number()),
  trial: v.exactOptional(v.boolean()),
  scope_status: v.exactOptional(AccountSchema.entries.scope_status),
  unreachable_status: v.exactOptional(AccountSchema.entries.unreachable_status),
  rotates: v.exactOptional(v.boolean()),
  list_lag_s: v.exactOptional(v.number()),
  min_side: v.exactOptional(v.number()),
  rate_limit_reset_s: v.exactOptional(AccountSchema.entries.rate_limit_reset_s),
});

const TokenSchema = v.object({
  account_id: v.string(),
  scopes: v.array(v.string()),
  world: v.picklist(['production', 'sandbox']),
  expires_at: v.number(),
});
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account_id: string;
  scopes: string[];
  redirect_uri: string;
  expires_at: number;
}

/** A registered video. */
export interface PinterestUpload {
  id: string;
  account_id: string;
  parameters: Record<string, string>;
  /** When the policy of the form ends. */
  expires_at: number;
  file: StoredMedia | null;
  uploaded_at: number;
}

const PinSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  world: v.picklist(['production', 'sandbox']),
  board_id: v.string(),
  created_at: v.number(),
  title: v.nullable(v.string()),
  description: v.nullable(v.string()),
  link: v.nullable(v.string()),
  alt_text: v.nullable(v.string()),
  section_id: v.nullable(v.string()),
  creative_type: v.picklist(['REGULAR', 'CAROUSEL', 'VIDEO']),
});
export type StoredPin = v.InferOutput<typeof PinSchema>;

export interface PinterestState {
  host: SandboxHost;
  accounts: SandboxCollection<PinterestAccount>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
  pins: SandboxCollection<StoredPin>;
  codes: Map<string, AuthorizationCode>;
  uploads: Map<string, PinterestUpload>;
}

export const APP = { client_id: '1484000', client_secret: 'sandbox-pinterest-secret' };

const account = (id: string, username: string, boards: number): PinterestAccount => ({
  id,
  username,
  business_name: username === 'demo' ? 'Demo' : null,
  boards,
  trial: false,
  scope_status: 401,
  unreachable_status: 400,
  rotates: false,
  list_lag_s: 0,
  min_side: 100,
  rate_limit_reset_s: null,
});

export const DEMO = account('2783136121146311751', 'demo', 3);
/** More boards than one page has. `&as=demo_many` on the consent page selects it. */
const MANY = account('2783136121146311752', 'demo_many', 260);

export function openState(host: SandboxHost): PinterestState {
  const state: PinterestState = {
    host,
    accounts: host.collection('accounts', AccountSchema),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
    pins: host.collection('pins', PinSchema),
    codes: new Map(),
    uploads: new Map(),
  };
  if (state.accounts.values().length === 0) seedAccounts(state);
  return state;
}

export function seedAccounts({ accounts }: PinterestState): void {
  accounts.clear();
  for (const each of [DEMO, MANY]) accounts.set(each.id, each);
}

export function findAccount({ accounts }: PinterestState, idOrName: string): PinterestAccount | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

export const secret = (prefix: string) => prefix + randomBytes(40).toString('base64url');

/** Returns an id of 18 digits, which exceeds the safe integers. */
export const newId = () => `8137${String(randomInt(10 ** 14)).padStart(14, '0')}`;

export interface SandboxBoard {
  id: string;
  name: string;
  owner: string;
  privacy: 'PUBLIC' | 'SECRET';
  is_ads_only: boolean;
  sections: { id: string; name: string }[];
}

/** The boards of an account, newest first: the first has sections, the last belongs to somebody else. */
export function boardsOf({ id, username, boards }: PinterestAccount): SandboxBoard[] {
  const own = Array.from({ length: boards }, (_, index): SandboxBoard => {
    const boardId = `${id.slice(-3)}9755885${String(index + 1).padStart(5, '0')}`;
    const isShared = index === boards - 1;
    return {
      id: boardId,
      name: index === 0 ? 'Summer recipes' : `Board ${index + 1}`,
      owner: isShared ? 'jdoe' : username,
      privacy: 'PUBLIC',
      is_ads_only: false,
      sections: index === 0 ? [{ id: `${boardId}1`, name: 'Salads' }] : [],
    };
  });
  const ads = { id: `${id.slice(-3)}97558859999`, name: 'Ads', owner: username, sections: [] };
  return [...own, { ...ads, privacy: 'PUBLIC', is_ads_only: true }];
}
