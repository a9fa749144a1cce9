import * as v from 'valibot';
import type { AppCredentials } from '../contract/connector.ts';
import { MINUTE } from '../../time/instant.ts';
import { multipart } from '../../net/multipart.ts';
import { graphVideoRoot } from '../families/meta/facebook-login.ts';
import { CreatedSchema, GraphId, SuccessSchema } from '../families/meta/json.ts';
import { absoluteUrl, type PageClient } from './client.ts';

/* Calls for videos and Reels. All throw PlatformError. */

/** Facebook may fetch the video during the call. */
const PUBLISH_TIMEOUT_MS = 1.4 * MINUTE;
const PART_TIMEOUT_MS = 0.5 * MINUTE;

export interface VideoTexts {
  title: string | null;
  description: string;
}

const textsOf = ({ title, description }: VideoTexts) => ({
  ...(title === null ? {} : { title }),
  ...(description === '' ? {} : { description }),
});

/** Publishes a video that Facebook fetches. Returns its id. */
export async function publishVideoUrl(page: PageClient, url: string, texts: VideoTexts): Promise<string> {
  const { id } = await page.graph.call(
    {
      what: 'Publishing the video',
      purpose: 'commit',
      method: 'POST',
      path: `/${page.id}/videos`,
      form: { file_url: url, ...textsOf(texts), published: 'true' },
      timeoutMs: PUBLISH_TIMEOUT_MS,
    },
    CreatedSchema,
  );
  return id;
}

const offset = v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.number());
const RangeSchema = v.object({ start_offset: offset, end_offset: offset });

/** The bytes that Facebook wants next; none where both are equal. */
export interface WantedRange {
  start: number;
  end: number;
}

const rangeOf = ({ start_offset, end_offset }: v.InferOutput<typeof RangeSchema>): WantedRange => ({
  start: start_offset,
  end: end_offset,
});

/** An upload of a video in parts. */
export interface VideoSession {
  id: string;
  video_id: string;
}

/** Starts an upload of `size` bytes. */
export async function startVideoUpload(
  page: PageClient,
  size: number,
): Promise<{ session: VideoSession; wanted: WantedRange }> {
  const started = await page.graph.call(
    {
      what: 'Starting the upload',
      purpose: 'prepare',
      method: 'POST',
      path: `/${page.id}/videos`,
      form: { upload_phase: 'start', file_size: String(size) },
    },
    v.object({ ...RangeSchema.entries, upload_session_id: GraphId, video_id: GraphId }),
  );
  return { session: { id: started.upload_session_id, video_id: started.video_id }, wanted: rangeOf(started) };
}

/** Sends a part. Returns what Facebook wants next. */
export async function sendVideoPart(
  page: PageClient,
  app: AppCredentials | null,
  { session, start, bytes }: { session: VideoSession; start: number; bytes: Uint8Array },
): Promise<WantedRange> {
  const { contentType, body } = multipart(
    { upload_phase: 'transfer', upload_session_id: session.id, start_offset: String(start) },
    { video_file_chunk: { name: 'part', type: 'application/octet-stream', bytes } },
  );
  return rangeOf(
    await page.graph.call(
      {
        what: 'Uploading the video',
        purpose: 'prepare',
        method: 'POST',
        root: graphVideoRoot(app),
        path: `/${page.id}/videos`,
        headers: { 'content-type': contentType },
        body,
        timeoutMs: PART_TIMEOUT_MS,
      },
      RangeSchema,
    ),
  );
}

/** Publishes an uploaded video. */
export async function finishVideoUpload(
  page: PageClient,
  session: VideoSession,
  texts: VideoTexts,
): Promise<void> {
  await page.graph.call(
    {
      what: 'Publishing the video',
      purpose: 'commit',
      method: 'POST',
      path: `/${page.id}/videos`,
      form: { upload_phase: 'finish', upload_session_id: session.id, ...textsOf(texts), published: 'true' },
      timeoutMs: PUBLISH_TIMEOUT_MS,
    },
    SuccessSchema,
  );
}

/** Drops an unfinished upload. */
export async function cancelVideoUpload(page: PageClient, session: VideoSession): Promise<void> {
  await page.graph.call(
    {
      what: 'Cancelling the upload',
      purpose: 'prepare',
      method: 'POST',
      path: `/${page.id}/videos`,
      form: { upload_phase: 'cancel', upload_session_id: session.id },
    },
    SuccessSchema,
  );
}

/** Starts a Reel. */
export async function startReel(page: PageClient): Promise<{ video_id: string; upload_url: string }> {
  return page.graph.call(
    {
      what: 'Starting the Reel',
      purpose: 'prepare',
      method: 'POST',
      path: `/${page.id}/video_reels`,
      form: { upload_phase: 'start' },
    },
    v.object({ video_id: GraphId, upload_url: v.string() }),
  );
}

/** Publishes an uploaded Reel. Facebook only accepts the request: the status tells when it is live. */
export async function finishReel(page: PageClient, videoId: string, texts: VideoTexts): Promise<void> {
  await page.graph.call(
    {
      what: 'Publishing the Reel',
      purpose: 'commit',
      method: 'POST',
      path: `/${page.id}/video_reels`,
      form: {
        upload_phase: 'finish',
        video_id: videoId,
        video_state: 'PUBLISHED',
        ...textsOf(texts),
      },
    },
    SuccessSchema,
  );
}

const Problem = v.object({ message: v.optional(v.string(), ''), code: v.optional(v.number()) });
const PhaseSchema = v.object({
  status: v.optional(v.string(), ''),
  publish_status: v.optional(v.string()),
  // Both spellings occur; an unknown shape must not hide an error.
  error: v.optional(v.union([Problem, v.unknown()])),
  errors: v.optional(v.union([v.array(Problem), v.unknown()])),
});
const Phase = v.optional(PhaseSchema);

const StatusSchema = v.object({
  status: v.optional(
    v.object({
      video_status: v.optional(v.string(), ''),
      uploading_phase: Phase,
      processing_phase: Phase,
      publishing_phase: Phase,
    }),
  ),
  permalink_url: v.fallback(v.nullish(v.string(), null), null),
  post_id: v.optional(GraphId),
});

export interface VideoStatus {
  /** Facebook has all bytes. */
  isUploaded: boolean;
  isProcessing: boolean;
  /** Null where the status has no such phase, as some of `/videos`. */
  isPublished: boolean | null;
  /** `ready`: processed. */
  isReady: boolean;
  /** Why it failed; null for a video that did not. */
  problem: string | null;
  url: string | null;
}

/** Reads how far Facebook is with a video. */
export async function videoStatus({ graph }: PageClient, id: string): Promise<VideoStatus> {
  const { status, permalink_url } = await graph.call(
    {
      what: 'Reading the state of the video',
      purpose: 'read',
      method: 'GET',
      path: `/${id}`,
      query: { fields: 'status,permalink_url,post_id' },
    },
    StatusSchema,
  );
  const { video_status = '', uploading_phase, processing_phase, publishing_phase } = status ?? {};
  const phases = [uploading_phase, processing_phase, publishing_phase];
  return {
    isUploaded:
      isComplete(uploading_phase) || ['upload_complete', 'processing', 'ready'].includes(video_status),
    isProcessing: video_status === 'processing' || processing_phase?.status === 'in_progress',
    isPublished: publishing_phase
      ? isComplete(publishing_phase) && (publishing_phase.publish_status ?? 'published') === 'published'
      : null,
    isReady: video_status === 'ready',
    problem: phases.map(problemOf).find(each => each !== null) ?? failedStatus(video_status),
    url: absoluteUrl(permalink_url),
  };
}

type PhaseOutput = v.InferOutput<typeof Phase>;

/** Pages of the documentation disagree on the spelling. */
const isComplete = (phase: PhaseOutput) => phase?.status === 'complete' || phase?.status === 'completed';

/** An error in any phase is a failure, whatever the video's status says. */
function problemOf(phase: PhaseOutput): string | null {
  if (!phase) return null;
  const listed = [phase.error, phase.errors].flat().filter(each => each !== undefined);
  const messages = listed.map(each => {
    const parsed = v.safeParse(Problem, each);
    return parsed.success ? parsed.output.message : '';
  });
  if (messages.length > 0) return messages.filter(Boolean).join('; ') || 'Facebook gave no reason';
  return phase.status === 'error' || phase.publish_status === 'error' ? 'Facebook gave no reason' : null;
}

const failedStatus = (status: string): string | null =>
  ['error', 'expired', 'upload_failed'].includes(status) ? `its status is ${status}` : null;

/** Returns the id of the post that shows a video; null before Facebook has made one. */
export async function postOfVideo({ graph, id: pageId }: PageClient, id: string): Promise<string | null> {
  const { post_id } = await graph.call(
    {
      what: 'Reading the post of the video',
      purpose: 'read',
      method: 'GET',
      path: `/${id}`,
      query: { fields: 'post_id' },
    },
    StatusSchema,
  );
  if (post_id === undefined) return null;
  return post_id.includes('_') ? post_id : `${pageId}_${post_id}`;
}
