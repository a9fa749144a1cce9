import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../shared/model/json.ts';
import { PlatformIdSchema, type PlatformId } from '../../shared/model/platform.ts';
import type { SandboxHost, SandboxPost } from '../../shared/platforms/contract/sandbox.ts';
import type { LocalStore } from '../store.ts';
import { openCollection } from './collections.ts';

export type Processing = ReturnType<SandboxHost['processing']>;

/** What is published, and what the control endpoints have set. */
export interface SandboxState {
  posts: Posts;
  processing: Map<PlatformId, Processing>;
  /** By platform and account; the account `*` stands for all. */
  limits: Map<string, JsonObject>;
  /** By platform and post. */
  metrics: Map<string, JsonObject>;
}

/** Published posts, oldest first. */
export interface Posts {
  add: (post: SandboxPost) => void;
  remove: (platform: PlatformId, platformPostId: string) => void;
  all: () => SandboxPost[];
  clear: () => void;
}

export const ALL_ACCOUNTS = '*';

const optional = <T extends v.GenericSchema>(schema: T) => v.exactOptional(schema);

const MediaSchema = v.object({
  sha256: optional(v.string()),
  url: optional(v.string()),
  type: v.string(),
  size: optional(v.number()),
  width: optional(v.number()),
  height: optional(v.number()),
  duration: optional(v.number()),
  video_codec: optional(v.string()),
  audio_codec: optional(v.string()),
  frame_rate: optional(v.number()),
});

const PostSchema = v.object({
  platform: PlatformIdSchema,
  account: v.string(),
  platform_post_id: v.string(),
  platform_post_url: v.nullable(v.string()),
  kind: v.string(),
  text: v.nullable(v.string()),
  title: v.nullable(v.string()),
  media: v.array(MediaSchema),
  comments: v.array(v.object({ id: v.string(), text: v.string() })),
  fields: JsonObjectSchema,
  published_at: v.string(),
});

/** Opens the state; posts are kept in the store unless it is null. */
export function openState(store: LocalStore | null): SandboxState {
  const posts = openCollection(store, 'posts', PostSchema);
  return {
    posts: {
      add: post => posts.set(keyOf(post.platform, post.platform_post_id), post),
      remove: (platform, id) => void posts.delete(keyOf(platform, id)),
      all: posts.values,
      clear: posts.clear,
    },
    processing: new Map(),
    limits: new Map(),
    metrics: new Map(),
  };
}

export function keyOf(platform: PlatformId, id: string): string {
  return `${platform} ${id}`;
}

export function resetState(state: SandboxState): void {
  state.posts.clear();
  state.processing.clear();
  state.limits.clear();
  state.metrics.clear();
}
