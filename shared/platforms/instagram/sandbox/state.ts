import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost } from '../../contract/sandbox.ts';
import { openMetaState, resetMetaState, type MetaState } from '../../families/meta/sandbox/state.ts';

const ModesSchema = v.object({
  /** Captions read back with their `@` signs, as for a token whose user has admin tasks. */
  keeps_mentions: v.exactOptional(v.boolean()),
  /** PNG images are accepted. */
  takes_png: v.exactOptional(v.boolean()),
  /** Reads of new containers and media answer 100/33 with tokens of these kinds. */
  hides_from: v.exactOptional(v.array(v.picklist(['page', 'user', 'instagram']))),
  /** Publishing is refused with 100/33 for tokens of these kinds. */
  refuses_publishing_with: v.exactOptional(v.array(v.picklist(['page', 'user']))),
  /** graph.instagram.com refuses the fields `caption` and `media_product_type`. */
  plain_media_fields: v.exactOptional(v.boolean()),
  /** The id that graph.instagram.com knows the account by; the others answer 100/33. */
  known_by: v.exactOptional(v.picklist(['me', 'id'])),
  /** The answer to the next publishing request, and whether the media is live nevertheless. */
  next_publish: v.exactOptional(
    v.object({
      status: v.picklist([400, 403, 500]),
      code: v.number(),
      subcode: v.exactOptional(v.number()),
      live: v.boolean(),
    }),
  ),
  /** The file of the next container takes too long to fetch. */
  slow_fetch: v.exactOptional(v.boolean()),
  /** Comments are turned off. */
  no_comments: v.exactOptional(v.boolean()),
  /** The account is restricted (25/2207050). */
  restricted: v.exactOptional(v.boolean()),
  /** The account was turned into a personal one. */
  personal: v.exactOptional(v.boolean()),
  /** Stories have fewer viewers than insights need. */
  few_viewers: v.exactOptional(v.boolean()),
});
/** Ways in which the real platform is known to differ, by account: `POST /_control/accounts`. */
export type Modes = v.InferOutput<typeof ModesSchema>;
export const ChangeSchema = v.strictObject(ModesSchema.entries);

const AccountSchema = v.object({
  /** Id of the professional account. */
  id: v.string(),
  /** Id of the account for this app. */
  app_scoped_id: v.string(),
  username: v.string(),
  name: v.string(),
  account_type: v.picklist(['BUSINESS', 'MEDIA_CREATOR', 'PERSONAL']),
  modes: ModesSchema,
});
export type Account = v.InferOutput<typeof AccountSchema>;

export interface AuthorizationCode {
  account: Account;
  scopes: readonly string[];
  redirectUri: string;
  expiresAt: number;
}

const FileSchema = v.object({
  sha256: v.exactOptional(v.string()),
  type: v.string(),
  size: v.exactOptional(v.number()),
  width: v.exactOptional(v.number()),
  height: v.exactOptional(v.number()),
  duration: v.exactOptional(v.number()),
  video_codec: v.exactOptional(v.string()),
  audio_codec: v.exactOptional(v.string()),
  frame_rate: v.exactOptional(v.number()),
});

export const KINDS = ['IMAGE', 'VIDEO', 'REELS', 'STORIES', 'CAROUSEL'] as const;
export type Kind = (typeof KINDS)[number];

const ContainerSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  kind: v.picklist(KINDS),
  is_child: v.boolean(),
  /** The parameters as they were received. */
  params: v.record(v.string(), v.string()),
  file: v.nullable(FileSchema),
  cover: v.nullable(FileSchema),
  children: v.array(v.string()),
  created_at: v.number(),
  ready_at: v.number(),
  /** Subcode of the failure that `status_code` reports from `ready_at` on. */
  error: v.nullable(v.string()),
  /** Bytes of a resumable upload that is not complete. */
  awaits_upload: v.boolean(),
  media_id: v.nullable(v.string()),
});
export type Container = v.InferOutput<typeof ContainerSchema>;

const MediaSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  container_id: v.string(),
  media_type: v.picklist(['IMAGE', 'VIDEO', 'CAROUSEL_ALBUM']),
  product: v.picklist(['FEED', 'REELS', 'STORY']),
  caption: v.nullable(v.string()),
  shortcode: v.string(),
  created_at: v.number(),
});
export type LiveMedia = v.InferOutput<typeof MediaSchema>;

const CommentSchema = v.object({
  id: v.string(),
  media_id: v.string(),
  username: v.string(),
  text: v.string(),
  created_at: v.number(),
});

export interface InstagramState {
  host: SandboxHost;
  /** Facebook Login: its users, Pages and tokens. */
  facebook: MetaState;
  /** Tokens of Instagram Login. Their user is the professional account. */
  instagram: MetaState;
  codes: Map<string, AuthorizationCode>;
  /** Bytes that resumable uploads have received so far, by container. */
  uploads: Map<string, Buffer>;
  accounts: SandboxCollection<Account>;
  containers: SandboxCollection<Container>;
  media: SandboxCollection<LiveMedia>;
  comments: SandboxCollection<v.InferOutput<typeof CommentSchema>>;
}

export const APP = { client_id: '990602627938098', client_secret: 'sandbox-instagram-secret' };
/** The Meta app of Facebook Login: the one that the local stack sets for Facebook. */
export const FACEBOOK_APP = { client_id: '5550000000000001', client_secret: 'sandbox-facebook-secret' };

export const SCOPES = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
  'instagram_business_manage_insights',
];
const FACEBOOK_SCOPES = [
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
  'instagram_manage_insights',
  'instagram_manage_contents',
  'pages_show_list',
  'pages_read_engagement',
  'business_management',
];

export const DEMO: Account = {
  id: '17841400000000001',
  app_scoped_id: '26000000000000001',
  username: 'demo',
  name: 'Demo',
  account_type: 'BUSINESS',
  modes: {},
};
const SECOND: Account = {
  id: '17841400000000002',
  app_scoped_id: '26000000000000002',
  username: 'demo_second',
  name: 'Demo Second',
  account_type: 'MEDIA_CREATOR',
  modes: {},
};
/** Not a professional account: it can be authorized, but not used. */
const PERSONAL: Account = {
  id: '17841400000000003',
  app_scoped_id: '26000000000000003',
  username: 'demo_personal',
  name: 'Demo Personal',
  account_type: 'PERSONAL',
  modes: {},
};
const ACCOUNTS = [DEMO, SECOND, PERSONAL];

export function openState(host: SandboxHost): InstagramState {
  const state: InstagramState = {
    host,
    facebook: openMetaState(host, { platform: 'instagram', app: FACEBOOK_APP, scopes: FACEBOOK_SCOPES }),
    instagram: openMetaState(
      { ...host, collection: (name, schema) => host.collection(`instagram-login-${name}`, schema) },
      { platform: 'instagram', app: APP, scopes: SCOPES },
    ),
    codes: new Map(),
    uploads: new Map(),
    accounts: host.collection('accounts', AccountSchema),
    containers: host.collection('containers', ContainerSchema),
    media: host.collection('media', MediaSchema),
    comments: host.collection('comments', CommentSchema),
  };
  if (state.accounts.values().length === 0) seedAccounts(state);
  return state;
}

function seedAccounts({ accounts }: InstagramState): void {
  accounts.clear();
  for (const account of ACCOUNTS) accounts.set(account.id, account);
}

export function findAccount({ accounts }: InstagramState, idOrName: string): Account | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

/** Returns an identifier beyond the safe integers. */
export const newId = (prefix: '178' | '179') => `${prefix}${String(randomInt(1e14)).padStart(14, '0')}`;

/** Restores the test accounts; nothing is published. */
export function resetState(state: InstagramState): void {
  seedAccounts(state);
  resetMetaState(state.facebook);
  resetMetaState(state.instagram);
  for (const each of [state.containers, state.media, state.comments]) each.clear();
  state.codes.clear();
  state.uploads.clear();
}
