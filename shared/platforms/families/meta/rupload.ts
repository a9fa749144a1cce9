import type { HttpRequest } from '../../../net/http.ts';
import { MINUTE } from '../../../time/instant.ts';
import { PlatformError } from '../../contract/error.ts';
import type { ErrorRow } from './error-row.ts';
import type { GraphClient } from './graph.ts';
import { SuccessSchema } from './json.ts';

/* Uploads of videos to rupload.facebook.com, which has headers instead of parameters and errors of its own. */

const HOST = 'rupload.facebook.com';
const TIMEOUT_MS = MINUTE;

/** The offset differs from what the host has stored. */
export const OFFSET_INVALID = 'OffsetInvalidError';

/** Errors of the upload host. A platform that uploads adds them to its own. */
export const UPLOAD_ERRORS: readonly ErrorRow[] = [
  {
    type: 'PartialRequestError',
    kind: 'transient',
    failure: 'PLATFORM_UNAVAILABLE',
  },
  { type: OFFSET_INVALID, kind: 'transient', failure: 'PLATFORM_UNAVAILABLE' },
  { type: 'ProcessingFailedError', kind: 'transient', failure: 'MEDIA_REJECTED' },
];

/** Returns the upload URL of a session. Throws PlatformError unless it is at Meta: the request to it carries the token. */
export function checkedUploadUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' && url.host === HOST) return text;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Starting the upload: the platform named an unexpected upload URL',
  });
}

/** Lets Meta fetch the file from a URL. The request must have no body. */
export async function uploadByUrl(client: GraphClient, uploadUrl: string, fileUrl: string): Promise<void> {
  await upload(client, uploadUrl, { headers: { file_url: fileUrl, 'content-length': '0' } });
}

/** Sends the bytes from `offset` to the end of a file of `size` bytes. */
export async function uploadBytes(
  client: GraphClient,
  uploadUrl: string,
  {
    offset,
    size,
    body,
    timeoutMs,
  }: { offset: number; size: number; body: HttpRequest['body']; timeoutMs?: number },
): Promise<void> {
  await upload(client, uploadUrl, {
    body,
    headers: {
      offset: String(offset),
      file_size: String(size),
      'content-type': 'application/octet-stream',
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

async function upload(
  client: GraphClient,
  uploadUrl: string,
  request: { headers: Record<string, string>; body?: HttpRequest['body']; timeoutMs?: number },
): Promise<void> {
  const { origin, pathname, search } = new URL(checkedUploadUrl(uploadUrl));
  await client.call(
    {
      timeoutMs: TIMEOUT_MS,
      ...request,
      what: 'Uploading the video',
      purpose: 'prepare',
      method: 'POST',
      root: origin,
      path: `${pathname}${search}`,
      scheme: 'OAuth',
      proof: false,
    },
    SuccessSchema,
  );
}
