import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import type { StepContext, StepResult } from '../contract/publisher.ts';
import type { Caller } from './call.ts';
import type { Credentials } from './credentials.ts';
import {
  appendUpload,
  finalizeUpload,
  initializeUpload,
  setAltText,
  uploadStatus,
  type Processing,
} from './media-calls.ts';
import { mediaRejected, openMedia, type Media } from './media.ts';

const UploadSchema = v.object({
  id: v.string(),
  category: v.picklist(['tweet_image', 'tweet_gif', 'tweet_video']),
  size: v.number(),
  /** Next part to send. */
  segment: v.number(),
  finalized: v.boolean(),
  ready: v.boolean(),
});
type Upload = v.InferOutput<typeof UploadSchema>;

export const StateSchema = v.object({
  /** One a media URL, in order; only the last may be unfinished. */
  uploads: v.array(UploadSchema),
  /** X refused what had been uploaded and everything was sent again: not a second time. */
  restarted: v.boolean(),
  /** When X began to process; epoch milliseconds. */
  processing_since: v.nullable(v.number()),
});
export type State = v.InferOutput<typeof StateSchema>;

export const FRESH: State = { uploads: [], restarted: false, processing_since: null };

const MIB = 1024 * 1024;
/** Larger parts were refused now and then; X counts at most 1000 of them. */
const SMALLEST_PART = MIB;
const MAX_SEGMENTS = 1000;
const PARTS_A_CHECKPOINT = 16;
/**
 * A part is fetched and sent within this, time-outs included. Less than the rules' `request_s`,
 * so that a step that is begun gets on.
 */
const TIME_FOR_A_PART_MS = 28_000;
const TIME_FOR_CLEANUP_MS = 2000;
const PROCESSING_LIMIT_MS = 20 * 60_000;

export function callerOf({ http, credentials, now }: StepContext<Credentials>): Caller {
  return { http, token: credentials.access_token, now };
}

/** Sends the files, part by part. Goes on where the last checkpoint ended. */
export async function upload(context: StepContext<Credentials>, state: State): Promise<StepResult<State>> {
  const { media_urls: urls } = context.job;
  let current = state;
  let parts = 0;
  while (fileIndex(current) < urls.length) {
    if (parts >= PARTS_A_CHECKPOINT || context.remainingMs() < TIME_FOR_A_PART_MS) {
      return { type: 'again', state: current };
    }
    const sent = await sendFile(context, current, PARTS_A_CHECKPOINT - parts);
    current = sent.state;
    parts += sent.parts;
  }
  return { type: 'next', state: current };
}

function fileIndex({ uploads }: State): number {
  return uploads.at(-1)?.finalized === false ? uploads.length - 1 : uploads.length;
}

interface Sent {
  state: State;
  parts: number;
}

async function sendFile(context: StepContext<Credentials>, state: State, maxParts: number): Promise<Sent> {
  const index = fileIndex(state);
  const done = state.uploads.slice(0, index);
  const begun = state.uploads[index];
  const media = await openFile(context, index);
  try {
    const resumed = begun?.size === media.size && begun.category === media.category ? begun : null;
    const session = resumed ?? (await begin(callerOf(context), media));
    const { upload: sent, parts } = await sendParts(context, media, session, maxParts);
    return { state: { ...state, uploads: [...done, sent] }, parts };
  } catch (error) {
    if (!begun || state.restarted || !isRefusedMedia(error)) throw error;
    // The session of an earlier run is gone or broken: this file anew.
    return { state: { ...state, uploads: done, restarted: true }, parts: 0 };
  } finally {
    await media.close();
  }
}

function openFile(context: StepContext<Credentials>, index: number): Promise<Media> {
  const timeoutMs = Math.max(TIME_FOR_CLEANUP_MS, context.remainingMs() - TIME_FOR_CLEANUP_MS);
  return openMedia(context, context.job.media_urls[index] ?? '', timeoutMs);
}

async function begin(caller: Caller, { category, type, size }: Media): Promise<Upload> {
  const id = await initializeUpload(caller, {
    media_type: type,
    total_bytes: size,
    media_category: category,
  });
  return { id, category, size, segment: 0, finalized: false, ready: false };
}

async function sendParts(
  context: StepContext<Credentials>,
  media: Media,
  session: Upload,
  maxParts: number,
): Promise<{ upload: Upload; parts: number }> {
  const caller = callerOf(context);
  const length = partSize(media.size);
  let { segment } = session;
  let parts = 0;
  for (; segment * length < media.size; segment += 1, parts += 1) {
    if (parts >= maxParts || context.remainingMs() < TIME_FOR_A_PART_MS) {
      return { upload: { ...session, segment }, parts };
    }
    const start = segment * length;
    const bytes = await media.read(start, Math.min(length, media.size - start));
    await appendUpload(caller, session.id, segment, bytes);
  }
  const processing = assertNotFailed(await finalizeUpload(caller, session.id));
  // Of GIF and video the status is read at least once, whatever the last call said.
  const ready = session.category === 'tweet_image' && processing.state === 'ready';
  return { upload: { ...session, segment, finalized: true, ready }, parts };
}

export function partSize(total: number): number {
  return Math.max(SMALLEST_PART, Math.ceil(total / MAX_SEGMENTS));
}

function isRefusedMedia(error: unknown): boolean {
  return error instanceof PlatformError && error.code === 'MEDIA_REJECTED';
}

function assertNotFailed(processing: Processing): Exclude<Processing, { state: 'failed' }> {
  if (processing.state === 'failed')
    throw mediaRejected(`X could not process the media: ${processing.reason}`);
  return processing;
}

/** Looks whether X has processed every file; never waits by itself. */
export async function awaitProcessing(context: StepContext<Credentials>, state: State): Promise<StepResult<State>> {
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

/** The one alt text for every picture. A refusal costs the description, never the post. */
export async function describe(context: StepContext<Credentials>, state: State): Promise<StepResult<State>> {
  const text = context.job.options['x_alt_text'];
  if (typeof text !== 'string' || text === '') return { type: 'next', state };
  for (const { id, category } of state.uploads) {
    if (category === 'tweet_video') continue;
    await setAltText(callerOf(context), id, text).catch((error: unknown) => {
      if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    });
  }
  return { type: 'next', state };
}
