import type { PlatformId } from '../../shared/model/platform.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { createPosts, settled, textPost } from './posts.ts';
import { lateBy, more } from './value.ts';

/** `FULL_HOUR_POSTS` selects another number. */
const POSTS = Number(process.env['FULL_HOUR_POSTS'] ?? 1000);
/** Each with an account on every platform. */
const PROFILES = Math.ceil(POSTS / 10);
/** Without a limit of their own that so many posts of one account would reach in the sandbox. */
const PLATFORMS: readonly PlatformId[] = ['linkedin', 'bluesky', 'telegram'];
const HOUR_S = 3600;
/** When the clock is set before the posts are due: earlier than the first schedule. */
const AHEAD_S = 120;

/** Schedules fire up to a minute late, like those of EventBridge. */
const JITTER = ['--scheduler-jitter', '60'];

/** How late posts are that users have scheduled for the full hour, through the whole local stack. */
export const fullHour: Bench = {
  name: 'full-hour',
  summary: `${POSTS} text posts to three platforms that are due in the same second`,
  run: async () => [await onStack(measure, { args: JITTER })],
};

async function measure(stack: TestStack): Promise<Results> {
  const names = Array.from({ length: PROFILES - 1 }, (_, index) => `Bench ${index + 1}`);
  await connectedProfiles(stack, names, PLATFORMS);
  const profiles = ['Demo', ...names];
  const due = (Math.floor((await stack.now()) / 1000 / HOUR_S) + 2) * HOUR_S * 1000;
  const bodies = Array.from({ length: POSTS }, (_, index) => ({
    ...textPost(index, profiles[index % PROFILES]!, PLATFORMS),
    scheduled_date: new Date(due).toISOString(),
  }));
  const ids = await createPosts(stack, bodies);
  await stack.advance(Math.floor((due - (await stack.now())) / 1000) - AHEAD_S);
  const destinations = (await settled(stack, ids)).flatMap(post => post.destinations);
  const late = destinations
    .flatMap(({ published_at }) => (published_at === null ? [] : [Date.parse(published_at) - due]))
    .toSorted((a, b) => a - b);
  const [last = Number.NaN] = late.slice(-1);
  return {
    title: `Lateness of ${POSTS * PLATFORMS.length} deliveries to ${PLATFORMS.join(', ')}`,
    values: {
      ...lateBy(late),
      deliveries: more(late.length / (last / 1000), 'a second'),
      'not published': `${destinations.length - late.length}`,
    },
  };
}
