import { Readable } from 'node:stream';
import { FILE_OF_FORMAT } from '../../model/media.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { uploadParts } from '../kit/parts.ts';
import { MB } from '../kit/sizes.ts';
import { chunkBytesOf } from './app.ts';
import { chunkAt, lastChunkStart, planChunks } from './chunks.ts';
import { initVideo } from './client.ts';
import { isChunkSizeRefused, unavailable } from './errors.ts';
import { restarted } from './fail-reasons.ts';
import { videoInfo } from './post-info.ts';
import { standingOf } from './standing.ts';
import { callerOf, type Context, type State, type Upload } from './state.ts';
import { putChunk, type ChunkResult } from './upload-calls.ts';

/** Opening the file and sending a chunk; together less than the rules' `request_s`. */
const OPEN_MS = 20 * SECOND;
const PUT_MS = 90 * SECOND;
const PIECE_BYTES = 4 * MB;
const MAX_RESTARTS = 3;
/** Tried after the usual size, where TikTok refuses that. Both give several chunks for every video that needs them. */
const OTHER_CHUNK_BYTES = [20_000_000, 32_000_000];

/** Announces the video and sends all of it but its last chunk: with that one, TikTok publishes it. */
export async function uploadVideo(context: Context, state: State): Promise<StepResult<State>> {
  const file = await context.files.open(context.job.media_urls[0] ?? '', OPEN_MS);
  try {
    const { upload } = state;
    // Stored before the first byte is sent: without its id, nobody could ask for the post.
    if (upload?.size !== file.size) return { type: 'again', state: await announce(context, state, file) };
    return await sendBeginning(context, state, upload, file);
  } finally {
    await file.close();
  }
}

async function announce(context: Context, state: State, file: UserFile): Promise<State> {
  assertShortEnough(state, file);
  const { app, job, quota } = context;
  const sizes = [chunkBytesOf(app), ...OTHER_CHUNK_BYTES];
  const plan = planChunks(file.size, sizes[state.refused_chunks] ?? chunkBytesOf(app));
  const source = {
    source: 'FILE_UPLOAD',
    video_size: plan.size,
    chunk_size: plan.chunk_bytes,
    total_chunk_count: plan.chunks,
  };
  await quota.spend('init', 1);
  try {
    const { publish_id, upload_url } = await initVideo(callerOf(context), videoInfo(job, state), source);
    const { type } = FILE_OF_FORMAT[file.facts.format];
    return { ...state, publish_id, upload: { publish_id, url: upload_url, type, ...plan, offset: 0 } };
  } catch (error) {
    const mayHelp = isChunkSizeRefused(error) && plan.chunks > 1;
    if (!mayHelp || state.refused_chunks >= OTHER_CHUNK_BYTES.length) throw error;
    return { ...state, refused_chunks: state.refused_chunks + 1 };
  }
}

function assertShortEnough({ creator }: State, { facts: { duration } }: UserFile): void {
  if (!creator || duration === null || duration <= creator.max_seconds) return;
  throw new PlatformError({
    kind: 'rejected',
    code: 'MEDIA_REJECTED',
    message: `TikTok accepts videos of at most ${creator.max_seconds} seconds from this account; the video has ${Math.ceil(duration)}`,
  });
}

/** Thrown when the upload no longer exists. */
class UploadGone extends Error {
  override readonly name = 'UploadGone';
}

async function sendBeginning(
  context: Context,
  state: State,
  upload: Upload,
  file: UserFile,
): Promise<StepResult<State>> {
  const size = lastChunkStart(upload);
  if (upload.offset >= size) return { type: 'next', state };
  try {
    const { done, progress } = await uploadParts(
      {
        file: { size, read: file.read },
        partAt: chunkAt(upload),
        send: async ({ start, end, bytes }) => {
          const result = await putChunk(context.http, upload, { start, end, body: bytes }, PUT_MS);
          if (result.type === 'gone') throw new UploadGone();
          return result.type === 'more' ? { offset: result.offset } : {};
        },
        confirmedOffset: () => confirmedOffset(context, upload),
        remainingMs: context.remainingMs,
        partMs: PUT_MS + OPEN_MS,
      },
      { offset: upload.offset, receipts: [] },
    );
    const next = { ...state, upload: { ...upload, offset: progress.offset } };
    return { type: done ? 'next' : 'again', state: next };
  } catch (error) {
    if (!(error instanceof UploadGone)) throw error;
    return { type: 'again', state: { ...withoutUpload(state), creator: state.creator } };
  }
}

async function confirmedOffset(context: Context, upload: Upload): Promise<number> {
  const standing = await standingOf(context, upload.publish_id, upload);
  return standing.type === 'uploading' ? (standing.offset ?? upload.offset) : upload.offset;
}

/** Returns the state in which the video is announced anew. Only an incomplete upload may be given up: it never publishes. */
export function withoutUpload(state: State): State {
  if (state.restarts < MAX_RESTARTS) return restarted(state);
  throw unavailable("TikTok's upload URLs for the video expire too early");
}

/** Sends the last chunk, with which TikTok publishes the video. */
export async function sendLastChunk(context: Context, upload: Upload): Promise<ChunkResult> {
  const file = await context.files.open(context.job.media_urls[0] ?? '', OPEN_MS);
  try {
    const { start, end } = chunkAt(upload)(lastChunkStart(upload));
    const body = { stream: Readable.from(piecesOf(file, start)), length: end - start };
    return await putChunk(context.http, upload, { start, end, body }, PUT_MS);
  } finally {
    await file.close();
  }
}

async function* piecesOf({ size, read }: UserFile, from: number): AsyncGenerator<Buffer> {
  for (let start = from; start < size; start += PIECE_BYTES) {
    yield await read(start, Math.min(PIECE_BYTES, size - start));
  }
}
