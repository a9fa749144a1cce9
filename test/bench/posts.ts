import { setTimeout as sleep } from 'node:timers/promises';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { inParallel } from '../support/parallel.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { Answer, TestStack } from '../support/stack.ts';

/** The fields of a post's record that benchmarks read. */
export interface PostView {
  post_id: string;
  status: string;
  published_at: string | null;
  scheduled_date: string | null;
  destinations: { published_at: string | null }[];
}

const IN_FLIGHT = new Set(['scheduled', 'queued', 'publishing']);

/** Milliseconds between two polls of a post. */
const POLL_MS = 1000;
const MAX_POLLS = 300;

/** Concurrent requests, as a busy client sends them. */
const PARALLEL = 8;

/** Creates as many connected profiles as `count` posts need within the platform's daily cap, and returns their names. */
export async function profilesFor(
  stack: TestStack,
  count: number,
  platform: 'bluesky' | 'telegram',
): Promise<string[]> {
  const names = Array.from(
    { length: Math.ceil(count / RULES[platform].daily_cap) },
    (_, i) => `Bench ${i + 1}`,
  );
  await connectedProfiles(stack, names, [platform]);
  return names;
}

/** Creates a post for each body and returns their ids, in order. */
export async function createPosts(stack: TestStack, bodies: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  await inParallel(PARALLEL, bodies, async (body, index) => {
    ids[index] = (await withRateLimit(() => stack.api<PostView>('POST', '/posts', body))).post_id;
  });
  return ids;
}

/** Returns the body of a text post that is not similar to any other. */
export const textPost = (index: number, profile: string, platforms: readonly string[]) => ({
  profile_name: profile,
  post_type: 'text',
  platforms,
  description: `Measured ${index}: ${crypto.randomUUID()} ${crypto.randomUUID()}`,
});

/** Waits until each post is final and returns their records. Polls rarely, since each poll takes time, too. */
export async function settled(stack: TestStack, ids: readonly string[]): Promise<PostView[]> {
  const posts: PostView[] = [];
  for (const id of ids) posts.push(await settledPost(stack, id));
  return posts;
}

async function settledPost(stack: TestStack, id: string): Promise<PostView> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const post = await withRateLimit(() => stack.api<PostView>('GET', `/posts/${id}`));
    if (!IN_FLIGHT.has(post.status)) return post;
    await sleep(POLL_MS);
  }
  throw new Error(`The post ${id} is not final after ${(MAX_POLLS * POLL_MS) / 1000} s`);
}

/** Repeats a request that the rate limit refuses, after `Retry-After`. */
async function withRateLimit<T>(send: () => Promise<Answer<T>>): Promise<T> {
  for (;;) {
    const { status, headers, body } = await send();
    if (status < 300) return body;
    if (status !== 429) throw new Error(`${status} ${JSON.stringify(body)}`);
    await sleep(1000 * Number(headers.get('retry-after')));
  }
}
