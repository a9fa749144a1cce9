import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { listedParts, NO_PROGRESS, uploadParts, type PartsResult } from '../kit/parts.ts';
import {
  assertMayPost,
  authorOf,
  callerOf,
  MAX_RESTARTS,
  unavailable,
  type Context,
  type State,
  type VideoSession,
} from './context.ts';
import { finalizeVideo, initializeVideo, putBytes, readStatus } from './media-calls.ts';
import { uploadedAgain } from './processing.ts';

const OPEN_MS = 30_000;
const PUT_MS = 25_000;
/** Reading and sending one part of 4 MiB, time-outs included. */
const PART_MS = 50_000;
/** A video of 5 GB has 1,200 parts, and storing its checkpoint costs by its size: 80 MB are sent in between. */
const PARTS_PER_CHECKPOINT = 20;

/** The URL of a part has expired. The upload starts again: nothing has been published yet. */
class UploadExpired extends Error {}

/** Sends the parts of the video that are still missing. */
export async function uploadVideo(context: Context, state: State): Promise<StepResult<State>> {
  assertMayPost(context);
  const file = await context.files.open(context.job.media_urls[0] ?? '', OPEN_MS);
  try {
    const session = usableSession(state.video, file, context.now()) ?? (await begin(context, file));
    const { done, progress } = await sendParts(context, file, session);
    const parts = session.parts.filter(({ start }) => start >= progress.offset);
    const video = { ...session, parts, progress };
    return { type: done ? 'next' : 'again', state: { ...state, assets: [video.id], video } };
  } catch (error) {
    if (!(error instanceof UploadExpired)) throw error;
    if (state.restarts >= MAX_RESTARTS)
      throw unavailable("LinkedIn's upload URLs for the video expire too early");
    return { type: 'again', state: { ...state, assets: [], video: null, restarts: state.restarts + 1 } };
  } finally {
    await file.close();
  }
}

/** The session of an earlier run, unless it has expired or belongs to a file of another size. */
function usableSession(session: VideoSession | null, { size }: UserFile, now: number): VideoSession | null {
  if (session?.size !== size) return null;
  return session.expires_at !== null && session.expires_at <= now ? null : session;
}

async function begin(context: Context, { size }: UserFile): Promise<VideoSession> {
  const upload = await initializeVideo(callerOf(context), authorOf(context), size);
  const end = upload.parts.reduce((at, part) => (part.start === at ? part.end : NaN), 0);
  if (end !== size) throw unavailable('LinkedIn listed parts that do not make up the video');
  return { ...upload, size, progress: NO_PROGRESS };
}

function sendParts(context: Context, file: UserFile, session: VideoSession): Promise<PartsResult> {
  const caller = callerOf(context);
  const urls = new Map(session.parts.map(({ start, url }) => [start, url]));
  return uploadParts(
    {
      file,
      partAt: listedParts(session.parts),
      send: async ({ start, bytes }) => {
        const etag = await putBytes(caller, {
          what: 'Uploading the video',
          url: urls.get(start) ?? '',
          type: 'application/octet-stream',
          body: bytes,
          authorized: false,
          timeoutMs: PUT_MS,
        });
        if (etag === null) throw new UploadExpired();
        // Something before the storage answered: the part may not have arrived.
        if (etag === '') throw unavailable('LinkedIn confirmed a part of the video without its ETag');
        return { receipt: etag };
      },
      remainingMs: context.remainingMs,
      partMs: PART_MS,
      maxParts: PARTS_PER_CHECKPOINT,
    },
    session.progress,
  );
}

/**
 * Completes the upload. The state of the video tells what a rejection means: it still waits for its parts, which are
 * sent again, or an earlier run has completed it and the response was lost.
 */
export async function finishVideo(context: Context, state: State): Promise<StepResult<State>> {
  const { video } = state;
  if (!video) throw new Error('The video has not been uploaded');
  const caller = callerOf(context);
  try {
    await finalizeVideo(caller, video, video.progress.receipts);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
    const { state: stage } = await readStatus(caller, video.id);
    if (stage === 'waiting_upload') {
      if (state.restarts >= MAX_RESTARTS) throw error;
      return uploadedAgain(state);
    }
  }
  // The ETags are needed no more.
  return { type: 'next', state: { ...state, video: null } };
}
