import * as v from 'valibot';
import { isGraphError } from '../families/meta/errors.ts';
import { GraphId } from '../families/meta/json.ts';
import { absoluteUrl, type PageClient } from './client.ts';

/* How far Facebook is with a video, and which post shows it. */

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

/**
 * Returns the status of a video that Facebook has taken; null where it answers as it does while it does not know the video
 * everywhere yet.
 */
export async function statusOnceShown(page: PageClient, id: string): Promise<VideoStatus | null> {
  try {
    return await videoStatus(page, id);
  } catch (error) {
    if (isGraphError(error, 100, 33) || isGraphError(error, 1)) return null;
    throw error;
  }
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
