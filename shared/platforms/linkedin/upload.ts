import { Readable } from 'node:stream';
import type { FittedPicture, UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { MB } from '../kit/sizes.ts';
import { assertMayPost, authorOf, callerOf, unavailable, type Context, type State } from './context.ts';
import { initializeUpload, putBytes, type SingleFileKind, type Upload } from './media-calls.ts';
import { PICTURES } from './rules.ts';

/* Images and documents: each is sent in one piece. In parts, only the last one would stay. */

/** Opening and fetching a file, and sending it. Together less than the rules' `request_s`. */
const FETCH_MS = 30_000;
const PUT_MS = 60_000;
export const FILE_MS = FETCH_MS + PUT_MS;
/** Pieces in which a document is read while it is sent. */
const PIECE_BYTES = 4 * MB;
const MAX_EXPIRED = 2;

/** Uploads the images of a post, one after the other. */
export async function uploadImages(context: Context, state: State): Promise<StepResult<State>> {
  assertMayPost(context);
  const assets = [...state.assets];
  for (const url of context.job.media_urls.slice(assets.length)) {
    const isProgress = assets.length > state.assets.length;
    if (isProgress && context.remainingMs() < FILE_MS) return { type: 'again', state: { ...state, assets } };
    const file = await context.files.open(url, FETCH_MS);
    try {
      assets.push(await uploadPicture(context, await file.fitted(PICTURES)));
    } finally {
      await file.close();
    }
  }
  return { type: 'next', state: { ...state, assets } };
}

/** Uploads a picture and returns its URN. */
export function uploadPicture(context: Context, { bytes, type }: FittedPicture): Promise<string> {
  return sendFile(context, 'image', () => ({ type, body: bytes }));
}

/** Uploads the document of a post. */
export async function uploadDocument(context: Context, state: State): Promise<StepResult<State>> {
  assertMayPost(context);
  const file = await context.files.open(context.job.media_urls[0] ?? '', FETCH_MS);
  try {
    const { type } = file.facts;
    const id = await sendFile(context, 'document', () => ({ type, body: streamOf(file) }));
    return { type: 'next', state: { ...state, assets: [id] } };
  } finally {
    await file.close();
  }
}

/** Sends a file to a new upload URL, and to another one where that has expired. Returns the URN. */
async function sendFile(
  context: Context,
  kind: SingleFileKind,
  content: () => Pick<Upload, 'type' | 'body'>,
): Promise<string> {
  const caller = callerOf(context);
  for (let expired = 0; expired < MAX_EXPIRED; expired += 1) {
    const { id, url } = await initializeUpload(caller, kind, authorOf(context));
    const what = `Uploading the ${kind}`;
    const etag = await putBytes(caller, { what, url, authorized: true, timeoutMs: PUT_MS, ...content() });
    if (etag !== null) return id;
  }
  throw unavailable(`LinkedIn's upload URLs for the ${kind} had expired at once`);
}

function streamOf(file: UserFile): Upload['body'] {
  return { stream: Readable.from(piecesOf(file)), length: file.size };
}

async function* piecesOf({ size, read }: UserFile): AsyncGenerator<Buffer> {
  for (let start = 0; start < size; start += PIECE_BYTES) {
    yield await read(start, Math.min(PIECE_BYTES, size - start));
  }
}
