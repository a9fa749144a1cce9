import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { UserFile } from '../contract/media-files.ts';
import type { StepResult } from '../contract/publisher.ts';
import { GraphFailure } from '../families/meta/errors.ts';
import { checkedUploadUrl, uploadByUrl } from '../families/meta/rupload.ts';
import { NO_PROGRESS, uploadParts, type PartReceipt } from '../kit/parts.ts';
import { MB } from '../kit/sizes.ts';
import type { PageClient } from './client.ts';
import { pageOf, restarted, type Context, type State } from './state.ts';
import { statusOnceShown } from './video-status.ts';
import { sendVideoPart, startReel, startVideoUpload } from './videos.ts';

/** Facebook fetches a video up to this size while it answers the publishing call; larger ones are sent in parts. */
const MAX_FETCHED_BYTES = 100 * MB;
/** Inspecting the video and, where it is not in the bucket yet, copying it. */
const OPEN_MS = 60 * SECOND;
/** Reading and sending one part. */
const PART_MS = 40 * SECOND;
/** How long Facebook may process a video. */
export const PROCESSING_LIMIT_MS = 30 * 60 * SECOND;
export const POLL_MS = 5 * SECOND;

/** Checks the video and decides how Facebook gets it: from a URL, or in parts. */
export async function hostVideo(context: Context, state: State): Promise<StepResult<State>> {
  const { id } = pageOf(context, state);
  return withVideo(context, async file => {
    const isFetched = isReel(context) || file.size <= MAX_FETCHED_BYTES;
    const video_url = isFetched ? await file.publicUrl() : null;
    return { type: 'next', state: { ...state, page_id: id, video_url } };
  });
}

export const isReel = ({ job }: Pick<Context, 'job'>) => job.options['facebook_media_type'] === 'REELS';

async function withVideo<T>({ files, job }: Context, use: (file: UserFile) => Promise<T>): Promise<T> {
  const file = await files.open(job.media_urls[0] ?? '', OPEN_MS);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Sends a large video in the parts that Facebook asks for. */
export async function sendParts(context: Context, state: State): Promise<StepResult<State>> {
  if (state.video_url !== null) return { type: 'next', state };
  const page = pageOf(context, state);
  try {
    return await withVideo(context, file => sendMissing(context, page, file, state));
  } catch (error) {
    return { type: 'again', state: restarted(error, state) };
  }
}

async function sendMissing(
  context: Context,
  page: PageClient,
  file: UserFile,
  state: State,
): Promise<StepResult<State>> {
  if (!state.session) {
    const { session, wanted } = await startVideoUpload(page, file.size);
    const begun = { ...session, end: wanted.end, progress: NO_PROGRESS };
    return { type: 'again', state: { ...state, session: begun, video_id: session.video_id } };
  }
  const { session } = state;
  let { end } = session;
  const { done, progress } = await uploadParts(
    {
      file,
      partAt: start => ({ index: 0, start, end: Math.min(file.size, end > start ? end : start + MB) }),
      send: async ({ start, bytes }): Promise<PartReceipt> => {
        const wanted = await sendVideoPart(page, context.app, { session, start, bytes }).catch(wantedInstead);
        end = wanted.end;
        return { offset: wanted.start };
      },
      remainingMs: context.remainingMs,
      partMs: PART_MS,
    },
    session.progress,
  );
  const next = { ...state, session: { ...session, end, progress } };
  return { type: done ? 'next' : 'again', state: next };
}

/** Facebook has more or fewer bytes than we know of: the error tells where to continue. */
const WRONG_OFFSET = 1363037;

function wantedInstead(error: unknown): { start: number; end: number } {
  if (!(error instanceof GraphFailure)) throw error;
  const { code, subcode, data } = error.graph;
  const [start, end] = [Number(data['start_offset']), Number(data['end_offset'])];
  const isNamed = [code, subcode].includes(WRONG_OFFSET) && Number.isInteger(start) && Number.isInteger(end);
  if (!isNamed) throw error;
  return { start, end };
}

/** Starts a Reel and lets Facebook fetch its video. */
export async function uploadReel(context: Context, state: State): Promise<StepResult<State>> {
  const page = pageOf(context, state);
  if (state.video_id === null || state.upload_url === null) {
    const { video_id, upload_url } = await startReel(page);
    return { type: 'again', state: { ...state, video_id, upload_url: checkedUploadUrl(upload_url) } };
  }
  try {
    await uploadByUrl(page.graph, state.upload_url, state.video_url ?? '');
    return { type: 'next', state: { ...state, processing_since: context.now() } };
  } catch (error) {
    return { type: 'again', state: restarted(error, state) };
  }
}

/** Waits until Facebook has fetched the video of a Reel. */
export async function awaitReelUpload(context: Context, state: State): Promise<StepResult<State>> {
  const status = await statusOnceShown(pageOf(context, state), state.video_id ?? '');
  if (status?.problem) throw failedVideo(status.problem);
  if (status?.isUploaded) return { type: 'next', state: { ...state, processing_since: null } };
  return waitFurther(context, state);
}

/** Returns the wait before the state is read again. Throws PlatformError `transient` after half an hour. */
function waitFurther(context: Context, state: State): StepResult<State> {
  const processing_since = state.processing_since ?? context.now();
  if (context.now() - processing_since > PROCESSING_LIMIT_MS) {
    throw new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: 'Facebook has not processed the video within 30 minutes',
    });
  }
  return { type: 'wait', state: { ...state, processing_since }, delayMs: POLL_MS };
}

export function failedVideo(problem: string): PlatformError {
  return new PlatformError({
    kind: 'rejected',
    code: 'MEDIA_REJECTED',
    message: `Facebook could not process the video: ${problem}`,
  });
}
