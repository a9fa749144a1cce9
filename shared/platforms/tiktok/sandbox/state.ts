import { randomBytes, randomInt } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema } from '../../../model/json.ts';
import type { SandboxCollection, SandboxHost, SandboxUpload } from '../../contract/sandbox.ts';
import { SETTINGS, SettingsSchema, type Settings } from './settings.ts';

export const AccountSchema = v.object({
  /** `open_id`: the account's id for this app. */
  id: v.string(),
  union_id: v.string(),
  username: v.string(),
  nickname: v.string(),
  is_private: v.boolean(),
  comment_disabled: v.boolean(),
  duet_disabled: v.boolean(),
  stitch_disabled: v.boolean(),
  max_seconds: v.number(),
  banned: v.boolean(),
  /** The user's TikTok app is too old for drafts of photos. */
  old_app: v.boolean(),
});
export type TikTokAccount = v.InferOutput<typeof AccountSchema>;

const TokenSchema = v.object({ account_id: v.string(), scopes: v.array(v.string()), expires_at: v.number() });
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account_id: string;
  scopes: string[];
  redirect_uri: string;
  /** SHA-256 of the verifier in hexadecimal digits; null without PKCE. */
  challenge: string | null;
  expires_at: number;
}

const FileSchema = v.object({
  sha256: v.string(),
  url: v.exactOptional(v.string()),
  type: v.string(),
  size: v.number(),
  width: v.exactOptional(v.number()),
  height: v.exactOptional(v.number()),
  duration: v.exactOptional(v.number()),
  video_codec: v.exactOptional(v.string()),
  audio_codec: v.exactOptional(v.string()),
  frame_rate: v.exactOptional(v.number()),
});

const UploadSchema = v.object({
  id: v.string(),
  token: v.string(),
  size: v.number(),
  chunk_size: v.number(),
  chunks: v.number(),
  received: v.number(),
  expires_at: v.number(),
});
export type Upload = v.InferOutput<typeof UploadSchema>;

const ProcessSchema = v.object({
  publish_id: v.string(),
  account_id: v.string(),
  kind: v.picklist(['video', 'photo']),
  draft: v.boolean(),
  /** The request that created it. */
  body: JsonObjectSchema,
  created_at: v.number(),
  upload: v.nullable(UploadSchema),
  files: v.array(FileSchema),
  /** Why it fails; null while nothing is wrong. */
  problem: v.nullable(v.string()),
  /** When TikTok had all it needs; null before that. */
  accepted_at: v.nullable(v.number()),
  /** Id of the live post; null before it is live, and for drafts. */
  post_id: v.nullable(v.string()),
  live_at: v.nullable(v.number()),
  /** Reads of the status since it is live. */
  reads: v.number(),
});
export type Process = v.InferOutput<typeof ProcessSchema>;

export interface TikTokState {
  host: SandboxHost;
  accounts: SandboxCollection<TikTokAccount>;
  access: SandboxCollection<StoredToken>;
  refresh: SandboxCollection<StoredToken>;
  settings: SandboxCollection<Settings>;
  processes: SandboxCollection<Process>;
  codes: Map<string, AuthorizationCode>;
  /** Unfinished uploads by publish id. */
  uploads: Map<string, SandboxUpload>;
  /** Times of the calls of the last minute, by account and limit. */
  calls: Map<string, number[]>;
}

export const APP = { client_id: 'awsandboxclientkey', client_secret: 'sandbox-tiktok-secret' };

const account = (id: string, username: string, nickname: string): TikTokAccount => ({
  id,
  union_id: `union-${id}`,
  username,
  nickname,
  is_private: false,
  comment_disabled: false,
  duet_disabled: false,
  stitch_disabled: false,
  max_seconds: 600,
  banned: false,
  old_app: false,
});

export const DEMO = account('723f24d7-e717-40f8-a2b6-cb8464cd23b4', 'demo', 'Demo');
/** `&as=demo_private` on the consent page selects it. */
export const PRIVATE: TikTokAccount = {
  ...account('723f24d7-e717-40f8-a2b6-cb8464cd23b5', 'demo_private', 'Demo Private'),
  is_private: true,
};

export function openState(host: SandboxHost): TikTokState {
  const state: TikTokState = {
    host,
    accounts: host.collection('accounts', AccountSchema),
    access: host.collection('access-tokens', TokenSchema),
    refresh: host.collection('refresh-tokens', TokenSchema),
    settings: host.collection('settings', SettingsSchema),
    processes: host.collection('processes', ProcessSchema),
    codes: new Map(),
    uploads: new Map(),
    calls: new Map(),
  };
  if (state.accounts.values().length === 0) seed(state);
  return state;
}

export function seed({ accounts, settings }: TikTokState): void {
  accounts.clear();
  for (const each of [DEMO, PRIVATE]) accounts.set(each.id, each);
  settings.set('app', SETTINGS);
}

export const settingsOf = ({ settings }: TikTokState): Settings => settings.get('app') ?? SETTINGS;

export function findAccount({ accounts }: TikTokState, idOrName: string): TikTokAccount | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

export const secret = (prefix: string) => prefix + randomBytes(40).toString('base64url');

/** Returns an id of 19 digits, which exceeds the safe integers. */
export const newPostId = () => `73${String(randomInt(10 ** 14)).padStart(17, '0')}`;
