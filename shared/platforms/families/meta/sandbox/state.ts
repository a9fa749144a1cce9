import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { PlatformId } from '../../../../model/platform.ts';
import type { AppCredentials } from '../../../contract/connector.ts';
import type { SandboxCollection, SandboxHost } from '../../../contract/sandbox.ts';

const InstagramSchema = v.object({ id: v.string(), username: v.string(), name: v.string() });

const PageSchema = v.object({
  id: v.string(),
  name: v.string(),
  username: v.nullable(v.string()),
  /** The professional account that is linked to the Page. */
  instagram: v.nullable(InstagramSchema),
});
export type MetaPage = v.InferOutput<typeof PageSchema>;

const UserSchema = v.object({
  id: v.string(),
  /** Selects the user on the login dialog: `&as=demo`. */
  login: v.string(),
  name: v.string(),
  /** What the user may do on a Page, by its id. */
  roles: v.record(v.string(), v.array(v.string())),
  /** Pages that only `/me/businesses` leads to. */
  business_pages: v.array(v.string()),
});
export type MetaUser = v.InferOutput<typeof UserSchema>;

const TokenSchema = v.object({
  kind: v.picklist(['user', 'page']),
  user_id: v.string(),
  /** The Page of a Page token. */
  page_id: v.nullable(v.string()),
  scopes: v.array(v.string()),
  issued_at: v.number(),
  /** Epoch milliseconds; null for never. */
  expires_at: v.nullable(v.number()),
  long_lived: v.boolean(),
  /** Subcode of the error 190 that the token is answered with; null while it is valid. */
  error_subcode: v.nullable(v.number()),
});
export type MetaToken = v.InferOutput<typeof TokenSchema>;

export interface LoginCode {
  user_id: string;
  scopes: string[];
  redirect_uri: string;
  expires_at: number;
  used: boolean;
}

/** State that the fake servers of Meta's platforms share: who exists, and which tokens are valid. */
export interface MetaState {
  host: SandboxHost;
  platform: PlatformId;
  app: AppCredentials;
  /** Permissions that the app may ask for. */
  scopes: readonly string[];
  users: SandboxCollection<MetaUser>;
  pages: SandboxCollection<MetaPage>;
  tokens: SandboxCollection<MetaToken>;
  codes: Map<string, LoginCode>;
  /** How uncertain behaviour is played, set by `POST /_control/accounts` for the account `app`. */
  modes: SandboxCollection<boolean | number | string>;
}

const DEMO_PAGE = '102938475610293';
const SECOND_PAGE = '61550000000000002';
const BUSINESS_PAGE = '61550000000000003';

export const PAGES: readonly MetaPage[] = [
  {
    id: DEMO_PAGE,
    name: 'Demo Page',
    username: 'demopage',
    instagram: { id: '17841400000000001', username: 'demo', name: 'Demo' },
  },
  {
    id: SECOND_PAGE,
    name: 'Second Page',
    username: null,
    instagram: { id: '17841400000000002', username: 'demo_second', name: 'Demo Second' },
  },
  { id: BUSINESS_PAGE, name: 'Business Page', username: null, instagram: null },
];
const ALL_TASKS = ['ANALYZE', 'ADVERTISE', 'MESSAGING', 'MODERATE', 'CREATE_CONTENT', 'MANAGE'];

/** A user with one Page, one with several, one without, and one whose Page belongs to a business. */
export const USERS: readonly MetaUser[] = [
  {
    id: '122100000000000001',
    login: 'demo',
    name: 'Demo User',
    roles: { [DEMO_PAGE]: ALL_TASKS },
    business_pages: [],
  },
  {
    id: '122100000000000002',
    login: 'demo_pages',
    name: 'Demo Of Several Pages',
    roles: { [DEMO_PAGE]: ALL_TASKS, [SECOND_PAGE]: ['ANALYZE'], [BUSINESS_PAGE]: ALL_TASKS },
    business_pages: [],
  },
  { id: '122100000000000003', login: 'demo_none', name: 'Demo Without Page', roles: {}, business_pages: [] },
  {
    id: '122100000000000004',
    login: 'demo_business',
    name: 'Demo Of A Business',
    roles: { [BUSINESS_PAGE]: ALL_TASKS },
    business_pages: [BUSINESS_PAGE],
  },
];

export function openMetaState(
  host: SandboxHost,
  definition: Pick<MetaState, 'platform' | 'app' | 'scopes'>,
): MetaState {
  const state: MetaState = {
    ...definition,
    host,
    users: host.collection('users', UserSchema),
    pages: host.collection('pages', PageSchema),
    tokens: host.collection('tokens', TokenSchema),
    codes: new Map(),
    modes: host.collection('modes', v.union([v.boolean(), v.number(), v.string()])),
  };
  if (state.users.values().length === 0) resetMetaState(state);
  return state;
}

/** Restores the test accounts. Tokens stay valid, as in a reset of the posts only. */
export function resetMetaState(state: MetaState): void {
  state.users.clear();
  state.pages.clear();
  state.modes.clear();
  state.codes.clear();
  for (const user of USERS) state.users.set(user.id, user);
  for (const page of PAGES) state.pages.set(page.id, page);
}

export function findUser({ users }: MetaState, idOrLogin: string): MetaUser | undefined {
  return users.get(idOrLogin) ?? users.values().find(({ login }) => login === idOrLogin);
}

/** Returns a random token with the prefix of its kind (`EAA`, `IGAA`, `THAA`). */
export const randomToken = (prefix: string) => `${prefix}${randomBytes(48).toString('base64url')}`;

let sequence = 0;

/** Returns an id that increases with time and exceeds the safe integers. */
export function newGraphId(now: number): string {
  sequence = (sequence + 1) % 1000;
  return `1220${String(Math.floor(now))}${String(sequence).padStart(3, '0')}`;
}

/** Ends the tokens of a user, and of the Pages by that user; of all users if it is null. */
export function endTokens(
  state: MetaState,
  action: 'expire' | 'revoke' | 'revoke_refresh',
  account: string | null,
): void {
  const owner = account === null ? null : (findUser(state, account)?.id ?? account);
  for (const [token, stored] of state.tokens.entries()) {
    const concerns = owner === null || stored.user_id === owner || stored.page_id === owner;
    if (concerns) state.tokens.set(token, { ...stored, error_subcode: action === 'expire' ? 463 : 458 });
  }
}

const ChangeSchema = v.strictObject({
  roles: v.exactOptional(v.record(v.string(), v.array(v.string()))),
  business_pages: v.exactOptional(v.array(v.string())),
  /** Withdraws permissions of all tokens. */
  without: v.exactOptional(v.array(v.string())),
  /** Subcode of the error 190 that all tokens are answered with. */
  error_subcode: v.exactOptional(v.nullable(v.number())),
});

/** Changes a user, or the modes of the account `app`. Returns false for an unknown user. */
export function changeMetaAccount(state: MetaState, account: string, change: object): boolean {
  if (account === 'app') {
    const modes = v.parse(v.record(v.string(), v.union([v.boolean(), v.number(), v.string()])), change);
    for (const [name, value] of Object.entries(modes)) state.modes.set(name, value);
    return true;
  }
  const user = findUser(state, account);
  if (!user) return false;
  const { without = [], error_subcode, ...more } = v.parse(ChangeSchema, change);
  state.users.set(user.id, { ...user, ...more });
  for (const [token, stored] of state.tokens.entries()) {
    if (stored.user_id !== user.id) continue;
    const scopes = stored.scopes.filter(scope => !without.includes(scope));
    state.tokens.set(token, {
      ...stored,
      scopes,
      ...(error_subcode === undefined ? {} : { error_subcode }),
    });
  }
  return true;
}
