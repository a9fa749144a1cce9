import * as v from 'valibot';
import { multipart } from '../../net/multipart.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { Acknowledged, API, Id, send, type Caller } from './call.ts';
import type { EncryptedPart, Encryption } from './encryption.ts';

/* Calls for the media of a post. All throw PlatformError. */

const PART_TIMEOUT_MS = 60 * SECOND;

const paths = { add_path: v.string(), finalize_path: v.string() };
const FlatSchema = v.object({ media_id: Id, ...paths });
/** The form of the Ads API, which some implementations expect. */
const NestedSchema = v.pipe(
  v.object({ media: v.tupleWithRest([v.object({ media: v.object({ id: Id, ...paths }) })], v.unknown()) }),
  v.transform(({ media: [{ media }] }) => ({ ...media, media_id: media.id })),
);

export interface MediaObject {
  media_id: string;
  add_path: string;
  finalize_path: string;
}

export interface NewMedia extends Encryption {
  type: 'IMAGE' | 'VIDEO';
  name: string;
}

/** Creates a media object for a file that is encrypted with this key and IV. */
export async function createMedia(caller: Caller, profile: string, media: NewMedia): Promise<MediaObject> {
  const { type, name, key, iv } = media;
  const path = `/v1/public_profiles/${profile}/media`;
  const call = { what: 'Creating the media', method: 'POST', path, json: { type, name, key, iv } } as const;
  const { media_id, add_path, finalize_path } = await send(caller, call, v.union([FlatSchema, NestedSchema]));
  return { media_id, add_path: ownPath(add_path), finalize_path: ownPath(finalize_path) };
}

/** Returns a path on Snapchat's host. The access token must not go anywhere else. */
function ownPath(path: string): string {
  const isAbsolute = /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(path);
  const text = isAbsolute ? path : `/${path}`;
  const url = URL.canParse(text, API) ? new URL(text, API) : null;
  if (url?.origin === API) return `${url.pathname}${url.search}`;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Snapchat named an upload address that is not its own',
  });
}

/** Uploads one part of the ciphertext; `number` counts from 1. Sending it again replaces it. */
export async function addPart(
  caller: Caller,
  path: string,
  number: number,
  { size, read }: EncryptedPart,
): Promise<void> {
  const fields = { action: 'ADD', part_number: String(number) };
  const file = { name: `part-${number}`, type: 'application/octet-stream', size, read };
  await sendForm(caller, 'Uploading the media', path, multipart(fields, { file }), PART_TIMEOUT_MS);
}

/** Completes the upload. */
export async function finalizeMedia(caller: Caller, path: string): Promise<void> {
  await sendForm(caller, 'Completing the upload', path, multipart({ action: 'FINALIZE' }, {}));
}

async function sendForm(
  caller: Caller,
  what: string,
  path: string,
  { contentType, body }: ReturnType<typeof multipart>,
  timeoutMs?: number,
): Promise<void> {
  const call = { what, method: 'POST', path, headers: { 'content-type': contentType }, body } as const;
  await send(caller, { ...call, ...(timeoutMs !== undefined && { timeoutMs }) }, Acknowledged);
}
