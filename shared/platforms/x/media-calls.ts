import * as v from 'valibot';
import { multipart } from '../../net/multipart.ts';
import { PlatformError } from '../contract/error.ts';
import { Acknowledged, fetchResponse, Id, parseResponse, send, type Call, type Caller } from './call.ts';

/* The media calls of API v2. Each throws PlatformError for any response other than a success. */

const APPEND_TIMEOUT_MS = 15_000;

export type MediaCategory = 'tweet_image' | 'tweet_gif' | 'tweet_video';

/** Starts an upload session and returns its media id. */
export async function initializeUpload(
  caller: Caller,
  media: { media_type: string; total_bytes: number; media_category: MediaCategory },
): Promise<string> {
  const { data } = await send(
    caller,
    {
      what: 'Starting the media upload',
      purpose: 'media',
      method: 'POST',
      path: '/media/upload/initialize',
      json: { ...media, shared: false },
    },
    v.object({ data: v.object({ id: Id }) }),
  );
  return data.id;
}

/** X accepts no part of this size, although its reference allows it. */
export class PartTooLarge extends PlatformError {
  constructor(bytes: number) {
    const message = `Uploading media: X does not accept parts of ${bytes} bytes`;
    super({ kind: 'rejected', code: 'MEDIA_REJECTED', message });
  }
}

/** Uploads one part. Uploading the same part again is harmless. Throws PartTooLarge where a smaller one may pass. */
export async function appendUpload(
  caller: Caller,
  id: string,
  segment: number,
  bytes: Uint8Array,
): Promise<void> {
  const media = { name: 'media', type: 'application/octet-stream', bytes };
  const form = multipart({ segment_index: String(segment) }, { media });
  const call: Call = {
    what: 'Uploading media',
    purpose: 'media',
    method: 'POST',
    path: `/media/upload/${id}/append`,
    headers: { 'content-type': form.contentType },
    body: form.body,
    timeoutMs: APPEND_TIMEOUT_MS,
  };
  const response = await fetchResponse(caller, call);
  // From the edge of X, usually with an empty body.
  if (response.status === 413 || response.status === 431) throw new PartTooLarge(bytes.byteLength);
  parseResponse(response, call, Acknowledged, caller.now());
}

const MediaStatusSchema = v.object({
  data: v.object({
    id: Id,
    processing_info: v.optional(
      v.object({
        state: v.string(),
        check_after_secs: v.optional(v.number()),
        error: v.optional(v.object({ name: v.optional(v.string()), message: v.optional(v.string()) })),
      }),
    ),
  }),
  errors: v.optional(
    v.array(v.object({ title: v.optional(v.string()), detail: v.optional(v.string()) })),
    [],
  ),
});

export type Processing =
  { state: 'ready' } | { state: 'working'; checkAfterMs: number } | { state: 'failed'; reason: string };

function processingOf({ data, errors }: v.InferOutput<typeof MediaStatusSchema>): Processing {
  const info = data.processing_info;
  if (info === undefined || info.state === 'succeeded') return { state: 'ready' };
  if (info.state !== 'failed') return { state: 'working', checkAfterMs: (info.check_after_secs ?? 1) * 1000 };
  const reason = info.error ?? { name: errors[0]?.title, message: errors[0]?.detail };
  return {
    state: 'failed',
    reason: [reason.name, reason.message].filter(Boolean).join(': ') || 'no reason given',
  };
}

/** Completes an upload. X requires the body `{}` since July 2026, although the reference documents none. */
export async function finalizeUpload(caller: Caller, id: string): Promise<Processing> {
  const call = { what: 'Finishing the media upload', purpose: 'media', method: 'POST', json: {} } as const;
  return processingOf(
    await send(caller, { ...call, path: `/media/upload/${id}/finalize` }, MediaStatusSchema),
  );
}

export async function uploadStatus(caller: Caller, id: string): Promise<Processing> {
  const call = { what: 'Reading the media status', purpose: 'media', method: 'GET' } as const;
  return processingOf(
    await send(caller, { ...call, path: `/media/upload?media_id=${id}&command=STATUS` }, MediaStatusSchema),
  );
}

export async function setAltText(caller: Caller, id: string, text: string): Promise<void> {
  const json = { id, metadata: { alt_text: { text } } };
  const call = { what: 'Setting the alt text', purpose: 'media', method: 'POST' } as const;
  await send(caller, { ...call, path: '/media/metadata', json }, Acknowledged);
}
