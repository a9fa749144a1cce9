import { SECOND } from '../../shared/time/instant.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { createPosts, settled, textPost } from './posts.ts';
import { lateBy } from './value.ts';

const SAMPLE = 10;
/** When a post is due, from its creation. */
const WAIT_S = 300;
/** When the clock is set before a post is due: so that it is dispatched, and once that is done. */
const DISPATCH_S = 92;
const AHEAD_S = 10;

/** How late a single scheduled post is when nothing has run before it. */
export const cold: Bench = {
  name: 'cold',
  summary: 'how late a single scheduled post is where all environments are cold',
  run: async () => [await onStack(measure)],
};

async function measure(stack: TestStack): Promise<Results> {
  const late: number[] = [];
  for (let index = 0; index < SAMPLE; index += 1) late.push(await latenessOf(stack, index));
  return {
    title: `Lateness of ${SAMPLE} posts to one platform`,
    values: lateBy(late.toSorted((a, b) => a - b)),
  };
}

/** Returns how late a post is live, in milliseconds. */
async function latenessOf(stack: TestStack, index: number): Promise<number> {
  const due = (Math.ceil((await stack.now()) / SECOND) + WAIT_S) * SECOND;
  // Between runs: the delay of a message that is being sent counts from the time before.
  const advanceTo = async (time: number) =>
    stack.local('POST', '/_local/clock', {
      advance_seconds: Math.max(0, Math.floor((time - (await stack.now())) / SECOND)),
      between_runs: true,
    });
  const body = textPost(index, 'Demo', ['bluesky']);
  const ids = await createPosts(stack, [{ ...body, scheduled_date: new Date(due).toISOString() }]);
  await advanceTo(due - DISPATCH_S * SECOND);
  await stack.until('the post is dispatched', async () => {
    const { body: all } = await stack.local<{ queues: { name: string; delayed: number }[] }>(
      'GET',
      '/_local/queues',
    );
    return all.queues.some(({ name, delayed }) => name.endsWith('publish-bluesky') && delayed > 0);
  });
  await advanceTo(due - AHEAD_S * SECOND);
  await stack.local('DELETE', '/_local/environments');
  const [post] = await settled(stack, ids);
  if (!post?.published_at) throw new Error(`The post is ${post?.status}`);
  return Date.parse(post.published_at) - due;
}
