import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { NO_PROGRESS, uploadParts, type PartsUpload, type Progress } from '../kit/parts.ts';
import { GB, MB } from '../kit/sizes.ts';
import { YoutubeError } from './errors.ts';
import { optionsOf, restrictionOf } from './options.ts';
import { reserveFor } from './reserve.ts';
import { videoResource } from './resource.ts';
import { callerOf, type Context, type Session, type State } from './state.ts';
import { openUpload, queryUpload, sendChunk, type UploadState } from './upload-calls.ts';
import { findUpload } from './videos.ts';

/** Multiples of 256 KiB, as the protocol demands. */
const CHUNK_BYTES = 8 * MB;
const LARGE_CHUNK_BYTES = 16 * MB;
/** Fetching and sending a chunk, time-outs included. Less than the rules' `request_s`, so that every step progresses. */
const CHUNK_MS = 90 * SECOND;
const CLEANUP_MS = 2 * SECOND;
const MAX_SESSIONS = 3;
/** A post that is due later than this is uploaded as a private video. */
const HOLD_MS = 30 * SECOND;
/** A finished upload may not be in the channel's list at once. */
const SEARCH_AGAIN_MS = MINUTE;

/** Thrown when a session is unknown. Once its last byte was sent, its video may exist nevertheless. */
export class SessionGone extends Error {
  override readonly name = 'SessionGone';
}

/**
 * Uploads the video but for its last chunk; a held video completely. No video exists before its last byte was accepted,
 * so a lost session is replaced until then.
 */
export async function upload(context: Context, state: State): Promise<StepResult<State>> {
  const { session, finishing, video_id } = state;
  if (video_id !== null) return { type: 'next', state };
  if (!session) return { type: 'again', state: await openSession(context, state) };
  if (finishing) return finishHeld(context, state, session);
  try {
    const { done, progress } = await sendBeginning(context, session, state.progress);
    const next = { ...state, progress };
    if (!done) return { type: 'again', state: next };
    // Stored before the last chunk is sent: from then on the video may exist.
    return session.held
      ? { type: 'again', state: { ...next, finishing: true } }
      : { type: 'next', state: next };
  } catch (error) {
    if (error instanceof SessionGone) return { type: 'again', state: withoutSession(state) };
    throw error;
  }
}

/** Returns the state in which another session is opened. Throws PlatformError once too many were lost. */
export function withoutSession(state: State): State {
  if (state.sessions < MAX_SESSIONS) {
    return { ...state, session: null, progress: NO_PROGRESS, finishing: false, searched_at: null };
  }
  throw new PlatformError({
    kind: 'rejected',
    code: 'PLATFORM_UNAVAILABLE',
    message: `YouTube lost ${MAX_SESSIONS} upload sessions of this video`,
  });
}

async function openSession(context: Context, state: State): Promise<State> {
  const { job, now } = context;
  const options = optionsOf(job);
  const { youtube_privacy_status: privacy } = options;
  const { size, type } = await withFile(context, file =>
    Promise.resolve({ size: file.size, type: typeOf(file) }),
  );
  const held = job.due_at - now() > HOLD_MS || restrictionOf(options) !== null;
  await reserveFor(context, held);
  const slug = `${job.post_id}-${now().toString(36)}`;
  const open = (withPlacement: boolean) =>
    openUpload(callerOf(context), {
      resource: videoResource(job, held ? 'private' : privacy, withPlacement),
      size,
      type,
      slug,
      notifySubscribers: privacy === 'public',
    });
  const { url, placement_refused } = await openWithPlacement(open, state.placement_refused);
  const session: Session = { url, slug, size, type, opened_at: now(), held };
  return { ...state, session, placement_refused, sessions: state.sessions + 1, progress: NO_PROGRESS };
}

/** Where YouTube does not accept the declaration of paid promotion here, a follow-up makes it. */
async function openWithPlacement(
  open: (withPlacement: boolean) => Promise<string>,
  refused: boolean,
): Promise<{ url: string; placement_refused: boolean }> {
  if (refused) return { url: await open(false), placement_refused: true };
  try {
    return { url: await open(true), placement_refused: false };
  } catch (error) {
    const namesIt = error instanceof YoutubeError && /paid_?product_?placement/i.test(error.location);
    if (!namesIt) throw error;
    return { url: await open(false), placement_refused: true };
  }
}

/** The announced type of the chunks. */
const typeOf = ({ facts }: UserFile) =>
  facts.type.startsWith('video/') ? facts.type : 'application/octet-stream';

async function withFile<T>(context: Context, work: (file: UserFile) => Promise<T>): Promise<T> {
  const { files, job, remainingMs } = context;
  const file = await files.open(job.media_urls[0] ?? '', Math.max(CLEANUP_MS, remainingMs() - CLEANUP_MS));
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/** Sends chunks until at most one is left. */
function sendBeginning(context: Context, session: Session, from: Progress) {
  return withFile(context, file => {
    const { plan } = partsOf(context, session, file);
    return uploadParts(
      { ...plan, file: { size: session.size - chunkBytes(session), read: file.read } },
      from,
    );
  });
}

/** Sends the rest and returns the id of the video; null where the time of the invocation is over before. */
export function sendRest(context: Context, session: Session, from: Progress): Promise<string | null> {
  return withFile(context, async file => {
    const { plan, videoId } = partsOf(context, session, file);
    await uploadParts(plan, from);
    return videoId();
  });
}

function partsOf(context: Context, session: Session, file: UserFile) {
  const { url, size, type } = session;
  if (file.size !== size) throw fileChanged();
  const caller = callerOf(context);
  let videoId: string | null = null;
  const offsetOf = (state: UploadState): number => {
    if (state.type === 'gone') throw new SessionGone('The upload session is gone');
    if (state.type === 'partial') return state.offset;
    videoId = state.video_id;
    return size;
  };
  const plan: PartsUpload = {
    file,
    // The session decides where the next chunk starts.
    partAt: offset => ({ index: 0, start: offset, end: Math.min(size, offset + chunkBytes(session)) }),
    send: async ({ start, bytes }) => ({
      offset: offsetOf(await sendChunk(caller, url, { start, bytes, size, type })),
    }),
    confirmedOffset: async () => offsetOf(await queryUpload(caller, url, size)),
    remainingMs: context.remainingMs,
    partMs: CHUNK_MS,
  };
  return { plan, videoId: () => videoId };
}

const chunkBytes = ({ size }: Session) => (size > GB ? LARGE_CHUNK_BYTES : CHUNK_BYTES);

const fileChanged = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'MEDIA_REJECTED',
    message: 'The video file changed while it was uploaded: post it again',
  });

async function finishHeld(context: Context, state: State, session: Session): Promise<StepResult<State>> {
  const uploaded = (video_id: string): StepResult<State> => ({
    type: 'next',
    state: { ...state, video_id, uploaded_at: context.now() },
  });
  try {
    const videoId = await sendRest(context, session, state.progress);
    if (videoId === null) return { type: 'again', state };
    return uploaded(videoId);
  } catch (error) {
    if (!(error instanceof SessionGone)) throw error;
    const search = await searchTwice(context, state, session);
    if (search.type === 'found') return uploaded(search.video_id);
    return search.type === 'wait' ? search : { type: 'again', state: withoutSession(state) };
  }
}

type Search =
  | { type: 'found'; video_id: string }
  | { type: 'absent' }
  /** The second search is due. */
  | { type: 'wait'; state: State; delayMs: number };

/**
 * Searches the channel for the video of a session that is gone. Its last byte may have been sent, in an earlier
 * invocation too, so that a new upload could make a second video: absent after two searches only.
 */
export async function searchTwice(context: Context, state: State, session: Session): Promise<Search> {
  const { now } = context;
  const video_id = await searchUpload(context, session);
  if (video_id !== null) return { type: 'found', video_id };
  const { searched_at: since } = state;
  if (since !== null && now() - since >= SEARCH_AGAIN_MS) return { type: 'absent' };
  return {
    type: 'wait',
    state: { ...state, searched_at: since ?? now() },
    delayMs: SEARCH_AGAIN_MS,
  };
}

/** Searches the channel for the video of a session. Returns its id; null for none. */
export function searchUpload(context: Context, session: Session): Promise<string | null> {
  const { job } = context;
  const playlist = job.account.attributes['uploads_playlist'] ?? '';
  const { slug, size, opened_at } = session;
  return findUpload(callerOf(context), playlist, { slug, size, title: job.title ?? '', since: opened_at });
}
