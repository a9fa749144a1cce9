import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { PUBLISHERS, RULES } from '../../shared/platforms/registry.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import type { Json, TestStack } from '../support/stack.ts';
import type { SeededRandom } from './random.ts';

/** What a post is made of. */
export interface Contents {
  post_type: PostType;
  media: readonly string[];
}

/** A post of a campaign. `text` names it alone among all. */
export interface Order extends Contents {
  key: string;
  profile: string;
  text: string;
  platforms: PlatformId[];
  /** Seconds from its creation; null: at once. */
  in_s: number | null;
}

/** The profile of the stack's first start, which is connected to every platform. */
export const DEMO = 'Demo';

/** Each is requested in its own way. */
const TEXT: Contents = { post_type: 'text', media: [] };
const CONTENTS: readonly Contents[] = [
  TEXT,
  { post_type: 'image', media: ['photo.jpg'] },
  { post_type: 'image', media: ['photo.jpg', 'photo.png'] },
  { post_type: 'image', media: ['anim.gif'] },
  { post_type: 'video', media: ['clip.mp4'] },
  { post_type: 'document', media: ['doc.pdf'] },
];

/** What a platform takes here. */
export type Menu = ReadonlyMap<PlatformId, readonly Contents[]>;

/** What a post needs beside its text so that every platform takes it. */
const EXTRAS: Json = { title: 'A title' };

/** Of every platform that can publish: what the API accepts for the Demo profile. */
export async function readMenu(stack: TestStack): Promise<Menu> {
  const menu = new Map<PlatformId, readonly Contents[]>();
  for (const platform of PLATFORM_IDS.filter(id => PUBLISHERS[id])) {
    const taken: Contents[] = [];
    for (const contents of CONTENTS) {
      const order = {
        key: '',
        profile: DEMO,
        text: 'Taken?',
        platforms: [platform],
        in_s: null,
        ...contents,
      };
      const { body } = await stack.api('POST', '/posts/validate', bodyOf(stack, order, 0));
      if (body.valid === true) taken.push(contents);
    }
    if (taken.length > 0) menu.set(platform, taken);
  }
  return menu;
}

/** Orders for a round: no platform gets more than its account's daily cap allows, and a little less. */
export function drawOrders(
  random: SeededRandom,
  menu: Menu,
  tag: string,
  count: number,
  scheduled: number,
): Order[] {
  const left = new Map([...menu.keys()].map(platform => [platform, RULES[platform].daily_cap - 4]));
  const orders: Order[] = [];
  for (let index = 0; index < count; index += 1) {
    const free = [...menu.keys()].filter(platform => (left.get(platform) ?? 0) > 0);
    if (free.length === 0) break;
    const first = random.pick(free);
    const own = menu.get(first)!;
    const contents = own.includes(TEXT) && random.chance(0.4) ? TEXT : random.pick(own);
    const others = free.filter(
      platform => platform !== first && menu.get(platform)!.includes(contents) && random.chance(0.25),
    );
    const platforms = [first, ...others];
    for (const platform of platforms) left.set(platform, left.get(platform)! - 1);
    orders.push({
      key: `${tag}-${index}`,
      profile: DEMO,
      text: `${tag} no ${index}. ${random.pick(WORDS)} ${random.pick(WORDS)}`,
      platforms,
      ...contents,
      in_s: random.chance(scheduled) ? random.pick([60, 150, 400, 800, 1500, 7000]) : null,
    });
  }
  return orders;
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
];

function bodyOf(stack: TestStack, order: Order, now: number): Json {
  const { profile, post_type, text, platforms, media, in_s } = order;
  return {
    profile_name: profile,
    post_type,
    platforms,
    description: text,
    ...(media.length > 0 && { media_urls: media.map(name => `${stack.sandbox_url}/_media/${name}`) }),
    ...(in_s !== null && { scheduled_date: new Date(now + in_s * 1000).toISOString() }),
    ...(platforms.some(platform => RULES[platform].required.includes('title')) && EXTRAS),
    ...(post_type === 'image' && Object.fromEntries(platforms.flatMap(altTextOf))),
  };
}

/** Some platforms take the description of a picture in a request of its own. */
function altTextOf(platform: PlatformId): [string, string][] {
  const field = `${platform}_alt_text`;
  return field in RULES[platform].options ? [[field, 'A picture']] : [];
}

const TRIES = 60;
const PAUSE_MS = 100;
const AT_ONCE = 6;
/** The service lives at a bad moment: the same request again, under the same key, is what a client does then. */
const AGAIN = [409, 429, 500, 502, 503, 504];

/**
 * Creates the posts, each under its idempotency key, until each is accepted. Gives their ids by key; one whose time
 * went by before it could be accepted is left out.
 */
export async function createAll(
  stack: TestStack,
  orders: readonly Order[],
  now: number,
  waitFor: () => Promise<void>,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const left = [...orders];
  const work = async () => {
    for (let order = left.shift(); order; order = left.shift()) {
      const id = await createOne(stack, order, now, waitFor);
      if (id !== null) ids.set(order.key, id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ids;
}

async function createOne(
  stack: TestStack,
  order: Order,
  now: number,
  waitFor: () => Promise<void>,
): Promise<string | null> {
  let last = '';
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const answer = await fetch(`${stack.base_url}/posts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stack.api_key}`,
        'content-type': 'application/json',
        'idempotency-key': order.key,
      },
      body: JSON.stringify(bodyOf(stack, order, now)),
    });
    const text = await answer.text();
    if (answer.status === 201) return JSON.parse(text).post_id;
    // While others waited, too.
    if (answer.status === 400 && order.in_s !== null && /"field":"scheduled_date"/.test(text)) return null;
    last = `${answer.status} ${text}`;
    if (!AGAIN.includes(answer.status)) break;
    // A run that vanished holds its key for a while.
    if (answer.status === 409 && attempt % 5 === 0) await waitFor();
    await sleep(PAUSE_MS);
  }
  throw new Error(`The post ${order.key} was refused: ${last}`);
}

/** The posts of a round as the API shows them: all whose text begins with the tag. */
export async function readAll(stack: TestStack, tag: string): Promise<Json[]> {
  const found: Json[] = [];
  let cursor = '';
  for (;;) {
    const { body } = await stack.api('GET', `/posts?limit=100${cursor}`);
    const mine = body.data.filter((post: Json) => post.description?.startsWith(`${tag} no `));
    found.push(...mine);
    // Newest first: a page without one of ours is past them.
    if (mine.length === 0 || !body.next_cursor) return found;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
}
