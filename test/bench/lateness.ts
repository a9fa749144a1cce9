import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { lateBy, less } from './value.ts';
import { createPosts, profilesFor, settled, textPost } from './posts.ts';

const SAMPLE = 1000;
const HOUR_MS = 3_600_000;

/** Schedules fire up to a minute late, like those of EventBridge. */
const JITTER = ['--scheduler-jitter', '60'];

/**
 * How late scheduled posts are published. They are due in an hour; the clock is advanced to two minutes before the first,
 * so that schedule, dispatcher and delay of each post run in real time.
 */
export const lateness: Bench = {
  name: 'lateness',
  summary: 'how late scheduled posts are published',
  run: async () => [
    await onStack(stack => measure(stack, 'over a minute', 60_000 / SAMPLE), { args: JITTER }),
    await onStack(stack => measure(stack, 'due at the same second', 0), { args: JITTER }),
  ],
};

async function measure(stack: TestStack, title: string, stepMs: number): Promise<Results> {
  const profiles = await profilesFor(stack, SAMPLE, 'bluesky');
  const first = Math.ceil(Date.now() / 1000) * 1000 + HOUR_MS;
  const bodies = Array.from({ length: SAMPLE }, (_, i) => ({
    ...textPost(i, profiles[i % profiles.length]!, ['bluesky']),
    scheduled_date: new Date(first + Math.round(i * stepMs)).toISOString(),
  }));
  const ids = await createPosts(stack, bodies);
  await stack.advance(Math.floor((first - Date.now()) / 1000) - 120);
  const posts = await settled(stack, ids);
  const failed = posts.filter(({ status }) => status !== 'published');
  const late = posts
    .filter(({ status }) => status === 'published')
    .map(post => Date.parse(post.published_at!) - Date.parse(post.scheduled_date!))
    .toSorted((a, b) => a - b);
  for (const post of failed) console.log(JSON.stringify(post));
  return {
    title: `Lateness of ${SAMPLE} scheduled posts ${title}`,
    values: { ...lateBy(late), 'not published': less(failed.length, 'posts') },
  };
}
