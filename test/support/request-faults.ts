import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformId, PostType } from '../../shared/model/platform.ts';
import { create, isFinal, media, read, traffic, lastSeq, type TrafficLine } from './e2e.ts';
import { platformFields } from './platform-fields.ts';
import type { Json, TestStack } from './stack.ts';

/** What can happen to one request to a platform. */
export const EFFECTS = [
  { kill: 'before' },
  { kill: 'after' },
  { drop: 'before' },
  { drop: 'after' },
] as const;
export type Effect = (typeof EFFECTS)[number];

/** A fault at the request with this index, counted over the requests that deliver a post. */
export interface RequestFault {
  platform: PlatformId;
  index: number;
  effect: Effect;
  /** The requests that are counted; default: those of a delivery without faults. */
  counted?: CountedRequests;
}

interface CountedRequests {
  /** Pattern of the path. */
  path: string;
  method?: string;
}

/** Everything that a delivery sends; how often it reads a state depends on the time that passes. */
const SENT: CountedRequests = { path: '^(?!.*(?:oauth|token))', method: 'POST' };
/** Requests of a delivery, without renewals of tokens. */
const DELIVERY_REQUESTS: Readonly<Partial<Record<PlatformId, CountedRequests>>> = {
  x: { path: '^/2/(tweets|media)' },
  bluesky: { path: '^/xrpc/com\\.atproto\\.(repo|identity)' },
  telegram: { path: '/send' },
};
const countedOf = (platform: PlatformId) => DELIVERY_REQUESTS[platform] ?? SENT;

/** Shorter than any lease, so that a worker that takes over is seen before its own lease expires. */
const STEP_S = 60;
const POLL_MS = 150;
const LIMIT_MS = 300_000;

/** Returns a post body that uses every request of a delivery: mentions to resolve and, for images, alt text. */
export function bodyOf(
  stack: TestStack,
  post_type: PostType,
  description: string,
  platforms: readonly PlatformId[],
): Json {
  return {
    post_type,
    description,
    platforms,
    ...(post_type !== 'text' && { media_urls: [media(stack, 'photo.jpg')] }),
    ...platformFields(post_type, platforms),
  };
}

/** Returns the number of requests that a delivery without faults makes, by platform. */
export async function countRequests(
  stack: TestStack,
  post_type: PostType,
  platforms: readonly PlatformId[],
  text: string,
): Promise<Map<PlatformId, number>> {
  const since = await lastSeq(stack);
  const id = await create(stack, bodyOf(stack, post_type, text, platforms));
  await driveToEnd(stack, id, []);
  const lines = await traffic(stack, since);
  return new Map(
    platforms.map(platform => {
      const { path, method } = countedOf(platform);
      const isCounted = (line: TrafficLine) =>
        line.platform === platform &&
        new RegExp(path).test(pathOf(line.url)) &&
        (method ?? line.method) === line.method;
      return [platform, lines.filter(isCounted).length];
    }),
  );
}

const pathOf = (url: string) => new URL(url).pathname;

/** Groups all combinations of request and effect into rounds that can run at once: at most one for each platform. */
export function roundsOf(counts: ReadonlyMap<PlatformId, number>): RequestFault[][] {
  const queues = [...counts].map(([platform, count]) =>
    Array.from({ length: count }, (_, index) =>
      EFFECTS.map((effect): RequestFault => ({ platform, index, effect })),
    ).flat(),
  );
  const length = Math.max(...queues.map(queue => queue.length));
  return Array.from({ length }, (_, round) => queues.flatMap(queue => queue.slice(round, round + 1)));
}

/** Publishes a post with these faults and returns its final record. Throws when a fault did not take effect. */
export async function publishUnder(
  stack: TestStack,
  faults: readonly RequestFault[],
  body: Json,
): Promise<Json> {
  await stack.control('DELETE', '/_control/faults');
  for (const { platform, index, effect, counted = countedOf(platform) } of faults) {
    await stack.control('POST', '/_control/faults', { platform, ...counted, after: index, ...effect });
  }
  const post = await driveToEnd(stack, await create(stack, body), faults);
  const { body: injected } = await stack.control('GET', '/_control/faults');
  const missed = injected.items.filter((fault: Json) => fault.hits !== 1);
  if (missed.length > 0) throw new Error(`Faults without effect: ${JSON.stringify(missed)}`);
  return post;
}

/** Advances the clock, while no worker is running, until the post is final. */
async function driveToEnd(stack: TestStack, id: string, faults: readonly RequestFault[]): Promise<Json> {
  const limit = performance.now() + LIMIT_MS;
  const kills = faults.some(({ effect }) => 'kill' in effect);
  for (;;) {
    const post = await read(stack, id);
    // Over the rate limit, or on a machine that is too busy.
    if (!post.destinations) {
      await sleep(1000);
      continue;
    }
    if (post.destinations.every(isFinal)) return post;
    if (performance.now() > limit)
      throw new Error(`The post did not become final: ${JSON.stringify(post.destinations)}`);
    const killed = kills ? await killsByPlatform(stack) : {};
    const open = post.destinations.filter((destination: Json) => !isFinal(destination));
    if (!open.some((destination: Json) => isRunning(destination, killed))) await stack.advance(STEP_S);
    await sleep(POLL_MS);
  }
}

/** Returns whether a live worker has the lease: each attempt has one worker, each kill ends one. */
function isRunning({ platform, status, attempts }: Json, killed: Record<string, number>): boolean {
  if (status === 'pending') return true;
  return status === 'publishing' && attempts > (killed[platform] ?? 0);
}

async function killsByPlatform(stack: TestStack): Promise<Record<string, number>> {
  const { body } = await stack.control('GET', '/_control/faults');
  const kills: Record<string, number> = {};
  for (const { platform, kill, hits } of body.items) {
    if (kill !== undefined) kills[platform] = (kills[platform] ?? 0) + hits;
  }
  return kills;
}
