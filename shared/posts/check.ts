import * as v from 'valibot';
import type { Detail } from '../http/errors.ts';
import { JsonObjectSchema, type JsonObject } from '../model/json.ts';
import { PLATFORM_IDS, readPlatformId, type PlatformId, type PostType } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import { assertPublicUrl, HttpFailure } from '../net/http.ts';
import { mediaFieldOf, type PostContent } from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';
import { isBlank, normalizeText } from '../text/normalize.ts';
import { DAY, parseInstant } from '../time/instant.ts';
import type { CommonPostInput } from './input.ts';
import { platformFaults } from './platform-faults.ts';
import { sizeFaults } from './size.ts';

/** Posts may be scheduled this far ahead. */
const HORIZON_MS = 365 * DAY;
const MAX_URL_LENGTH = 2048;

/** A post's input, understood: texts normalised, platforms known, times read. */
export interface CheckedPost {
  platforms: PlatformId[];
  title: string | null;
  description: string | null;
  first_comment: string | null;
  media_urls: string[];
  /** Fields of the listed platforms, as they were sent. */
  options: JsonObject;
  scheduling: Post['scheduling'];
  /** The date that was given, epoch milliseconds. */
  scheduled_at: number | null;
}

/** Fields of a post as they were sent; without a type, nothing is told of what depends on it. */
export type PostInput = Omit<CommonPostInput, 'post_type' | 'profile_name'> &
  Record<string, unknown> & { post_type: PostType | null };

/**
 * Checks everything about a post that can be known without the profile's connections. All faults are found, not only
 * the first.
 */
export async function checkPost(
  input: PostInput,
  now: number,
): Promise<{ post: CheckedPost; details: Detail[] }> {
  const { platforms, details } = readPlatforms(input.platforms);
  const schedule = readSchedule(input, now);
  const post: CheckedPost = {
    platforms,
    title: normalised(input.title),
    description: normalised(input.description),
    first_comment: normalised(input.first_comment),
    media_urls: input.media_urls,
    options: ownOptions(input, platforms),
    scheduling: schedulingOf(input),
    scheduled_at: schedule.at,
  };
  details.push(...schedule.details, ...sizeFaults(post), ...(await urlFaults(fetchedUrls(post))));
  const { post_type, auto_truncate } = input;
  if (post_type !== null)
    details.push(...typeFaults(contentOf({ post_type, auto_truncate }, post), platforms));
  return { post, details };
}

/** What is wrong with a post of its type. What every platform misses is one fault, not one of each. */
function typeFaults(content: PostContent, platforms: readonly PlatformId[]): Detail[] {
  const common = contentFaults(content, platforms);
  const told = new Set(common.map(({ field }) => field));
  const own = platforms.flatMap(platform => platformFaults(platform, content));
  return [...common, ...own.filter(({ field }) => !told.has(field))];
}

/** What the post says, without where and when. */
export function contentOf(
  { post_type, auto_truncate }: Pick<CommonPostInput, 'post_type' | 'auto_truncate'>,
  { title, description, media_urls, first_comment, options }: CheckedPost,
): PostContent {
  return { post_type, auto_truncate, title, description, media_urls, first_comment, options };
}

const normalised = (text: string | null) => (text === null || isBlank(text) ? null : normalizeText(text));

const detail = (field: string, message: string, platform: string | null = null): Detail => ({
  field,
  message,
  platform,
});

/** A platform that is named twice, or by an alias too, counts once. */
function readPlatforms(names: readonly string[]): { platforms: PlatformId[]; details: Detail[] } {
  const platforms = new Set<PlatformId>();
  const details: Detail[] = [];
  for (const name of new Set(names)) {
    const known = readPlatformId(name);
    if (known) platforms.add(known);
    else
      details.push(detail('platforms', `Is no platform of this service (${PLATFORM_IDS.join(', ')})`, name));
  }
  return { platforms: [...platforms], details };
}

function schedulingOf(input: PostInput): Post['scheduling'] {
  if (input.add_to_queue) return 'queue';
  if (input.schedule_best_time) return 'best_time';
  return input.scheduled_date === null ? 'immediate' : 'scheduled';
}

function readSchedule(input: PostInput, now: number): { at: number | null; details: Detail[] } {
  const { scheduled_date, add_to_queue, schedule_best_time } = input;
  const ways = [scheduled_date !== null, add_to_queue, schedule_best_time].filter(Boolean).length;
  const details: Detail[] = [];
  if (ways > 1) {
    details.push(
      detail(
        'scheduled_date',
        'Only one of scheduled_date, add_to_queue and schedule_best_time may be given',
      ),
    );
  }
  if (scheduled_date === null) return { at: null, details };
  const at = parseInstant(scheduled_date);
  const fault = dateFault(at, now);
  if (fault) details.push(detail('scheduled_date', fault));
  return { at, details };
}

function dateFault(at: number | null, now: number): string | null {
  if (at === null) return 'Must be an ISO 8601 date-time such as 2026-12-01T10:00:00Z';
  if (at <= now) return 'Must be in the future';
  return at > now + HORIZON_MS ? 'Must be at most 365 days ahead' : null;
}

function contentFaults(content: PostContent, platforms: readonly PlatformId[]): Detail[] {
  if (content.post_type === 'text') {
    return content.description === null ? [detail('description', 'Is required for a text post')] : [];
  }
  const everyHasOwn =
    platforms.length > 0 && platforms.every(platform => ownMedia(content, platform) !== null);
  return content.media_urls.length > 0 || everyHasOwn
    ? []
    : [detail('media_urls', `Is required for a post of type ${content.post_type}`)];
}

/** The field with a platform's own media; null where the post has none. */
function ownMedia({ options }: Pick<PostContent, 'options'>, platform: PlatformId): string | null {
  const field = mediaFieldOf(RULES[platform]);
  return field !== null && options[field] !== undefined ? field : null;
}

/** A URL that the service will fetch, and the field that it stands in. */
interface FetchedUrl {
  field: string;
  url: string;
  platform: PlatformId | null;
}

function fetchedUrls(post: CheckedPost): FetchedUrl[] {
  const urls = listed('media_urls', post.media_urls, null);
  for (const platform of post.platforms) {
    const media = ownMedia(post, platform);
    if (media !== null) urls.push(...listed(media, post.options[media], platform));
    for (const field of RULES[platform].fetched) {
      const url = post.options[field];
      if (typeof url === 'string') urls.push({ field, url, platform });
    }
  }
  return urls;
}

function listed(field: string, urls: unknown, platform: PlatformId | null): FetchedUrl[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown, index) =>
    typeof url === 'string' ? [{ field: `${field}[${index}]`, url, platform }] : [],
  );
}

/** Form and reach of URLs: private addresses are refused here already, and again when they are fetched. */
async function urlFaults(urls: readonly FetchedUrl[]): Promise<Detail[]> {
  const faults = await Promise.all(
    urls.map(async ({ field, url, platform }) => {
      const message = await urlFault(url);
      return message === null ? [] : [detail(field, message, platform)];
    }),
  );
  return faults.flat();
}

async function urlFault(url: string): Promise<string | null> {
  if (url.length > MAX_URL_LENGTH) return `Must be at most ${MAX_URL_LENGTH} characters`;
  try {
    await assertPublicUrl(url);
    return null;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    // A name that does not resolve at this moment may do so at delivery, where it is checked again.
    return error.reason === 'blocked' ? error.message : null;
  }
}

/** The fields of the listed platforms. */
function ownOptions(input: Record<string, unknown>, platforms: readonly PlatformId[]): JsonObject {
  const names = new Set(platforms.flatMap(platform => Object.keys(RULES[platform].options)));
  const own = Object.entries(input).filter(([name, value]) => names.has(name) && value != null);
  return v.parse(JsonObjectSchema, Object.fromEntries(own));
}
