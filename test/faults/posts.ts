import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { readPatiently } from '../support/e2e.ts';
import { platformFields } from '../support/platform-fields.ts';
import type { Json, TestStack } from '../support/stack.ts';
import type { SeededRandom } from './random.ts';

/** Type and media of a post. */
export interface Contents {
  post_type: PostType;
  media: readonly string[];
  /** The first comment, on platforms that have one. */
  comment?: string;
  /** Fields of platforms. A value `file:<name>` stands for the URL of a file, `key` for the key of the post. */
  fields?: Json;
  /** The only platforms for these contents; default: all that accept its type and files. */
  only?: readonly PlatformId[];
  /** Number of words added to the text. */
  words?: number;
  /** Null where the platforms show no text: of stories and drafts. Default: that of the post. */
  shown?: null;
}

/** A post that a campaign creates. Its `text` is unique. */
export interface PostPlan extends Contents {
  key: string;
  profile: string;
  text: string;
  platforms: PlatformId[];
  /** Seconds from creation to its due time; null for immediate. */
  in_s: number | null;
}

/** The profile that the stack creates at its first start, connected to every platform. */
export const DEMO = 'Demo';

const TEXT: Contents = { post_type: 'text', media: [] };
/** Stored as an item of its own where it goes to several platforms. */
const LONG_TEXT: Contents = { ...TEXT, words: 250 };
/** Each combination results in different requests to platforms. */
export const CONTENTS: readonly Contents[] = [
  TEXT,
  { post_type: 'image', media: ['photo.jpg'] },
  { post_type: 'image', media: ['photo.jpg', 'photo.png'] },
  { post_type: 'image', media: ['anim.gif'] },
  { post_type: 'video', media: ['clip.mp4'] },
  { post_type: 'document', media: ['doc.pdf'] },
  LONG_TEXT,
];

const COMMENT = 'The first comment';
/** Posts with a first comment, which follows the live post with requests of its own. */
export const COMMENTED: readonly Contents[] = [
  { ...TEXT, comment: COMMENT },
  { post_type: 'image', media: ['photo.jpg'], comment: COMMENT },
  { post_type: 'video', media: ['clip.mp4'], comment: COMMENT },
];

/** Kinds of posts that one platform publishes in ways of its own, with everything that follows them. */
export const VARIANTS: readonly Contents[] = [
  {
    post_type: 'video',
    media: ['clip.mp4'],
    comment: COMMENT,
    only: ['youtube'],
    fields: {
      youtube_thumbnail_url: 'file:photo.jpg',
      youtube_caption_url: 'file:captions.srt',
      youtube_playlist_id: 'PLdemoBaking',
      youtube_has_paid_product_placement: true,
    },
  },
  {
    post_type: 'video',
    media: ['upright.mp4'],
    only: ['youtube', 'facebook', 'instagram'],
    fields: {
      youtube_type: 'shorts',
      facebook_media_type: 'REELS',
      instagram_cover_url: 'file:photo.jpg',
    },
  },
  {
    post_type: 'image',
    media: ['photo.jpg'],
    only: ['gbp'],
    fields: { gbp_topic_type: 'EVENT', gbp_event_title: 'Tasting', gbp_event_start_date: '2099-10-31' },
  },
  {
    post_type: 'video',
    media: ['upright.mp4'],
    only: ['instagram', 'snapchat'],
    fields: { instagram_media_type: 'STORIES', snapchat_post_type: 'story' },
    shown: null,
  },
  {
    post_type: 'video',
    media: ['clip.mp4'],
    only: ['snapchat'],
    fields: { snapchat_post_type: 'saved_story', snapchat_saved_story_title: 'key' },
    shown: null,
  },
  {
    post_type: 'video',
    media: ['clip.mp4'],
    only: ['tiktok'],
    fields: { tiktok_post_mode: 'MEDIA_UPLOAD' },
    shown: null,
  },
];

/** Returns whether a platform accepts the contents, given those without a comment that it accepts. */
export function isAccepted(accepted: AcceptedContents, platform: PlatformId, contents: Contents): boolean {
  const { post_type, media, comment, only } = contents;
  if (only) return only.includes(platform);
  if (comment !== undefined && RULES[platform].comment === null) return false;
  const own = accepted.get(platform) ?? [];
  return own.some(each => each.post_type === post_type && each.media.join() === media.join());
}

/** The contents that each platform accepts. */
export type AcceptedContents = ReadonlyMap<PlatformId, readonly Contents[]>;

/** Returns, for each of the platforms, the contents that the API accepts for the Demo profile. */
export async function readAcceptedContents(
  stack: TestStack,
  platforms: readonly PlatformId[],
): Promise<AcceptedContents> {
  const accepted = new Map<PlatformId, readonly Contents[]>();
  for (const platform of platforms) {
    const taken: Contents[] = [];
    for (const contents of CONTENTS) {
      const plan = {
        key: '',
        profile: DEMO,
        text: textOf('Accepted?', contents),
        platforms: [platform],
        in_s: null,
        ...contents,
      };
      const result = await readPatiently(stack, 'POST', '/posts/validate', bodyOf(stack, plan, 0));
      if (result.valid === true) taken.push(contents);
    }
    if (taken.length > 0) accepted.set(platform, taken);
  }
  return accepted;
}

/** Draws the posts of a round, within the daily cap of each platform. */
export function drawPlans(
  random: SeededRandom,
  accepted: AcceptedContents,
  tag: string,
  count: number,
  scheduled: number,
): PostPlan[] {
  const left = new Map([...accepted.keys()].map(platform => [platform, RULES[platform].daily_cap - 4]));
  const plans: PostPlan[] = [];
  for (let index = 0; index < count; index += 1) {
    const free = [...accepted.keys()].filter(platform => (left.get(platform) ?? 0) > 0);
    if (free.length === 0) break;
    const first = random.pick(free);
    const own = accepted.get(first)!;
    const texts = own.filter(each => each === TEXT || each === LONG_TEXT);
    const contents = random.pick(texts.length > 0 && random.chance(0.4) ? texts : own);
    const others = free.filter(
      platform => platform !== first && accepted.get(platform)!.includes(contents) && random.chance(0.25),
    );
    const platforms = [first, ...others];
    for (const platform of platforms) left.set(platform, left.get(platform)! - 1);
    plans.push({
      key: `${tag}-${index}`,
      profile: DEMO,
      text: textOf(`${tag} no ${index}. ${drawWords(random, platforms)}`, contents),
      platforms,
      ...contents,
      in_s: random.chance(scheduled) ? random.pick([60, 150, 400, 800, 1500, 7000]) : null,
    });
  }
  return plans;
}

const WORDS = [
  'Hello',
  'Grüße',
  'naïve',
  '日本',
  '👋🏽',
  'a & b',
  '<b>',
  'line\nbreak',
  '@demo.bsky.social',
  '#tag',
  'clip.mp4',
];

const textOf = (text: string, { words = 0 }: Contents): string => text + ' more'.repeat(words);

/** YouTube refuses angle brackets. */
function drawWords(random: SeededRandom, platforms: readonly PlatformId[]): string {
  const words = platforms.includes('youtube') ? WORDS.filter(word => !word.includes('<')) : WORDS;
  return `${random.pick(words)} ${random.pick(words)}`;
}

/** Returns the request body of a planned post. */
export function bodyOf(stack: TestStack, plan: PostPlan, now: number): Json {
  const { profile, post_type, text, platforms, media, comment, in_s } = plan;
  return {
    profile_name: profile,
    post_type,
    platforms,
    description: text,
    ...(comment !== undefined && { first_comment: comment }),
    ...(media.length > 0 && { media_urls: media.map(name => urlOf(stack, name)) }),
    ...(in_s !== null && { scheduled_date: new Date(now + in_s * 1000).toISOString() }),
    ...platformFields(post_type, platforms),
    ...fieldsOf(stack, plan),
  };
}

const urlOf = ({ sandbox_url }: TestStack, name: string) => `${sandbox_url}/_media/${name}`;

function fieldsOf(stack: TestStack, { fields = {}, platforms, key }: PostPlan): Json {
  const own = Object.entries(fields).filter(([name]) => platforms.some(each => name.startsWith(`${each}_`)));
  const valueOf = (value: unknown) => {
    if (value === 'key') return key;
    const file = typeof value === 'string' ? /^file:(.+)$/.exec(value)?.[1] : undefined;
    return file === undefined ? value : urlOf(stack, file);
  };
  return Object.fromEntries(own.map(([name, value]) => [name, valueOf(value)]));
}

const MAX_ATTEMPTS = 60;
const PAUSE_MS = 100;
const PARALLEL = 6;
/** Status codes after which a client repeats the request with the same idempotency key. */
const RETRYABLE = [409, 429, 500, 502, 503, 504];

/**
 * Creates the posts, each with its idempotency key, and repeats requests until each is accepted. Returns their ids by
 * key, without posts whose due time passed before they could be accepted.
 */
export async function createAll(
  stack: TestStack,
  plans: readonly PostPlan[],
  now: number,
  waitFor: () => Promise<void>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const left = [...plans];
  const work = async () => {
    for (let plan = left.shift(); plan; plan = left.shift()) {
      const id = await createOne(stack, plan, now, waitFor);
      if (id !== null) ids.set(plan.key, id);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return ids;
}

async function createOne(
  stack: TestStack,
  plan: PostPlan,
  now: number,
  waitFor: () => Promise<void>,
): Promise<string | null> {
  let last = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const answer = await fetch(`${stack.base_url}/posts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.api_key}`,
        'content-type': 'application/json',
        'idempotency-key': plan.key,
      },
      body: JSON.stringify(bodyOf(stack, plan, now)),
    });
    const text = await answer.text();
    if (answer.status === 201) return JSON.parse(text).post_id;
    // Its due time has passed while the clock advanced.
    if (answer.status === 400 && plan.in_s !== null && /"field":"scheduled_date"/.test(text)) return null;
    last = `${answer.status} ${text}`;
    if (!RETRYABLE.includes(answer.status)) break;
    // The lease of a killed request on its idempotency key must expire.
    if (answer.status === 409 && attempt % 5 === 0) await waitFor();
    await sleep(PAUSE_MS);
  }
  throw new Error(`The post ${plan.key} was refused: ${last}`);
}

/** Returns the posts of a round from the API: all whose text begins with the tag. */
export async function readAll(stack: TestStack, tag: string): Promise<Json[]> {
  const found: Json[] = [];
  let cursor = '';
  for (;;) {
    const page = await readPatiently(stack, 'GET', `/posts?limit=100${cursor}`);
    const mine = page.data.filter((post: Json) => post.description?.startsWith(`${tag} no `));
    found.push(...mine);
    // Newest first: a page without posts of this round is past them.
    if (mine.length === 0 || !page.next_cursor) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}
