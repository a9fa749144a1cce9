import type { StoredMedia } from '../../contract/sandbox.ts';
import { addPost } from './posts.ts';
import { metaTime, type FacebookState, type FacebookVideo } from './state.ts';

/** Requirements of a Reel, with the codes of Meta. */
export function reelProblem({ width, height, duration, frame_rate }: StoredMedia): FacebookVideo['problem'] {
  const checks: [boolean, number, string][] = [
    [
      width === undefined || height === undefined || (width >= 540 && height >= 960),
      1363127,
      'Resolution too low. Video must have a minimum resolution of 540p.',
    ],
    [
      duration === undefined || (duration >= 3 && duration <= 90),
      1363128,
      'Unsupported duration. Video must be 3 to 90 seconds long.',
    ],
    [
      frame_rate === undefined || (frame_rate >= 23.9 && frame_rate <= 60),
      1363129,
      'Unsupported frame rate. Video must have 24 to 60 frames per second.',
    ],
  ];
  const broken = checks.find(([holds]) => !holds);
  return broken ? { code: broken[1], message: broken[2] } : null;
}

/** Publishes the videos whose processing has ended by now. */
export function settle(state: FacebookState): void {
  const { outcome, error } = state.host.processing('facebook');
  for (const video of state.videos.values()) {
    if (!isProcessed(state, video) || video.post_id !== null || video.problem !== null) continue;
    if (outcome === 'error') {
      const problem = { code: 1363024, message: error ?? 'The video could not be processed.' };
      state.videos.set(video.id, { ...video, problem });
    } else publish(state, video);
  }
}

/** The time of processing runs from the publishing request. */
function isProcessed({ host }: FacebookState, { finished_at }: FacebookVideo): boolean {
  return finished_at !== null && host.now() >= finished_at + host.processing('facebook').seconds * 1000;
}

/** Makes a video live. The feed shows videos, but no Reels. */
function publish(state: FacebookState, video: FacebookVideo): void {
  const { id, page_id, kind, title, description, file, url, fields } = video;
  const isReel = kind === 'reel';
  const post = addPost(state, { page_id, message: description, link: null, media_ids: [id] }, !isReel);
  state.videos.set(id, { ...video, post_id: post.id });
  state.host.publish({
    platform: 'facebook',
    account: page_id,
    platform_post_id: id,
    platform_post_url: isReel
      ? `https://www.facebook.com/reel/${id}`
      : `https://www.facebook.com/${page_id}/videos/${id}/`,
    kind,
    text: description,
    title,
    media: [{ ...(file as StoredMedia), ...(url === null ? {} : { url }) }],
    comments: [],
    fields,
    published_at: new Date(state.host.now()).toISOString(),
  });
}

/**
 * Returns the status of a video. Modes: `completed` spells that word so; `single_error` has an object `error` in place of
 * the list `errors`; `processing_error` keeps the status `processing` beside an error.
 */
export function statusOf(state: FacebookState, video: FacebookVideo): object {
  const { modes } = state;
  const complete = modes.get('completed') === true ? 'completed' : 'complete';
  const isLive = video.post_id !== null;
  const hasFile = video.file !== null;
  const isFinished = video.finished_at !== null;
  const problem = video.problem && {
    ...(modes.get('single_error') === true ? { error: video.problem } : { errors: [video.problem] }),
  };
  return {
    video_status: videoStatus(state, video),
    uploading_phase: {
      status: hasFile ? complete : 'in_progress',
      bytes_transfered: video.file?.size ?? video.received,
    },
    processing_phase: {
      status: problem ? 'error' : isLive ? complete : isFinished ? 'in_progress' : 'not_started',
      ...problem,
    },
    publishing_phase: isLive
      ? { status: complete, publish_status: 'published', publish_time: metaTime(state.host.now()) }
      : { status: 'not_started', publish_status: 'not_started' },
  };
}

function videoStatus({ modes }: FacebookState, video: FacebookVideo): string {
  if (video.problem) return modes.get('processing_error') === true ? 'processing' : 'error';
  if (video.post_id !== null) return 'ready';
  if (video.finished_at !== null) return 'processing';
  return video.file === null ? 'uploading' : 'upload_complete';
}
