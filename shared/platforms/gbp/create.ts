import { atLocation } from './current-location.ts';
import { createMedia, type MediaItem } from './gallery.ts';
import { createLocalPost, type LocalPost } from './local-posts.ts';
import { galleryItemOf, localPostOf } from './resource.ts';
import { callerOf, locationOf, type Context } from './state.ts';

/** Google gives no reason. */
export const REJECTED =
  'Google rejected the post for its content policy and gives no reason: check text and image, and remove phone numbers. See https://support.google.com/business/answer/7213077';

/** Creates the post of a job; `media_url`: its picture. */
export async function publishPost(context: Context, media_url: string | null): Promise<LocalPost> {
  const language = locationOf(context).attributes['language'] ?? 'en';
  const post = localPostOf(context.job, { language, media_url });
  await context.quota.spend('changes', 1);
  return atLocation(context, parent => createLocalPost(callerOf(context), parent, post));
}

/** Adds the video of a job to the gallery. */
export async function publishVideo(context: Context, media_url: string): Promise<MediaItem> {
  const item = galleryItemOf(context.job, media_url);
  await context.quota.spend('changes', 1);
  return atLocation(context, parent => createMedia(callerOf(context), parent, item));
}
