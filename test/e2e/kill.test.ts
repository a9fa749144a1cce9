import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  closeStack,
  eventually,
  liveWith,
  read,
  startObserved,
  type Received,
  type Receiver,
} from '../support/e2e.ts';
import {
  bodyOf,
  countRequests,
  publishUnder,
  roundsOf,
  type RequestFault,
} from '../support/request-faults.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { CANNOT_RECONCILE } from '../faults/evaluate.ts';
import { PLATFORM_IDS, type PlatformId, type PostType } from '../../shared/model/platform.ts';

/*
 * Faults at every request of a delivery: the worker dies, or the connection breaks, before or after the platform has
 * accepted the request. The post must be live exactly once, and its record must say so.
 */

const START_MS = 600_000;
const SUITE_MS = 600_000;
/** Longer than the longest visibility timeout: every message that could be redelivered has been. */
const AFTERMATH_S = 1200;

let stack: TestStack;
let hook: Receiver;
beforeAll(async () => {
  // A stack of its own: what other tests have left in its queues would be taken for messages of these posts.
  ({ stack, hook } = await startObserved());
}, START_MS);
afterAll(() => closeStack(stack));

/** YouTube takes no images; a story on Snapchat shows no text by which it could be found. */
const WITHOUT_CAPTIONED_IMAGES: readonly PlatformId[] = ['youtube', 'snapchat'];

interface Case {
  fault: RequestFault;
  post: Json;
  text: string;
}

const cases: Case[] = [];
/** Makes texts unique, also after a post that failed its test. */
let published = 0;

/** Publishes one post to several platforms with a fault at each. */
async function publishWithFaults(faults: readonly RequestFault[], post_type: PostType): Promise<void> {
  const platforms = [...new Set(faults.map(({ platform }) => platform))];
  published += 1;
  const text = `With faults ${published} @demo.bsky.social`;
  const post = await publishUnder(stack, faults, bodyOf(stack, post_type, text, platforms));
  for (const fault of faults) cases.push({ fault, post, text });
}

const titleOf = ({ fault, post }: Case) =>
  `${post.post_type} on ${fault.platform}, request ${fault.index}, ${JSON.stringify(fault.effect)}`;

const destinationOf = (post: Json, platform: string) =>
  post.destinations.find((each: Json) => each.platform === platform);

/** The record without follow-ups, some of which are done long after the post, and what they may amend. */
const delivered = (post: Json) => ({
  ...post,
  destinations: post.destinations.map((each: Json) => ({
    ...each,
    follow_ups: null,
    platform_post_id: null,
    platform_post_url: null,
  })),
});

/** Returns what is wrong with the result of a case; empty if nothing. */
async function problemsOf({ fault: { platform }, post, text }: Case): Promise<string[]> {
  const { status, error, platform_post_id, follow_ups } = destinationOf(post, platform);
  const live = await liveWith(stack, text, platform);
  const ids = live.map(item => item.platform_post_id);
  if (live.length > 1) return [`live ${live.length} times`];
  if (status === 'published') {
    // A follow-up may still find out the id.
    const isAmended = follow_ups.some((each: Json) => each.status === 'pending') && live.length === 1;
    return isAmended || ids[0] === platform_post_id
      ? []
      : [`recorded ${platform_post_id}, live ${ids.join()}`];
  }
  const isAllowed = CANNOT_RECONCILE.includes(platform) && error?.code === 'DELIVERY_UNKNOWN';
  return isAllowed ? [] : [`${status}, live ${live.length} times: ${JSON.stringify(error)}`];
}

/** Every platform with KILL_ALL=1, for which one run takes several minutes. */
const takes = (platform: PlatformId) =>
  process.env['KILL_ALL'] === '1' || ['x', 'bluesky', 'telegram'].includes(platform);

describe.each([
  ['text', ['x', 'facebook', 'linkedin', 'threads', 'bluesky', 'gbp', 'telegram']],
  ['image', PLATFORM_IDS.filter(platform => !WITHOUT_CAPTIONED_IMAGES.includes(platform))],
] as const)('a post of type %s', (post_type, accepting) => {
  const platforms = accepting.filter(takes);
  test(
    'is live exactly once with any fault at any request',
    async () => {
      const counts = await countRequests(
        stack,
        post_type,
        platforms,
        `Without faults: ${post_type} @demo.bsky.social`,
      );
      expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
      const before = cases.length;
      for (const faults of roundsOf(counts)) await publishWithFaults(faults, post_type);
      const wrong: string[] = [];
      for (const each of cases.slice(before)) {
        for (const problem of await problemsOf(each)) wrong.push(`${titleOf(each)}: ${problem}`);
      }
      expect(wrong).toEqual([]);
    },
    SUITE_MS,
  );
});

test(
  'is live exactly once when the worker that reconciles dies too',
  async () => {
    const reads = { x: '^/2/users/', bluesky: 'com\\.atproto\\.repo\\.getRecord' };
    for (const when of ['before', 'after'] as const) {
      const faults = [
        { platform: 'x', counted: { path: '^/2/tweets' }, index: 0, effect: { kill: when } },
        { platform: 'x', counted: { path: reads.x }, index: 0, effect: { kill: 'before' } },
        {
          platform: 'bluesky',
          counted: { path: 'com\\.atproto\\.repo\\.putRecord' },
          index: 0,
          effect: { kill: when },
        },
        { platform: 'bluesky', counted: { path: reads.bluesky }, index: 0, effect: { kill: 'before' } },
      ] as const satisfies RequestFault[];
      await publishWithFaults(faults, 'text');
    }
    for (const each of cases.slice(-8))
      expect([titleOf(each), await problemsOf(each)]).toEqual([titleOf(each), []]);
  },
  SUITE_MS,
);

describe('afterwards', () => {
  test('redelivered messages change nothing', async () => {
    await stack.advance(AFTERMATH_S);
    await eventually('all queues are empty', 300_000, async () => {
      const { body } = await stack.local('GET', '/_local/queues');
      return body.queues.every((queue: Json) => queue.depth + queue.delayed + queue.in_flight === 0)
        ? true
        : null;
    });
    for (const each of cases) {
      const now = await read(stack, each.post.post_id);
      expect([titleOf(each), delivered(now)]).toEqual([titleOf(each), delivered(each.post)]);
      expect([titleOf(each), await problemsOf({ ...each, post: now })]).toEqual([titleOf(each), []]);
    }
    const { body } = await stack.local('GET', '/_local/queues');
    expect(body.queues.filter((queue: Json) => queue.dead_letters > 0)).toEqual([]);
  });

  test('every destination has sent its final event, under one id', async () => {
    const idsOf = (events: Received[], { fault, post }: Case, kind: string) => [
      ...new Set(
        events
          .filter(
            ({ event, data }) =>
              event === kind && data.post_id === post.post_id && data.platform === fault.platform,
          )
          .map(({ id }) => id),
      ),
    ];
    const isComplete = (events: Received[], each: Case) => {
      const { status } = destinationOf(each.post, each.fault.platform);
      return ['post.published', 'post.failed'].every(
        kind => idsOf(events, each, kind).length === (kind === `post.${status}` ? 1 : 0),
      );
    };
    const incomplete = await eventually('all events have arrived', 300_000, async () => {
      const events = await hook.events();
      return cases.every(each => isComplete(events, each)) ? [] : null;
    }).catch(async () => {
      const events = await hook.events();
      return cases.filter(each => !isComplete(events, each)).map(titleOf);
    });
    expect(incomplete).toEqual([]);
  });
});
