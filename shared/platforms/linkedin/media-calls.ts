import * as v from 'valibot';
import type { HttpRequest } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { read, send, type Caller } from './call.ts';
import { readErrorResponse, toPlatformError } from './errors.ts';
import { encodeUrn, urnOf } from './urn.ts';

/* Calls for the media of a post. All throw PlatformError. */

const Asset = urnOf('image', 'document', 'video');
export type SingleFileKind = 'image' | 'document';

const SingleSchema = v.object({
  value: v.object({ uploadUrl: v.string(), image: v.optional(Asset), document: v.optional(Asset) }),
});

/** Starts the upload of an image or a document, which is sent in one piece. */
export async function initializeUpload(
  caller: Caller,
  kind: SingleFileKind,
  owner: string,
): Promise<{ id: string; url: string }> {
  const { value } = await read(
    caller,
    {
      what: `Starting the upload of the ${kind}`,
      purpose: 'upload',
      method: 'POST',
      path: `/rest/${kind}s?action=initializeUpload`,
      json: { initializeUploadRequest: { owner } },
    },
    v.pipe(
      SingleSchema,
      v.check(answer => answer.value[kind] !== undefined),
    ),
  );
  return { id: value[kind] ?? '', url: value.uploadUrl };
}

const VideoSchema = v.object({
  value: v.object({
    video: Asset,
    uploadToken: v.optional(v.string(), ''),
    uploadUrlsExpireAt: v.nullish(v.number(), null),
    uploadInstructions: v.pipe(
      v.array(v.object({ uploadUrl: v.string(), firstByte: v.number(), lastByte: v.number() })),
      v.nonEmpty(),
    ),
  }),
});

/** Where the bytes `[start, end)` of a video are sent. */
export interface VideoPart {
  url: string;
  start: number;
  end: number;
}

export interface VideoUpload {
  id: string;
  /** May be empty, and must be sent back all the same. */
  token: string;
  parts: VideoPart[];
  /** End of the upload URLs, epoch milliseconds; null where LinkedIn does not say. */
  expires_at: number | null;
}

/** Starts the upload of a video of exactly this size. */
export async function initializeVideo(caller: Caller, owner: string, size: number): Promise<VideoUpload> {
  const { value } = await read(
    caller,
    {
      what: 'Starting the upload of the video',
      purpose: 'upload',
      method: 'POST',
      path: '/rest/videos?action=initializeUpload',
      json: {
        initializeUploadRequest: {
          owner,
          fileSizeBytes: size,
          uploadCaptions: false,
          uploadThumbnail: false,
        },
      },
    },
    VideoSchema,
  );
  return {
    id: value.video,
    token: value.uploadToken,
    parts: value.uploadInstructions.map(({ uploadUrl, firstByte, lastByte }) => ({
      url: uploadUrl,
      start: firstByte,
      end: lastByte + 1,
    })),
    expires_at: value.uploadUrlsExpireAt,
  };
}

/** Completes the upload of a video. `partIds`: the ETag of each part, in order. */
export async function finalizeVideo(
  caller: Caller,
  { id, token }: Pick<VideoUpload, 'id' | 'token'>,
  partIds: readonly string[],
): Promise<void> {
  await send(caller, {
    what: 'Finishing the upload of the video',
    purpose: 'upload',
    method: 'POST',
    path: '/rest/videos?action=finalizeUpload',
    json: { finalizeUploadRequest: { video: id, uploadToken: token, uploadedPartIds: [...partIds] } },
  });
}

export interface Upload {
  what: string;
  url: string;
  type: string;
  body: NonNullable<HttpRequest['body']>;
  /** The URL of an image or document needs the access token, that of a video part must not have it. */
  authorized: boolean;
  timeoutMs: number;
}

/** Sends bytes to an upload URL. Returns the ETag, or null where the URL has expired. */
export async function putBytes(caller: Caller, upload: Upload): Promise<string | null> {
  const { what, url, type, body, authorized, timeoutMs } = upload;
  assertLinkedIn(url);
  const headers = {
    'content-type': type,
    ...(authorized && { authorization: `Bearer ${caller.token}` }),
  };
  const response = await sendRequest(caller.http, { method: 'PUT', url, headers, body, timeoutMs }, what);
  const { status } = response;
  if (status >= 200 && status <= 299) return unquoted(response.headers['etag'] ?? '');
  const isExpired =
    status === 410 ||
    (!authorized && (status === 403 || status === 404)) ||
    readErrorResponse(response).codes.includes('EXPIRED_UPLOAD_URL');
  if (isExpired) return null;
  throw toPlatformError(response, 'upload', what, caller.now());
}

/** The value is opaque, but its quotes belong to the header. */
const unquoted = (etag: string) => etag.replace(/^(?:W\/)?"(.*)"$/, '$1');

/** The access token goes to LinkedIn only. */
function assertLinkedIn(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  if (protocol === 'https:' && /(?:^|\.)linkedin\.com$/.test(hostname)) return;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'LinkedIn named an upload URL that is not its own',
  });
}

export type Processing =
  { state: 'ready' | 'working' | 'waiting_upload' } | { state: 'failed'; reason: string };

const StatusSchema = v.object({ status: v.string(), processingFailureReason: v.nullish(v.string(), null) });

/** Reads the state of an image, document or video. */
export async function readStatus(caller: Caller, id: string): Promise<Processing> {
  const kind = id.split(':')[2] ?? '';
  const path = `/rest/${kind}s/${encodeUrn(id)}`;
  const call = { what: `Reading the state of the ${kind}`, purpose: 'status', method: 'GET', path } as const;
  const { status, processingFailureReason } = await read(caller, call, StatusSchema);
  switch (status) {
    case 'AVAILABLE':
      return { state: 'ready' };
    case 'PROCESSING_FAILED':
      return { state: 'failed', reason: processingFailureReason ?? 'no reason given' };
    case 'WAITING_UPLOAD':
      return { state: 'waiting_upload' };
    default:
      return { state: 'working' };
  }
}
