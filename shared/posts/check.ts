import * as v from 'valibot';
import type { Detail } from '../http/errors.ts';
import { JsonObjectSchema, type JsonObject } from '../model/json.ts';
import { PLATFORM_IDS, PlatformIdSchema, type PlatformId } from '../model/platform.ts';
import { assertPublicUrl, HttpFailure } from '../net/http.ts';
import { RULES } from '../platforms/registry.ts';
import type { Draft, PlatformRules } from '../platforms/rules.ts';
import { isBlank, normalizeText } from '../text/normalize.ts';
import { DAY, parseInstant } from '../time/instant.ts';
import type { CommonPostInput } from './input.ts';

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
  /** Epoch milliseconds; null: now. */
  scheduled_at: number | null;
}

/**
 * Checks everything about a post that can be known without the profile's connections. All faults are found, not only
 * the first.
 */
export async function checkPost(
  input: CommonPostInput & Record<string, unknown>,
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
    scheduled_at: schedule.at,
  };
  details.push(...schedule.details, ...contentFaults(input, post), ...(await urlFaults(post.media_urls)));
  for (const platform of platforms) details.push(...platformFaults(RULES[platform], input, post));
  return { post, details };
}

const normalised = (text: string | null) => (text === null || isBlank(text) ? null : normalizeText(text));

const detail = (field: string, message: string, platform: string | null = null): Detail => ({
  field,
  message,
  platform,
});

/** A platform that is named twice counts once. */
function readPlatforms(names: readonly string[]): { platforms: PlatformId[]; details: Detail[] } {
  const platforms = new Set<PlatformId>();
  const details: Detail[] = [];
  for (const name of new Set(names)) {
    const known = v.safeParse(PlatformIdSchema, name);
    if (known.success) platforms.add(known.output);
    else
      details.push(detail('platforms', `Is no platform of this service (${PLATFORM_IDS.join(', ')})`, name));
  }
  return { platforms: [...platforms], details };
}

function readSchedule(input: CommonPostInput, now: number): { at: number | null; details: Detail[] } {
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
  if (add_to_queue) details.push(detail('add_to_queue', 'Queue slots are not offered by this version yet'));
  if (schedule_best_time) {
    details.push(detail('schedule_best_time', 'Best times are not offered by this version yet'));
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

function contentFaults(input: CommonPostInput, post: CheckedPost): Detail[] {
  if (input.post_type === 'text') {
    return post.description === null ? [detail('description', 'Is required for a text post')] : [];
  }
  return post.media_urls.length === 0
    ? [detail('media_urls', `Is required for a post of type ${input.post_type}`)]
    : [];
}

/** Form and reach of media URLs: private addresses are refused here already, and again when they are fetched. */
async function urlFaults(urls: readonly string[]): Promise<Detail[]> {
  const faults = await Promise.all(
    urls.map(async (url, index) => {
      const message = await urlFault(url);
      return message === null ? [] : [detail(`media_urls[${index}]`, message)];
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

function platformFaults(rules: PlatformRules, input: CommonPostInput, post: CheckedPost): Detail[] {
  const media = rules.post_types[input.post_type];
  const named = (field: string, message: string) => detail(field, message, rules.platform);
  if (!media) return [named('post_type', `${rules.display_name} takes no ${input.post_type} posts`)];

  const faults: Detail[] = [];
  if (post.media_urls.length > media.max_files && !input.auto_truncate && input.post_type !== 'text') {
    faults.push(
      named('media_urls', `${rules.display_name} takes at most ${media.max_files} in a post of this type`),
    );
  }
  const options = v.safeParse(v.object(rules.options), post.options);
  if (!options.success) {
    faults.push(...options.issues.map(issue => named(v.getDotPath(issue) ?? 'options', plainIssue(issue))));
  }
  const draft: Draft = {
    post_type: input.post_type,
    title: post.title,
    description: post.description,
    media_urls: post.media_urls.slice(0, media.max_files),
    first_comment: post.first_comment,
    auto_truncate: input.auto_truncate,
    options: post.options,
  };
  return [
    ...faults,
    ...(input.auto_truncate ? [] : textFaults(rules, draft)),
    ...rules.check(draft).map(fault => named(fault.field, fault.message)),
  ];
}

function textFaults(rules: PlatformRules, draft: Draft): Detail[] {
  const text = rules.shape(draft);
  return rules
    .text(draft)
    .filter(rule => rule.measure(text) > rule.limit)
    .map(rule =>
      detail(
        'description',
        `Is ${rule.measure(text)} ${rule.unit} long; ${rules.display_name} takes ${rule.limit}`,
        rules.platform,
      ),
    );
}

/** Says what was expected, never what was received. */
function plainIssue(issue: v.BaseIssue<unknown>): string {
  return issue.message.startsWith('Invalid ') ? `Must be ${issue.expected ?? issue.type}` : issue.message;
}
