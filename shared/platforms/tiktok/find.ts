import { MINUTE, SECOND } from '../../time/instant.ts';
import type { Finding } from '../contract/publisher.ts';
import { recentVideos, type ListedVideo } from './client.ts';
import { postOf } from './post.ts';
import { privacyLevel } from './rules.ts';
import { isGranted } from './scopes.ts';
import { callerOf, FRESH, isDraft, type Context } from './state.ts';

/** Maximum clock skew between TikTok and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;
/** How long a new post may take to be listed. */
const LISTED_WITHIN_MS = 10 * MINUTE;

/**
 * Looks for photos whose request was lost. TikTok lists public posts only, and photos not for certain: without a match
 * the outcome stays unknown.
 */
export async function findPhotos(context: Context, intentAt: number): Promise<Finding> {
  if (!isListed(context)) return { type: 'unknown' };
  const finding = await findPublic(context, intentAt);
  if (finding.type === 'published' || finding.type === 'wait') return finding;
  const isLate = context.now() - intentAt > LISTED_WITHIN_MS;
  return isLate ? { type: 'unknown' } : { type: 'wait', delayMs: MINUTE };
}

/** True where the post will be in the list of the account's posts, and can be told from others there. */
export const isListed = ({ job }: Pick<Context, 'job'>): boolean =>
  isPublic(job) && job.text !== '' && isGranted(job.account.attributes, 'video.list');

/** True for a post that everybody can see: TikTok names the ids of no others. */
export const isPublic = (job: Context['job']): boolean =>
  !isDraft(job) && privacyLevel(job) === 'PUBLIC_TO_EVERYONE';

/** Looks for the post of the job among the newest since a time. */
export async function findPublic(context: Context, since: number): Promise<Finding> {
  const posts = await recentVideos(callerOf(context));
  const isOurs = ({ title, video_description, create_time }: ListedVideo) =>
    create_time * SECOND >= since - CLOCK_SKEW_MS - SECOND &&
    [title, video_description].includes(context.job.text);
  const listed = ({ id, create_time }: ListedVideo) =>
    postOf(context, { ...FRESH, creator: null }, id, create_time * SECOND);
  return context.identify(posts.filter(isOurs).map(listed));
}
