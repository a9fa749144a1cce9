import { setTimeout as sleep } from 'node:timers/promises';
import { RULES } from '../../shared/platforms/registry.ts';
import { inParallel } from '../support/parallel.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { Answer, TestStack } from '../support/stack.ts';

/** Of a post's record, what the benchmarks look at. */
export interface PostView {
  post_id: string;
  status: string;
  published_at: string | null;
  scheduled_date: string | null;
}

const IN_FLIGHT = new Set(['scheduled', 'queued', 'publishing']);

/** Milliseconds between two questions for an outcome. */
const PAUSE_MS = 1000;
const MOST_QUESTIONS = 300;

/** Requests under way at a time, as a busy client sends them. */
const PARALLEL = 8;

/** Connected profiles, as many as it takes to publish `count` posts to the platform within its daily cap. */
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

/** Creates a post for each body and gives their ids, in order. */
export async function createPosts(stack: TestStack, bodies: readonly object[]): Promise<string[]> {
  const ids: string[] = [];
  await inParallel(PARALLEL, bodies, async (body, index) => {
    ids[index] = (await patiently(() => stack.api<PostView>('POST', '/posts', body))).post_id;
  });
  return ids;
}

/** A text post that resembles no other. */
export const textPost = (index: number, profile: string, platforms: readonly string[]) => ({
  profile_name: profile,
  post_type: 'text',
  platforms,
  description: `Measured ${index}: ${crypto.randomUUID()} ${crypto.randomUUID()}`,
});

/** Waits until each post has an outcome, and gives their records. It asks seldom: each question takes time too. */
export async function settled(stack: TestStack, ids: readonly string[]): Promise<PostView[]> {
  const posts: PostView[] = [];
  for (const id of ids) posts.push(await settledPost(stack, id));
  return posts;
}

async function settledPost(stack: TestStack, id: string): Promise<PostView> {
  for (let question = 0; question < MOST_QUESTIONS; question += 1) {
    const post = await patiently(() => stack.api<PostView>('GET', `/posts/${id}`));
    if (!IN_FLIGHT.has(post.status)) return post;
    await sleep(PAUSE_MS);
  }
  throw new Error(`The post ${id} has no outcome after ${(MOST_QUESTIONS * PAUSE_MS) / 1000} s`);
}

/** Waits while the key has made its requests of this minute. */
async function patiently<T>(ask: () => Promise<Answer<T>>): Promise<T> {
  for (;;) {
    const { status, headers, body } = await ask();
    if (status < 300) return body;
    if (status !== 429) throw new Error(`${status} ${JSON.stringify(body)}`);
    await sleep(1000 * Number(headers.get('retry-after')));
  }
}
