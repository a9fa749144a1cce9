import { failure } from '../../model/failure.ts';
import { defineFollowUp, type FollowUp, type PublishJob } from '../contract/publisher.ts';
import type { GoogleCredentials } from '../families/google/credentials.ts';
import { optionsOf } from './options.ts';
import { isProcessed } from './processing.ts';
import { callerOf, type State } from './state.ts';
import { getVideo, type Video } from './videos.ts';
import { POLLS, PollsSchema, pollDelayMs, type Polls } from './young.ts';

const PARTS = 'snippet,status';

/**
 * Reads back the settings that YouTube may accept without storing them, until the video is processed: the settings of an
 * account or a policy can still make a video private. Its failure tells the user; the post stays published.
 */
export const settings: FollowUp<State, GoogleCredentials> = defineFollowUp<Polls, State, GoogleCredentials>({
  name: 'settings',
  idempotent: true,
  state: PollsSchema,
  initial: () => ({ polls: 0 }),
  run: async (context, { polls }, post) => {
    const { job } = context;
    const parts = optionsOf(job).youtube_has_paid_product_placement
      ? `${PARTS},paidProductPlacementDetails`
      : PARTS;
    const video = await getVideo(callerOf(context), post.platform_post_id, parts);
    const isLast = polls >= POLLS || (video !== null && isProcessed(video));
    const missing = video ? differences(job, video) : [];
    if (missing.length > 0 && (isLast || !isPrivacyKept(job, video))) {
      return { type: 'rejected', failure: failure('CONTENT_REJECTED', missing.join('. ')) };
    }
    if (isLast) return { type: 'done' };
    return { type: 'wait', state: { polls: polls + 1 }, delayMs: pollDelayMs(polls) };
  },
});

function isPrivacyKept(job: PublishJob, video: Video | null): boolean {
  const shown = video?.status?.privacyStatus;
  return shown === undefined || shown === optionsOf(job).youtube_privacy_status;
}

/** Returns what differs from the post, in words. */
function differences(job: PublishJob, video: Video): string[] {
  const options = optionsOf(job);
  const { youtube_default_audio_language: audio, youtube_has_paid_product_placement: paid } = options;
  const differing: string[] = [];
  if (!isPrivacyKept(job, video)) {
    differing.push(
      `YouTube shows the video as ${video.status?.privacyStatus ?? ''}, not as ${options.youtube_privacy_status}: check the video in YouTube Studio`,
    );
  }
  if (audio !== undefined && video.snippet?.defaultAudioLanguage !== audio) {
    differing.push('YouTube did not store youtube_default_audio_language: set it in YouTube Studio');
  }
  if (paid && video.paidProductPlacementDetails?.hasPaidProductPlacement !== true) {
    differing.push('YouTube did not store the declaration of paid promotion: set it in YouTube Studio');
  }
  return differing;
}
