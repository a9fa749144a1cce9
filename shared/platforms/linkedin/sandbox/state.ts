import { createHash, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost, SandboxUpload, StoredMedia } from '../../contract/sandbox.ts';
import { MB } from '../../kit/sizes.ts';

const MemberSchema = v.object({
  /** `sub` of `/v2/userinfo` and `id` of `/v2/me`. */
  id: v.string(),
  first: v.string(),
  last: v.string(),
  vanity: v.string(),
  /** Role by organization id. */
  roles: v.record(v.string(), v.string()),
});
export type Member = v.InferOutput<typeof MemberSchema>;

export interface Organization {
  id: string;
  name: string;
  vanity: string;
  /** Its details cannot be read, although the member has a role. */
  hidden?: true;
}

/** A registered app. Its products decide the scopes that it may ask for. */
export interface App {
  client_id: string;
  client_secret: string;
  kind: 'self_serve' | 'community';
  scopes: readonly string[];
}

const TokenSchema = v.object({
  member_id: v.string(),
  client_id: v.string(),
  scopes: v.array(v.string()),
  /** Epoch milliseconds. */
  expires_at: v.number(),
  state: v.picklist(['valid', 'expired', 'revoked']),
});
export type StoredToken = v.InferOutput<typeof TokenSchema>;

/** What an access token grants. */
export interface Grant {
  token: string;
  member: Member;
  app: App;
  scopes: readonly string[];
}

export interface AuthorizationCode {
  member: Member;
  app: App;
  scopes: readonly string[];
  redirectUri: string;
  expiresAt: number;
}

/** An image, document or video. */
export interface Asset {
  urn: string;
  kind: 'image' | 'document' | 'video';
  owner: string;
  /** Names the upload URLs. */
  key: string;
  size: number | null;
  /** ETags of the parts of a video that arrived, by index. */
  etags: Map<number, string>;
  /** Of a video whose first part has arrived. */
  upload: SandboxUpload | null;
  urlsExpireAt: number;
  /** Set when everything was uploaded. */
  file: StoredMedia | null;
  /** Why processing fails; null if the file is valid. */
  invalid: string | null;
  uploadedAt: number;
  /** How often the state was read. */
  reads: number;
}

const PostSchema = v.object({
  urn: v.string(),
  author: v.string(),
  /** As it was sent, in LinkedIn's markup. */
  commentary: v.string(),
  /** As readers see it. */
  text: v.string(),
  visibility: v.string(),
  content: v.nullable(v.record(v.string(), v.any())),
  reshare_disabled: v.boolean(),
  created_at: v.number(),
});
export type Post = v.InferOutput<typeof PostSchema>;

/** What differs between apps and times, or is not documented; `POST /_control/accounts` with the account `app` changes it. */
export const SettingsSchema = v.object({
  /** Whether community apps get refresh tokens. */
  refresh_tokens: v.boolean(),
  /** Scopes that allow comments: the new ones only, or the former ones too. */
  comment_scopes: v.picklist(['feed', 'social']),
  /** What an unescaped reserved character does. */
  unescaped: v.picklist(['cut', 'refuse']),
  /** Gives text posts `ugcPost` URNs and videos `share` URNs. */
  swapped_urns: v.boolean(),
  duplicate_window_s: v.number(),
  max_video_bytes: v.number(),
  /** How long a new post cannot be commented on. */
  comment_delay_s: v.number(),
  /** How many reads of a video's state are refused at first. */
  refused_reads: v.number(),
  /** Active versions. */
  first_version: v.string(),
  last_version: v.string(),
  /** Life of upload URLs. */
  upload_url_s: v.number(),
});
export type Settings = v.InferOutput<typeof SettingsSchema>;

const DAY_S = 86_400;
const SETTINGS: Settings = {
  refresh_tokens: true,
  comment_scopes: 'feed',
  unescaped: 'cut',
  swapped_urns: false,
  duplicate_window_s: DAY_S,
  max_video_bytes: 500 * MB,
  comment_delay_s: 0,
  refused_reads: 0,
  first_version: '202512',
  last_version: '202611',
  upload_url_s: 30 * DAY_S,
};

export interface LinkedInState {
  host: SandboxHost;
  codes: Map<string, AuthorizationCode>;
  members: SandboxCollection<Member>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
  posts: SandboxCollection<Post>;
  assets: Map<string, Asset>;
  settings: SandboxCollection<Settings>;
}

const MEMBER_SCOPES = ['openid', 'profile', 'email', 'w_member_social'];
const COMMUNITY_SCOPES = [
  'r_basicprofile',
  'w_member_social',
  'w_organization_social',
  'r_organization_social',
  'rw_organization_admin',
  'r_organization_admin',
  'w_member_social_feed',
  'w_organization_social_feed',
  'r_organization_social_feed',
  'r_member_postAnalytics',
];

/** The products of the two kinds of apps cannot be mixed. */
export const SELF_SERVE: App = {
  client_id: 'sandbox-linkedin-client',
  client_secret: 'sandbox-linkedin-secret',
  kind: 'self_serve',
  scopes: MEMBER_SCOPES,
};
export const COMMUNITY: App = {
  client_id: 'sandbox-linkedin-community',
  client_secret: 'sandbox-linkedin-community-secret',
  kind: 'community',
  scopes: COMMUNITY_SCOPES,
};
export const APPS = [SELF_SERVE, COMMUNITY];

export const DEMO: Member = {
  id: '782bbtaQ',
  first: 'Demo',
  last: 'Member',
  vanity: 'demo',
  roles: {
    2414183: 'ADMINISTRATOR',
    2414184: 'CONTENT_ADMINISTRATOR',
    2414185: 'ADMINISTRATOR',
    2414186: 'ANALYST',
  },
};
/** Has no role anywhere. `&as=demo_other` on the authorize page selects it. */
export const OTHER: Member = {
  id: '782other',
  first: 'Other',
  last: 'Member',
  vanity: 'demo_other',
  roles: {},
};

export const ORGANIZATIONS: readonly Organization[] = [
  { id: '2414183', name: 'Demo Company', vanity: 'demo-company' },
  { id: '2414184', name: 'Demo Studio', vanity: 'demo-studio' },
  { id: '2414185', name: 'Hidden Company', vanity: 'hidden', hidden: true },
  { id: '2414186', name: 'Analyzed Company', vanity: 'analyzed' },
];

export function openState(host: SandboxHost): LinkedInState {
  const state: LinkedInState = {
    host,
    codes: new Map(),
    members: host.collection('members', MemberSchema),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
    posts: host.collection('posts', PostSchema),
    assets: new Map(),
    settings: host.collection('settings', SettingsSchema),
  };
  if (state.members.values().length === 0) seed(state);
  return state;
}

export function seed({ members, settings }: LinkedInState): void {
  members.clear();
  for (const member of [DEMO, OTHER]) members.set(member.id, member);
  settings.set('app', SETTINGS);
}

export const settingsOf = ({ settings }: LinkedInState): Settings => settings.get('app') ?? SETTINGS;

export function findMember({ members }: LinkedInState, idOrName: string): Member | undefined {
  return members.get(idOrName) ?? members.values().find(({ vanity }) => vanity === idOrName);
}

export const findOrganization = (id: string) => ORGANIZATIONS.find(each => each.id === id);

const POSTING_ROLES = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR'];
const ORGANIZATION = /^urn:li:organization:(\d+)$/;

/** Id of the organization that a URN names; null for another URN. */
export const organizationIn = (urn: string): string | null => ORGANIZATION.exec(urn)?.[1] ?? null;

/** True where the token's member may act as this author or owner. */
export function mayActAs({ member }: Grant, urn: string): boolean {
  const organization = organizationIn(urn);
  if (organization !== null) return POSTING_ROLES.includes(member.roles[organization] ?? '');
  return urn === `urn:li:person:${member.id}`;
}

export const secret = () => randomBytes(48).toString('base64url');

let sequence = 0;

/** Returns an id of 19 digits that increases with time. */
export function postNumber(now: number): string {
  sequence = (sequence + 1) % 4096;
  return String(7n * 10n ** 18n + BigInt(Math.floor(now)) * 4096n + BigInt(sequence)).slice(0, 19);
}

export const assetId = () => `C4E${randomBytes(12).toString('base64url')}`;

export const etagOf = (bytes: Uint8Array) =>
  `/ambry-video/signedId/${createHash('sha256').update(bytes).digest('base64url').slice(0, 24)}`;
