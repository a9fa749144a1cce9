import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { PUBLISHERS, RULES } from '../../shared/platforms/registry.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import type { Json, TestStack } from '../support/stack.ts';
import type { Dice } from './dice.ts';

/** A post of a campaign. `text` names it alone among all. */
export interface Order {
  key: string;
  text: string;
  post_type: PostType;
  platforms: PlatformId[];
  media: string[];
  /** Seconds from its creation; null: at once. */
  in_s: number | null;
}

/** Post types that a platform takes here. */
export type Menu = ReadonlyMap<PlatformId, PostType[]>;

const FILES: Readonly<Record<PostType, readonly string[]>> = {
  text: [],
  image: ['photo.jpg', 'photo.png'],
  video: ['clip.mp4'],
  document: ['doc.pdf'],
};

/** What a post needs beside its text so that every platform takes it. */
const EXTRAS: Json = { title: 'A title' };

/** Of every platform that can publish: the post types that the API accepts for the Demo profile. */
export async function readMenu(stack: TestStack): Promise<Menu> {
  const menu = new Map<PlatformId, PostType[]>();
  for (const platform of PLATFORM_IDS.filter(id => PUBLISHERS[id])) {
    const types: PostType[] = [];
    for (const type of Object.keys(RULES[platform].post_types) as PostType[]) {
      const order = {
        key: '',
        text: 'Is this taken?',
        post_type: type,
        platforms: [platform],
        media: filesFor(type, 1),
        in_s: null,
      };
      const { body } = await stack.api('POST', '/posts/validate', bodyOf(stack, order, 0));
      if (body.valid === true) types.push(type);
    }
    if (types.length > 0) menu.set(platform, types);
  }
  return menu;
}

export function filesFor(type: PostType, count: number): string[] {
  return FILES[type].slice(0, type === 'image' ? count : 1);
}

/** Orders for a round: no platform gets more than its account's daily cap allows, and a little less. */
export function drawOrders(dice: Dice, menu: Menu, tag: string, count: number, scheduled: number): Order[] {
  const left = new Map([...menu.keys()].map(platform => [platform, RULES[platform].daily_cap - 4]));
  const orders: Order[] = [];
  for (let index = 0; index < count; index += 1) {
    const free = [...menu.keys()].filter(platform => (left.get(platform) ?? 0) > 0);
    if (free.length === 0) break;
    const first = dice.pick(free);
    const post_type = dice.chance(0.6)
      ? dice.pick(menu.get(first)!)
      : menu.get(first)!.includes('text')
        ? 'text'
        : dice.pick(menu.get(first)!);
    const others = free.filter(
      platform => platform !== first && menu.get(platform)!.includes(post_type) && dice.chance(0.25),
    );
    const platforms = [first, ...others];
    for (const platform of platforms) left.set(platform, left.get(platform)! - 1);
    orders.push({
      key: `${tag}-${index}`,
      text: `${tag} no ${index}. ${dice.pick(WORDS)} ${dice.pick(WORDS)}`,
      post_type,
      platforms,
      media: filesFor(post_type, dice.whole(1, 2)),
      in_s: dice.chance(scheduled) ? dice.pick([60, 150, 400, 800, 1500, 7000]) : null,
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
  const { post_type, text, platforms, media, in_s } = order;
  return {
    profile_name: 'Demo',
    post_type,
    platforms,
    description: text,
    ...(media.length > 0 && { media_urls: media.map(name => `${stack.sandbox_url}/_media/${name}`) }),
    ...(in_s !== null && { scheduled_date: new Date(now + in_s * 1000).toISOString() }),
    ...(platforms.some(platform => RULES[platform].required.includes('title')) && EXTRAS),
  };
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
