import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import type { StepContext, StepResult } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { equalParts, NO_PROGRESS, ProgressSchema, uploadParts } from '../kit/parts.ts';
import { MB } from '../kit/sizes.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';
import {
  appendUpload,
  finalizeUpload,
  initializeUpload,
  PartTooLarge,
  setAltText,
  uploadStatus,
  type Processing,
} from './media-calls.ts';
import { mediaRejected, openMedia, type Media } from './media.ts';

const UploadSchema = v.object({
  id: v.string(),
  category: v.picklist(['tweet_image', 'tweet_gif', 'tweet_video']),
  size: v.number(),
  progress: ProgressSchema,
  finalized: v.boolean(),
  ready: v.boolean(),
});
type Upload = v.InferOutput<typeof UploadSchema>;

export const StateSchema = v.object({
  /** One per media URL, in order; only the last may be unfinished. */
  uploads: v.array(UploadSchema),
  /** X rejected the uploaded media and everything was sent again, which happens only once. */
  restarted: v.boolean(),
  /** X does not accept parts of the usual size. */
  small_parts: v.optional(v.boolean(), false),
  /** When X began to process the media. Epoch milliseconds. */
  processing_since: v.nullable(v.number()),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = {
  uploads: [],
  restarted: false,
  small_parts: false,
  processing_since: null,
};

/** X sometimes rejects larger parts, and accepts at most 1000 of them. */
const PART_BYTES = MB;
const SMALL_PART_BYTES = MB / 2;
const MAX_SEGMENTS = 1000;
const PARTS_PER_CHECKPOINT = 16;
/** Fetching and sending a part, time-outs included. Less than the rules' `request_s`, so that every step progresses. */
const PART_MS = 28_000;
const CLEANUP_MS = 2000;
const PROCESSING_LIMIT_MS = 20 * 60_000;

type Context = StepContext<Credentials>;

export function callerOf({ http, credentials, now }: Context): Caller {
  return { http, token: credentials.access_token, now };
}

/** Uploads the files in parts, from the last checkpoint on. */
export async function upload(context: Context, state: State): Promise<StepResult<State>> {
  const { media_urls: urls } = context.job;
  let current = state;
  let parts = 0;
  while (fileIndex(current) < urls.length) {
    if (parts >= PARTS_PER_CHECKPOINT || context.remainingMs() < PART_MS) {
      return { type: 'again', state: current };
    }
    const { state: next, sent, isPaused } = await sendFile(context, current, PARTS_PER_CHECKPOINT - parts);
    if (isPaused) return { type: 'again', state: next };
    current = next;
    parts += sent;
  }
  return { type: 'next', state: current };
}

function fileIndex({ uploads }: State): number {
  return uploads.at(-1)?.finalized === false ? uploads.length - 1 : uploads.length;
}

interface FileResult {
  state: State;
  /** Parts sent. */
  sent: number;
  /** The progress must be stored before the file continues. */
  isPaused: boolean;
}

async function sendFile(context: Context, state: State, maxParts: number): Promise<FileResult> {
  const index = fileIndex(state);
  const completed = state.uploads.slice(0, index);
  const begun = state.uploads[index];
  const media = await openFile(context, index);
  try {
    const resumed = begun?.size === media.size && begun.category === media.category ? begun : null;
    const session = resumed ?? (await begin(callerOf(context), media));
    const partBytes = partSize(media.size, state.small_parts ? SMALL_PART_BYTES : PART_BYTES);
    const { upload: next, sent } = await sendParts(context, media, session, { partBytes, maxParts });
    return { state: { ...state, uploads: [...completed, next] }, sent, isPaused: !next.finalized };
  } catch (error) {
    if (error instanceof PartTooLarge && !state.small_parts) {
      return { state: { ...state, uploads: completed, small_parts: true }, sent: 0, isPaused: false };
    }
    if (!begun || state.restarted || !isRejectedMedia(error)) throw error;
    // The session of an earlier run has expired or is broken: upload this file again.
    return { state: { ...state, uploads: completed, restarted: true }, sent: 0, isPaused: false };
  } finally {
    await media.close();
  }
}

function openFile(context: Context, index: number): Promise<Media> {
  const timeoutMs = Math.max(CLEANUP_MS, context.remainingMs() - CLEANUP_MS);
  return openMedia(context, context.job.media_urls[index] ?? '', timeoutMs);
}

async function begin(caller: Caller, { category, type, size }: Media): Promise<Upload> {
  const id = await initializeUpload(caller, {
    media_type: type,
    total_bytes: size,
    media_category: category,
  });
  return { id, category, size, progress: NO_PROGRESS, finalized: false, ready: false };
}

async function sendParts(
  context: Context,
  media: Media,
  session: Upload,
  { partBytes, maxParts }: { partBytes: number; maxParts: number },
): Promise<{ upload: Upload; sent: number }> {
  const caller = callerOf(context);
  const { done, progress, sent } = await uploadParts(
    {
      file: media,
      partAt: equalParts(media.size, partBytes),
      send: ({ index, bytes }) => appendUpload(caller, session.id, index, bytes).then(() => undefined),
      remainingMs: context.remainingMs,
      partMs: PART_MS,
      maxParts,
    },
    session.progress,
  );
  if (!done) return { upload: { ...session, progress }, sent };
  const processing = assertNotFailed(await finalizeUpload(caller, session.id));
  // The status of a GIF or video is read at least once, whatever this response says.
  const ready = session.category === 'tweet_image' && processing.state === 'ready';
  return { upload: { ...session, progress, finalized: true, ready }, sent };
}

function partSize(total: number, partBytes: number): number {
  return Math.max(partBytes, Math.ceil(total / MAX_SEGMENTS));
}

function isRejectedMedia(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'MEDIA_REJECTED';
}

function assertNotFailed(processing: Processing): Exclude<Processing, { state: 'failed' }> {
  if (processing.state === 'failed')
    throw mediaRejected(`X could not process the media: ${processing.reason}`);
  return processing;
}

/** Reads the processing state of every file. Returns `wait` instead of waiting. */
export async function awaitProcessing(context: Context, state: State): Promise<StepResult<State>> {
  const since = state.processing_since ?? context.now();
  const uploads = [...state.uploads];
  for (const [index, file] of uploads.entries()) {
    if (file.ready) continue;
    const processing = assertNotFailed(await uploadStatus(callerOf(context), file.id));
    if (processing.state === 'working') {
      if (context.now() - since > PROCESSING_LIMIT_MS) throw tooSlow();
      return {
        type: 'wait',
        state: { ...state, uploads, processing_since: since },
        delayMs: processing.checkAfterMs,
      };
    }
    uploads[index] = { ...file, ready: true };
  }
  return { type: 'next', state: { ...state, uploads } };
}

function tooSlow(): PlatformError {
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `X has not processed the media within ${PROCESSING_LIMIT_MS / 60_000} minutes`,
  });
}

/** Sets the alt text of every image. If X rejects it, the post is published without. */
export async function describe(context: Context, state: State): Promise<StepResult<State>> {
  for (const [index, { id, category }] of state.uploads.entries()) {
    const text = altTextOf(context.job, index);
    if (text === null || category === 'tweet_video') continue;
    await setAltText(callerOf(context), id, text).catch((error: unknown) => {
      if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    });
  }
  return { type: 'next', state };
}
