import * as v from 'valibot';
import { relatedBody } from '../../net/multipart.ts';
import { API, itemsOf, send, UPLOAD, type Call, type Caller } from './call.ts';
import { UNITS } from './quota.ts';

/* What follows a video. `young`: it was uploaded just now, so that YouTube may not find it yet. */

const MEDIA_TIMEOUT_MS = 60_000;

/** A video that something is added to. */
export interface OnVideo {
  video_id: string;
  young: boolean;
}

const Answer = v.looseObject({ kind: v.string() });

/** Sets the thumbnail. Setting the same one again has no further effect. */
export async function setThumbnail(
  caller: Caller,
  { video_id, young }: OnVideo,
  picture: { bytes: Uint8Array; type: string },
): Promise<void> {
  const call: Call = {
    what: 'Setting the thumbnail',
    purpose: 'thumbnail',
    method: 'POST',
    url: `${UPLOAD}/thumbnails/set`,
    query: { videoId: video_id, uploadType: 'media' },
    headers: { 'content-type': API_TYPES.includes(picture.type) ? picture.type : 'application/octet-stream' },
    body: picture.bytes,
    units: UNITS.thumbnail,
    young,
    timeoutMs: MEDIA_TIMEOUT_MS,
  };
  await send(caller, call, Answer);
}

const API_TYPES = ['image/jpeg', 'image/png'];

export interface NewCaption {
  language: string;
  /** May be empty. */
  name: string;
  text: string;
}

const CaptionSchema = v.object({
  id: v.string(),
  snippet: v.object({
    language: v.optional(v.string()),
    /** `standard` for captions that were uploaded. */
    trackKind: v.optional(v.string()),
    status: v.optional(v.string()),
    failureReason: v.optional(v.string()),
  }),
});
export type Caption = v.InferOutput<typeof CaptionSchema>;

export function insertCaption(
  caller: Caller,
  { video_id, young }: OnVideo,
  { language, name, text }: NewCaption,
): Promise<Caption> {
  const snippet = { videoId: video_id, language, name, isDraft: false };
  const { contentType, body } = relatedBody({ snippet }, { type: 'application/octet-stream', text });
  const call: Call = {
    what: 'Uploading the captions',
    purpose: 'caption',
    method: 'POST',
    url: `${UPLOAD}/captions`,
    query: { uploadType: 'multipart', part: 'snippet' },
    headers: { 'content-type': contentType },
    body,
    units: UNITS.caption_upload,
    young,
    timeoutMs: MEDIA_TIMEOUT_MS,
  };
  return send(caller, call, CaptionSchema);
}

export async function listCaptions(caller: Caller, { video_id, young }: OnVideo): Promise<Caption[]> {
  const call: Call = {
    what: 'Reading the captions',
    purpose: 'read',
    method: 'GET',
    url: `${API}/captions`,
    query: { part: 'snippet', videoId: video_id },
    units: UNITS.caption_list,
    young,
  };
  return (await send(caller, call, itemsOf(CaptionSchema))).items;
}

/** Adds a video to a playlist. Doing it twice adds it twice. */
export async function addToPlaylist(
  caller: Caller,
  { video_id, young }: OnVideo,
  playlistId: string,
): Promise<void> {
  const resourceId = { kind: 'youtube#video', videoId: video_id };
  const call: Call = {
    what: 'Adding the video to the playlist',
    purpose: 'playlist_item',
    method: 'POST',
    url: `${API}/playlistItems`,
    query: { part: 'snippet' },
    json: { snippet: { playlistId, resourceId } },
    units: UNITS.playlist_add,
    young,
  };
  await send(caller, call, Answer);
}

export async function isInPlaylist(
  caller: Caller,
  { video_id, young }: OnVideo,
  playlistId: string,
): Promise<boolean> {
  const call: Call = {
    what: 'Reading the playlist',
    purpose: 'read',
    method: 'GET',
    url: `${API}/playlistItems`,
    query: { part: 'id', playlistId, videoId: video_id },
    units: UNITS.list,
    young,
  };
  return (await send(caller, call, itemsOf(v.object({ id: v.string() })))).items.length > 0;
}

/** Comments on a video as its channel. Doing it twice comments twice. */
export async function comment(
  caller: Caller,
  { video_id, young }: OnVideo,
  channelId: string,
  text: string,
): Promise<void> {
  const topLevelComment = { snippet: { textOriginal: text } };
  const call: Call = {
    what: 'Posting the first comment',
    purpose: 'comment',
    method: 'POST',
    url: `${API}/commentThreads`,
    query: { part: 'snippet' },
    json: { snippet: { channelId, videoId: video_id, topLevelComment } },
    units: UNITS.first_comment,
    young,
  };
  await send(caller, call, Answer);
}

const ThreadSchema = v.object({
  snippet: v.object({
    topLevelComment: v.object({
      snippet: v.object({
        textOriginal: v.optional(v.string(), ''),
        authorChannelId: v.optional(v.object({ value: v.optional(v.string(), '') }), {}),
      }),
    }),
  }),
});

/** Returns the latest comments on a video. */
export async function latestComments(
  caller: Caller,
  { video_id, young }: OnVideo,
): Promise<{ text: string; channel_id: string }[]> {
  const call: Call = {
    what: 'Reading the comments',
    purpose: 'read',
    method: 'GET',
    url: `${API}/commentThreads`,
    query: { part: 'snippet', videoId: video_id, order: 'time', maxResults: '20' },
    units: UNITS.list,
    young,
  };
  const { items } = await send(caller, call, itemsOf(ThreadSchema));
  return items.map(
    ({
      snippet: {
        topLevelComment: { snippet },
      },
    }) => ({
      text: snippet.textOriginal,
      channel_id: snippet.authorChannelId.value,
    }),
  );
}
