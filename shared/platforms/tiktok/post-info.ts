import type { JsonObject } from '../../model/json.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { privacyLevel } from './rules.ts';
import { isDraft, type Creator, type State } from './state.ts';

/* What is said about a post when it is announced. */

/** Returns the settings of a video; null for a draft, which has none. */
export function videoInfo(job: PublishJob, { creator }: State): JsonObject | null {
  if (isDraft(job)) return null;
  return {
    title: job.text,
    ...settings(job, creator),
    disable_duet: isDisabled(job, 'duet', creator?.duet_disabled),
    disable_stitch: isDisabled(job, 'stitch', creator?.stitch_disabled),
    is_aigc: isSet(job, 'tiktok_is_aigc'),
  };
}

/** Returns the request for photos that TikTok fetches. A draft has texts only. */
export function photoRequest(job: PublishJob, { creator, photos }: State): JsonObject {
  const texts = { ...(job.title !== null && { title: job.title }), description: job.text };
  const post_info = isDraft(job)
    ? texts
    : { ...texts, ...settings(job, creator), auto_add_music: isSet(job, 'tiktok_auto_add_music') };
  return {
    post_info,
    source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: [...photos] },
    post_mode: isDraft(job) ? 'MEDIA_UPLOAD' : 'DIRECT_POST',
    media_type: 'PHOTO',
  };
}

function settings(job: PublishJob, creator: Creator | null): JsonObject {
  return {
    privacy_level: privacyLevel(job),
    disable_comment: isDisabled(job, 'comment', creator?.comment_disabled),
    brand_content_toggle: isSet(job, 'tiktok_brand_content_toggle'),
    brand_organic_toggle: isSet(job, 'tiktok_brand_organic_toggle'),
  };
}

/** The account's own settings win. */
const isDisabled = (job: PublishJob, what: string, byAccount = false) =>
  byAccount || !isSet(job, `tiktok_allow_${what}`);

const isSet = ({ options }: PublishJob, name: string) => options[name] === true;
