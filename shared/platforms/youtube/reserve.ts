import type { PublishJob } from '../contract/publisher.ts';
import { optionsOf, restrictionOf } from './options.ts';
import { UNITS } from './quota.ts';
import type { Context } from './state.ts';

/** Returns the units that a post needs for its upload and everything that follows it. */
export function unitsOf(job: PublishJob): number {
  const options = optionsOf(job);
  const costs: readonly [boolean, number][] = [
    [true, UNITS.video_upload],
    [restrictionOf(options) !== null, UNITS.country_restriction],
    [options.youtube_thumbnail_url !== undefined, UNITS.thumbnail],
    [options.youtube_caption_url !== undefined, UNITS.caption_upload],
    [options.youtube_playlist_id !== undefined, UNITS.playlist_add],
    [job.first_comment !== null, UNITS.first_comment],
  ];
  return costs.reduce((sum, [applies, units]) => sum + (applies ? units : 0), 0);
}

/** Sets the units of a post aside before its upload, so that its thumbnail and captions are not starved by others. */
export async function reserveFor({ quota, job }: Context): Promise<void> {
  await quota.reserve('units', unitsOf(job), job.post_id);
}
