import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { send, type Caller } from './call.ts';

/* Calls of API v2. All throw PlatformError. */

const text = v.fallback(v.nullish(v.string(), null), null);

const UserSchema = v.object({
  user: v.object({
    open_id: v.pipe(v.string(), v.nonEmpty()),
    display_name: text,
    avatar_url: text,
    username: text,
  }),
});
export type User = v.InferOutput<typeof UserSchema>['user'];

/** Returns the account. A field whose scope was not granted fails the whole call. */
export async function getUser(caller: Caller, withUsername: boolean): Promise<User> {
  const call = { what: 'Reading the account', method: 'GET', path: '/v2/user/info/' } as const;
  const fields = ['open_id', 'union_id', 'avatar_url', 'display_name', ...(withUsername ? ['username'] : [])];
  return (await send(caller, { ...call, fields }, UserSchema)).user;
}

const CreatorSchema = v.object({
  creator_username: v.string(),
  creator_nickname: v.fallback(v.string(), ''),
  creator_avatar_url: text,
  privacy_level_options: v.array(v.string()),
  comment_disabled: v.boolean(),
  duet_disabled: v.boolean(),
  stitch_disabled: v.boolean(),
  max_video_post_duration_sec: v.number(),
});
export type CreatorInfo = v.InferOutput<typeof CreatorSchema>;

/** Returns what the creator may post now. Throws where the creator cannot post at the moment. */
export function creatorInfo(caller: Caller): Promise<CreatorInfo> {
  const call = { what: 'Reading the settings of the creator', method: 'POST' } as const;
  return send(caller, { ...call, path: '/v2/post/publish/creator_info/query/' }, CreatorSchema);
}

const publishId = v.pipe(v.string(), v.nonEmpty());
const UploadSchema = v.object({
  publish_id: publishId,
  upload_url: v.pipe(v.string(), v.url(), v.startsWith('https://')),
});
export type OpenedUpload = v.InferOutput<typeof UploadSchema>;

/** Announces a video and returns where its bytes go. `post_info` is null for a draft, which has none. */
export function initVideo(
  caller: Caller,
  post_info: JsonObject | null,
  source_info: JsonObject,
): Promise<OpenedUpload> {
  const path = post_info ? '/v2/post/publish/video/init/' : '/v2/post/publish/inbox/video/init/';
  const json = { ...(post_info && { post_info }), source_info };
  return send(caller, { what: 'Announcing the video', method: 'POST', path, json }, UploadSchema);
}

/** Publishes photos, or sends them to the inbox, and returns the id of that process. */
export async function initPhotos(caller: Caller, json: JsonObject): Promise<string> {
  const call = { what: 'Publishing the photos', method: 'POST' } as const;
  const request = { ...call, path: '/v2/post/publish/content/init/', json };
  return (await send(caller, request, v.object({ publish_id: publishId }))).publish_id;
}

/** Ids are numbers above 2^53, at times strings. */
const PostId = v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.regex(/^\d+$/));
const bytes = v.optional(v.number());

const StatusSchema = v.object({
  status: v.string(),
  fail_reason: v.fallback(v.optional(v.string(), ''), ''),
  // TikTok spells it so.
  publicaly_available_post_id: v.fallback(v.nullish(v.array(PostId)), []),
  uploaded_bytes: bytes,
});
export type PublishStatus = v.InferOutput<typeof StatusSchema>;

export function publishStatus(caller: Caller, publish_id: string): Promise<PublishStatus> {
  const call = { what: 'Reading the status of the post', method: 'POST' } as const;
  return send(
    caller,
    { ...call, path: '/v2/post/publish/status/fetch/', json: { publish_id } },
    StatusSchema,
  );
}

/** Returns the id of the public post; null until TikTok names it. */
export const publicIdIn = ({ publicaly_available_post_id: ids }: PublishStatus): string | null =>
  ids?.[0] ?? null;

const VideosSchema = v.object({
  videos: v.array(
    v.object({
      id: PostId,
      title: text,
      video_description: text,
      /** Seconds since 1970. */
      create_time: v.optional(v.number(), 0),
    }),
  ),
});
export type ListedVideo = v.InferOutput<typeof VideosSchema>['videos'][number];

const MAX_LISTED = 20;

/** Returns the newest public posts of the account, newest first. */
export async function recentVideos(caller: Caller): Promise<ListedVideo[]> {
  const call = { what: 'Reading the posts of the account', method: 'POST', path: '/v2/video/list/' } as const;
  const fields = ['id', 'create_time', 'title', 'video_description'];
  return (await send(caller, { ...call, fields, json: { max_count: MAX_LISTED } }, VideosSchema)).videos;
}

const count = v.fallback(v.optional(v.number(), 0), 0);
const CountsSchema = v.object({
  videos: v.array(
    v.object({
      id: PostId,
      view_count: count,
      like_count: count,
      comment_count: count,
      share_count: count,
    }),
  ),
});
export type VideoCounts = v.InferOutput<typeof CountsSchema>['videos'][number];

/** Returns the counts of at most 20 posts; those that are not public are missing. */
export async function videoCounts(caller: Caller, ids: readonly string[]): Promise<VideoCounts[]> {
  const call = { what: 'Reading metrics', method: 'POST', path: '/v2/video/query/' } as const;
  const fields = ['id', 'view_count', 'like_count', 'comment_count', 'share_count'];
  const json = { filters: { video_ids: [...ids] } };
  return (await send(caller, { ...call, fields, json }, CountsSchema)).videos;
}
