import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema } from '../../../model/json.ts';
import type { SandboxCollection, SandboxHost } from '../../contract/sandbox.ts';
import { USERS, type User } from './users.ts';

/** How Google behaves for a user. `POST /_control/accounts` changes it. */
export const SwitchesSchema = v.object({
  /** The app is in testing: its grants end after 7 days. */
  testing: v.boolean(),
  /** The locations moved to another account. */
  moved: v.boolean(),
  /** The user lost the role on the locations, or they were suspended. */
  denied: v.boolean(),
  /** Posts with a phone number in the text are rejected. */
  reject_phone_numbers: v.boolean(),
  /** `searchUrl` is left out while a post is processed. */
  omit_search_url: v.boolean(),
  /** Files of posts are fetched during the call, or so many seconds after it. */
  fetch_after_s: v.nullable(v.number()),
  /** Lists begin with the oldest item: their order is not documented. */
  oldest_first: v.boolean(),
  /** A second video within five minutes is refused. */
  refuse_second_video: v.boolean(),
  /** Videos disappear from the gallery. */
  drop_videos: v.boolean(),
  /** The profile has a photo. */
  photo: v.boolean(),
});
export type Switches = v.InferOutput<typeof SwitchesSchema>;

const INITIAL: Switches = {
  testing: false,
  moved: false,
  denied: false,
  reject_phone_numbers: true,
  omit_search_url: true,
  fetch_after_s: null,
  oldest_first: false,
  refuse_second_video: false,
  drop_videos: false,
  photo: true,
};

const StoredPostSchema = v.object({
  name: v.string(),
  user_id: v.string(),
  body: JsonObjectSchema,
  source_url: v.nullable(v.string()),
  /** Whether the file was fetched; null while it was not tried. */
  is_fetched: v.nullable(v.boolean()),
  created_at: v.number(),
  updated_at: v.number(),
});
export type StoredPost = v.InferOutput<typeof StoredPostSchema>;

const StoredMediaSchema = v.object({
  name: v.string(),
  user_id: v.string(),
  format: v.string(),
  category: v.string(),
  description: v.nullable(v.string()),
  source_url: v.string(),
  width: v.number(),
  height: v.number(),
  created_at: v.number(),
});
export type StoredMediaItem = v.InferOutput<typeof StoredMediaSchema>;

export interface GbpState {
  host: SandboxHost;
  switches: SandboxCollection<Switches>;
  posts: SandboxCollection<StoredPost>;
  media: SandboxCollection<StoredMediaItem>;
  /** Requests by API or location, and minute. */
  counts: Map<string, number>;
}

export const APP = {
  client_id: '123456789012-business.apps.googleusercontent.com',
  client_secret: 'GOCSPX-sandbox-gbp-secret',
};

export function openState(host: SandboxHost): GbpState {
  return {
    host,
    switches: host.collection('switches', SwitchesSchema),
    posts: host.collection('posts', StoredPostSchema),
    media: host.collection('media', StoredMediaSchema),
    counts: new Map(),
  };
}

export const switchesOf = ({ switches }: GbpState, { id }: User): Switches => switches.get(id) ?? INITIAL;

/** The user with this id or name; by default the first. */
export const findUser = (name: string = USERS[0].name): User | undefined =>
  USERS.find(user => user.id === name || user.name === name);

/** Returns an id of 19 digits, which exceeds the safe integers. */
export const newId = () => `4700${String(randomInt(10 ** 14)).padStart(15, '0')}`;
