import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import {
  API,
  fetchResponse,
  itemsOf,
  partOf,
  refusalOf,
  send,
  VideoId,
  type Call,
  type Caller,
} from './call.ts';
import { UNITS } from './quota.ts';

const text = v.optional(v.string());
const Codes = v.optional(v.array(v.string()));

const RestrictionSchema = v.object({ allowed: Codes, blocked: Codes });
export type Restriction = v.InferOutput<typeof RestrictionSchema>;

/** Every part is optional: only those that a call names are in its response. */
const VideoSchema = v.object({
  id: VideoId,
  snippet: v.optional(v.object({ title: text, publishedAt: text, defaultAudioLanguage: text })),
  status: v.optional(
    v.object({ uploadStatus: text, privacyStatus: text, failureReason: text, rejectionReason: text }),
  ),
  processingDetails: v.optional(v.object({ processingStatus: text, processingFailureReason: text })),
  contentDetails: v.optional(v.object({ regionRestriction: v.optional(RestrictionSchema) })),
  fileDetails: v.optional(v.object({ fileName: text, fileSize: text })),
  paidProductPlacementDetails: v.optional(v.object({ hasPaidProductPlacement: v.optional(v.boolean()) })),
});
export type Video = v.InferOutput<typeof VideoSchema>;

/** Returns these parts of videos; those that are unknown, or not known yet, are missing. */
async function listVideos(caller: Caller, ids: readonly string[], part: string): Promise<Video[]> {
  const call: Call = {
    what: 'Reading the video',
    purpose: 'read',
    method: 'GET',
    url: `${API}/videos`,
    query: { part, id: ids.join(',') },
    units: UNITS.list,
  };
  return (await send(caller, call, itemsOf(VideoSchema))).items;
}

/** Returns these parts of a video; null where YouTube does not know it, or does not know it yet. */
export async function getVideo(caller: Caller, id: string, part: string): Promise<Video | null> {
  return (await listVideos(caller, [id], part))[0] ?? null;
}

/** Replaces whole parts of a video: settings that a part leaves out are cleared. */
export function updateVideo(
  caller: Caller,
  resource: JsonObject,
  { young = false }: { young?: boolean } = {},
): Promise<Video> {
  const call: Call = {
    what: 'Changing the video',
    purpose: 'update',
    method: 'PUT',
    url: `${API}/videos`,
    query: { part: partOf(resource) },
    json: resource,
    units: UNITS.video_update,
    young,
  };
  return send(caller, call, VideoSchema);
}

/** Deletes a video; one that does not exist is deleted already. */
export async function deleteVideo(caller: Caller, id: string): Promise<void> {
  const call: Call = {
    what: 'Deleting the video',
    purpose: 'update',
    method: 'DELETE',
    url: `${API}/videos`,
    query: { id },
    units: UNITS.video_delete,
  };
  const response = await fetchResponse(caller, call);
  if (response.status > 299 && response.status !== 404) throw await refusalOf(caller, call, response);
}

const ItemSchema = v.object({ contentDetails: v.object({ videoId: v.string() }) });
const LATEST = 10;

/** What identifies an upload of ours among the channel's videos. */
export interface UploadTrace {
  slug: string;
  size: number;
  title: string;
  /** Epoch milliseconds. */
  since: number;
}

/** Looks for an upload whose response was lost among the latest videos of the channel. Returns its id; null for none. */
export async function findUpload(
  caller: Caller,
  uploadsPlaylist: string,
  trace: UploadTrace,
): Promise<string | null> {
  const call: Call = {
    what: 'Reading the latest uploads',
    purpose: 'read',
    method: 'GET',
    url: `${API}/playlistItems`,
    query: { part: 'contentDetails', playlistId: uploadsPlaylist, maxResults: String(LATEST) },
    units: UNITS.list,
  };
  const { items } = await send(caller, call, itemsOf(ItemSchema));
  if (items.length === 0) return null;
  const ids = items.map(({ contentDetails }) => contentDetails.videoId);
  const videos = await listVideos(caller, ids, 'fileDetails,snippet,status');
  return videos.find(video => isUpload(video, trace))?.id ?? null;
}

function isUpload({ fileDetails, snippet }: Video, { slug, size, title, since }: UploadTrace): boolean {
  if (fileDetails?.fileName !== undefined) return fileDetails.fileName === slug;
  const published = Date.parse(snippet?.publishedAt ?? '');
  return fileDetails?.fileSize === String(size) && snippet?.title === title && published >= since;
}
