import type { JsonObject } from '../../model/json.ts';
import { parseInstant, toIso } from '../../time/instant.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { optionsOf, type Options } from './options.ts';
import { tagsOf } from './tags.ts';

export type Privacy = Options['youtube_privacy_status'];

/**
 * Returns the metadata of a new video. `withPlacement`: whether paid promotion is declared with it; the API accepts that
 * from most channels, but does not document it.
 */
export function videoResource(job: PublishJob, privacy: Privacy, withPlacement: boolean): JsonObject {
  const options = optionsOf(job);
  const tags = tagsOf(job);
  const recorded = parseInstant(options.youtube_recording_date ?? '');
  return {
    snippet: {
      title: job.title ?? '',
      description: job.text,
      categoryId: options.youtube_category_id,
      ...(tags.length > 0 ? { tags } : {}),
      ...present('defaultLanguage', options.youtube_default_language),
      ...present('defaultAudioLanguage', options.youtube_default_audio_language),
    },
    status: videoStatus(job, privacy),
    ...(recorded === null
      ? {}
      : { recordingDetails: { recordingDate: toIso(recorded).replace(/\.\d+Z$/, 'Z') } }),
    ...(withPlacement && options.youtube_has_paid_product_placement ? PLACEMENT : {}),
  };
}

export const PLACEMENT = { paidProductPlacementDetails: { hasPaidProductPlacement: true } } as const;

/** Returns the whole status of a video: an update clears the settings that it leaves out. */
export function videoStatus(job: PublishJob, privacy: Privacy): JsonObject {
  const options = optionsOf(job);
  return {
    privacyStatus: privacy,
    selfDeclaredMadeForKids: options.youtube_self_declared_made_for_kids,
    containsSyntheticMedia: options.youtube_contains_synthetic_media,
    license: options.youtube_license,
    embeddable: options.youtube_embeddable,
    publicStatsViewable: options.youtube_public_stats_viewable,
  };
}

const present = (name: string, value: string | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };
