import { setTimeout as sleep } from 'node:timers/promises';
import { create, isFinal, media, read, traffic, lastSeq } from './e2e.ts';
import type { Json, TestStack } from './stack.ts';

/** What may happen to one request on its way to a platform. */
export const MISHAPS = [
  { kill: 'before' },
  { kill: 'after' },
  { drop: 'before' },
  { drop: 'after' },
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** A mishap for the request of this number, of those that belong to the delivery of a post. */
export interface Attack {
  platform: string;
  index: number;
  mishap: Mishap;
  /** Where requests are counted; default: all that a delivery makes without trouble. */
  path?: string;
}

/** Requests of a delivery, without the renewal of credentials that any of them may need first. */
const DELIVERY_PATHS: Readonly<Record<string, string>> = {
  x: '^/2/(tweets|media)',
  bluesky: '^/xrpc/com\\.atproto\\.(repo|identity)',
  telegram: '/send',
};
export const VICTIMS = Object.keys(DELIVERY_PATHS);

/** Less than any lease, so that a worker that takes over is seen at work before its own could end. */
const STEP_S = 60;
const LOOK_MS = 100;
const LIMIT_MS = 120_000;

/** A body that makes every platform work: a name to resolve, and for images a description. */
export function bodyOf(stack: TestStack, post_type: string, description: string, platforms: string[]): Json {
  const body = { post_type, description, platforms };
  if (post_type === 'text') return body;
  return {
    ...body,
    media_urls: [media(stack, 'photo.jpg')],
    ...(platforms.includes('x') && { x_alt_text: 'A photo' }),
    ...(platforms.includes('bluesky') && { bluesky_alt_text: 'A photo' }),
  };
}

/** How many requests a delivery to each platform takes when nothing goes wrong. */
export async function countRequests(
  stack: TestStack,
  post_type: string,
  text: string,
): Promise<Record<string, number>> {
  const since = await lastSeq(stack);
  const id = await create(stack, bodyOf(stack, post_type, text, VICTIMS));
  await driveToEnd(stack, id, []);
  const lines = await traffic(stack, since);
  return Object.fromEntries(
    VICTIMS.map(platform => {
      const path = new RegExp(DELIVERY_PATHS[platform]!);
      return [
        platform,
        lines.filter(line => line.platform === platform && path.test(pathOf(line.url))).length,
      ];
    }),
  );
}

const pathOf = (url: string) => new URL(url).pathname;

/** Rounds of attacks that can run at once: at most one a platform. */
export function roundsOf(counts: Record<string, number>): Attack[][] {
  const queues = VICTIMS.map(platform =>
    Array.from({ length: counts[platform] ?? 0 }, (_, index) =>
      MISHAPS.map((mishap): Attack => ({ platform, index, mishap })),
    ).flat(),
  );
  const length = Math.max(...queues.map(queue => queue.length));
  return Array.from({ length }, (_, round) => queues.flatMap(queue => queue.slice(round, round + 1)));
}

/** Publishes one post under the attacks and moves the clock until its end. Gives the record; every attack came to pass. */
export async function publishUnder(stack: TestStack, attacks: readonly Attack[], body: Json): Promise<Json> {
  await stack.control('DELETE', '/_control/faults');
  for (const { platform, index, mishap, path = DELIVERY_PATHS[platform] } of attacks) {
    await stack.control('POST', '/_control/faults', { platform, path, after: index, ...mishap });
  }
  const post = await driveToEnd(stack, await create(stack, body), attacks);
  const { body: faults } = await stack.control('GET', '/_control/faults');
  const missed = faults.items.filter((fault: Json) => fault.hits !== 1);
  if (missed.length > 0) throw new Error(`The attack met no request: ${JSON.stringify(missed)}`);
  return post;
}

/** Moves the clock on, whenever nobody is at work, until the post is final. */
async function driveToEnd(stack: TestStack, id: string, attacks: readonly Attack[]): Promise<Json> {
  const limit = performance.now() + LIMIT_MS;
  const deadly = attacks.some(({ mishap }) => 'kill' in mishap);
  for (;;) {
    const post = await read(stack, id);
    if (post.destinations.every(isFinal)) return post;
    if (performance.now() > limit)
      throw new Error(`The post never ends: ${JSON.stringify(post.destinations)}`);
    const kills = deadly ? await killsByPlatform(stack) : {};
    const open = post.destinations.filter((destination: Json) => !isFinal(destination));
    if (!open.some((destination: Json) => isAtWork(destination, kills))) await stack.advance(STEP_S);
    await sleep(LOOK_MS);
  }
}

/** A worker holds it, and it is not the one that was killed: each attempt has one worker, each kill ends one. */
function isAtWork({ platform, status, attempts }: Json, kills: Record<string, number>): boolean {
  if (status === 'pending') return true;
  return status === 'publishing' && attempts > (kills[platform] ?? 0);
}

async function killsByPlatform(stack: TestStack): Promise<Record<string, number>> {
  const { body } = await stack.control('GET', '/_control/faults');
  const kills: Record<string, number> = {};
  for (const { platform, kill, hits } of body.items) {
    if (kill !== undefined) kills[platform] = (kills[platform] ?? 0) + hits;
  }
  return kills;
}
