import * as v from 'valibot';
import type { AppCredentials } from '../contract/connector.ts';
import { MINUTE } from '../../time/instant.ts';
import { multipart } from '../../net/multipart.ts';
import { graphVideoRoot } from '../families/meta/facebook-login.ts';
import { CreatedSchema, GraphId, SuccessSchema } from '../families/meta/json.ts';
import type { PageClient } from './client.ts';

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
