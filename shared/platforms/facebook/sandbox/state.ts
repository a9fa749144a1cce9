import * as v from 'valibot';
import { JsonObjectSchema } from '../../../model/json.ts';
import type { SandboxCollection, SandboxHost, SandboxUpload, StoredMedia } from '../../contract/sandbox.ts';
import { newGraphId, openMetaState, type MetaState } from '../../families/meta/sandbox/state.ts';

export const APP = { client_id: '5550000000000001', client_secret: 'sandbox-facebook-secret' };

/** Permissions that the app may ask for. */
export const SCOPES = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
  'read_insights',
  'business_management',
];

const PostSchema = v.object({
  id: v.string(),
  page_id: v.string(),
  message: v.string(),
  link: v.nullable(v.string()),
  /** Ids of its photos, or of its video. */
  media_ids: v.array(v.string()),
  created_at: v.number(),
  /** False for Reels, which the feed does not show. */
  listed: v.boolean(),
  comments: v.array(v.object({ id: v.string(), message: v.string(), from: v.string() })),
});
export type FacebookPost = v.InferOutput<typeof PostSchema>;

const MediaSchema = v.objectWithRest({ sha256: v.string(), type: v.string(), size: v.number() }, v.unknown());

const PhotoSchema = v.object({
  id: v.string(),
  page_id: v.string(),
  file: MediaSchema,
  url: v.nullable(v.string()),
  alt: v.nullable(v.string()),
  published: v.boolean(),
  created_at: v.number(),
});
export type FacebookPhoto = v.InferOutput<typeof PhotoSchema>;

const VideoSchema = v.object({
  id: v.string(),
  page_id: v.string(),
  kind: v.picklist(['video', 'reel']),
  /** Id of an upload in parts. */
  session: v.nullable(v.string()),
  /** Size that an upload in parts announced. */
  total: v.number(),
  received: v.number(),
  file: v.nullable(MediaSchema),
  url: v.nullable(v.string()),
  title: v.nullable(v.string()),
  description: v.string(),
  /** When it was asked to be published; null before that. */
  finished_at: v.nullable(v.number()),
  /** Why processing fails. */
  problem: v.nullable(v.object({ code: v.number(), message: v.string() })),
  /** Id of the post that shows it, once it is live. */
  post_id: v.nullable(v.string()),
  created_at: v.number(),
  /** The request that published it. */
  fields: JsonObjectSchema,
});
export type FacebookVideo = v.InferOutput<typeof VideoSchema>;

export interface FacebookState extends MetaState {
  posts: SandboxCollection<FacebookPost>;
  photos: SandboxCollection<FacebookPhoto>;
  videos: SandboxCollection<FacebookVideo>;
  /** Unfinished uploads, by video. */
  uploads: Map<string, SandboxUpload>;
}

export function openState(host: SandboxHost): FacebookState {
  return {
    ...openMetaState(host, { platform: 'facebook', app: APP, scopes: SCOPES }),
    posts: host.collection('posts', PostSchema),
    photos: host.collection('photos', PhotoSchema),
    videos: host.collection('videos', VideoSchema),
    uploads: new Map(),
  };
}

export const newId = ({ host }: FacebookState) => newGraphId(host.now());

/** The files of stored photos, as the sandbox's page shows them. */
export const shownMedia = (photos: readonly FacebookPhoto[]): StoredMedia[] =>
  photos.map(({ file, url }) => ({ ...(file as StoredMedia), ...(url === null ? {} : { url }) }));

/** ISO 8601 as Meta writes it. */
export const metaTime = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, '+0000');
