import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import type { SandboxCollection, SandboxHost } from '../../contract/sandbox.ts';

const AccountSchema = v.object({
  /** App-scoped id of the Threads user. */
  id: v.string(),
  username: v.string(),
  name: v.string(),
  /** How the length of a text is counted: sources disagree, so both ways are played. */
  counting: v.picklist(['weight', 'bytes']),
  max_links: v.number(),
  /** Seconds after its creation in which a finished container cannot be published. */
  visibility_delay_s: v.number(),
  /** How many of the next containers are lost although they are finished. */
  lost_containers: v.number(),
  /** The user may not publish. */
  restricted: v.boolean(),
  /** The user's activity is limited for a while. */
  activity_restricted: v.boolean(),
  /** Account insights demand the parameter `period`. */
  period_required: v.boolean(),
  /** JSON bodies are read completely. */
  reads_json: v.boolean(),
});
export type ThreadsAccount = v.InferOutput<typeof AccountSchema>;

/** What `POST /_control/accounts` may change. */
export const ChangeSchema = v.strictObject({
  name: v.exactOptional(v.string()),
  counting: v.exactOptional(AccountSchema.entries.counting),
  max_links: v.exactOptional(v.number()),
  visibility_delay_s: v.exactOptional(v.number()),
  lost_containers: v.exactOptional(v.number()),
  restricted: v.exactOptional(v.boolean()),
  activity_restricted: v.exactOptional(v.boolean()),
  period_required: v.exactOptional(v.boolean()),
  reads_json: v.exactOptional(v.boolean()),
});

const TokenSchema = v.object({
  account_id: v.string(),
  scopes: v.array(v.string()),
  kind: v.picklist(['short', 'long']),
  issued_at: v.number(),
  expires_at: v.number(),
  revoked: v.boolean(),
});
export type StoredToken = v.InferOutput<typeof TokenSchema>;

export interface AuthorizationCode {
  account_id: string;
  scopes: readonly string[];
  redirect_uri: string;
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

const ContainerSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  created_at: v.number(),
  media_type: v.picklist(['TEXT', 'IMAGE', 'VIDEO', 'CAROUSEL']),
  text: v.string(),
  is_carousel_item: v.boolean(),
  children: v.array(v.string()),
  file: v.nullable(FileSchema),
  /** Why processing fails; null for a valid file. */
  error: v.nullable(v.string()),
  is_lost: v.boolean(),
  /** The media that the container became. */
  media_id: v.nullable(v.string()),
  /** Parameters as they were received. */
  fields: v.record(v.string(), v.string()),
});
export type Container = v.InferOutput<typeof ContainerSchema>;

const MediaSchema = v.object({
  id: v.string(),
  account_id: v.string(),
  container_id: v.string(),
  published_at: v.number(),
  permalink: v.string(),
  shortcode: v.string(),
});
export type ThreadsMedia = v.InferOutput<typeof MediaSchema>;

export interface ThreadsState {
  host: SandboxHost;
  accounts: SandboxCollection<ThreadsAccount>;
  tokens: SandboxCollection<StoredToken>;
  codes: Map<string, AuthorizationCode>;
  containers: SandboxCollection<Container>;
  media: SandboxCollection<ThreadsMedia>;
  /** Deletions by account: epoch milliseconds. */
  deletions: Map<string, number[]>;
}

export const APP = { client_id: '9988776655443322', client_secret: 'sandbox-threads-secret' };

const account = (id: string, username: string, name: string): ThreadsAccount => ({
  id,
  username,
  name,
  counting: 'weight',
  max_links: 5,
  visibility_delay_s: 0,
  lost_containers: 0,
  restricted: false,
  activity_restricted: false,
  period_required: false,
  reads_json: false,
});

export const DEMO = account('9876543210987654', 'demo', 'Demo');
/** `&as=demo_two` on the login page selects it. */
const SECOND = account('9876543210987655', 'demo_two', 'Demo Two');

export function openState(host: SandboxHost): ThreadsState {
  const state: ThreadsState = {
    host,
    accounts: host.collection('accounts', AccountSchema),
    tokens: host.collection('tokens', TokenSchema),
    codes: new Map(),
    containers: host.collection('containers', ContainerSchema),
    media: host.collection('media', MediaSchema),
    deletions: new Map(),
  };
  if (state.accounts.values().length === 0) seedAccounts(state);
  return state;
}

export function seedAccounts({ accounts }: ThreadsState): void {
  accounts.clear();
  for (const each of [DEMO, SECOND]) accounts.set(each.id, each);
}

export function findAccount({ accounts }: ThreadsState, idOrName: string): ThreadsAccount | undefined {
  return accounts.get(idOrName) ?? accounts.values().find(({ username }) => username === idOrName);
}

/** Returns an id of 17 digits, which exceeds the safe integers. */
export const newId = () => `18${String(randomInt(10 ** 14)).padStart(15, '0')}`;
