import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import {
  fetchResponse,
  parseBody,
  partOf,
  refusalOf,
  UPLOAD,
  VideoId,
  type Call,
  type Caller,
} from './call.ts';
import { UNITS } from './quota.ts';

/*
 * Google's resumable upload protocol.
 *
 * @see https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol
 */

const CHUNK_TIMEOUT_MS = 60_000;

export interface NewUpload {
  resource: JsonObject;
  /** Bytes. */
  size: number;
  type: string;
  /** File name that only the owner sees: it identifies a video whose response was lost. */
  slug: string;
  notifySubscribers: boolean;
}

/** Opens an upload session and returns its URL, which is a secret. YouTube rejects unusable metadata here. */
export async function openUpload(caller: Caller, upload: NewUpload): Promise<string> {
  await caller.quota?.spend('video_uploads', 1);
  const call: Call = {
    what: 'Starting the upload',
    purpose: 'upload',
    method: 'POST',
    url: `${UPLOAD}/videos`,
    query: {
      uploadType: 'resumable',
      part: partOf(upload.resource),
      notifySubscribers: String(upload.notifySubscribers),
    },
    headers: {
      'x-upload-content-length': String(upload.size),
      'x-upload-content-type': upload.type,
      slug: upload.slug,
    },
    json: upload.resource,
    units: UNITS.video_upload,
  };
  const response = await fetchResponse(caller, call);
  if (response.status !== 200) throw await refusalOf(caller, call, response);
  const { location = '' } = response.headers;
  if (isGoogle(location)) return location;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Starting the upload: YouTube named no upload session',
  });
}

/** The access token is sent to this URL. */
function isGoogle(url: string): boolean {
  return URL.canParse(url) && /^https:\/\/[\w.-]+\.googleapis\.com\//.test(url);
}

/** What an upload session answers. */
export type UploadState =
  /** It has the bytes before `offset`. */
  | { type: 'partial'; offset: number }
  | { type: 'complete'; video_id: string }
  /** It is unknown: expired, or finished and forgotten. */
  | { type: 'gone' };

/** Asks a session how much it has. */
export function queryUpload(caller: Caller, session: string, size: number): Promise<UploadState> {
  return put(caller, session, { 'content-range': `bytes */${size}` }, '');
}

/** Sends the bytes from `start` on. A session may keep fewer than were sent. */
export function sendChunk(
  caller: Caller,
  session: string,
  { start, bytes, size, type }: { start: number; bytes: Uint8Array; size: number; type: string },
): Promise<UploadState> {
  const range = `bytes ${start}-${start + bytes.byteLength - 1}/${size}`;
  return put(caller, session, { 'content-range': range, 'content-type': type }, bytes);
}

async function put(
  caller: Caller,
  session: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
): Promise<UploadState> {
  const call: Call = {
    what: 'Uploading the video',
    purpose: 'upload',
    method: 'PUT',
    url: session,
    headers,
    body,
    units: 0,
    timeoutMs: CHUNK_TIMEOUT_MS,
  };
  const response = await fetchResponse(caller, call);
  if (isIncomplete(response)) return { type: 'partial', offset: nextOffset(response.headers['range']) };
  if (response.status === 404 || response.status === 410) return { type: 'gone' };
  if (response.status !== 200 && response.status !== 201) throw await refusalOf(caller, call, response);
  return { type: 'complete', video_id: parseBody(call, response, v.object({ id: VideoId })).id };
}

/** Some front ends replace the status 308, which older clients take for a redirect. */
const isIncomplete = ({ status, headers }: HttpResponse) =>
  status === 308 || headers['x-http-status-code-override'] === '308';

/** Returns the offset after `Range: bytes=0-<last>`; no header: nothing is stored. */
function nextOffset(range: string | undefined): number {
  const last = /^bytes=0-(\d+)$/.exec(range ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}
