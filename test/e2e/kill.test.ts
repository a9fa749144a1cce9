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
import { bodyOf, countRequests, publishUnder, roundsOf, type Attack } from '../support/killing-proxy.ts';
import type { Json, TestStack } from '../support/stack.ts';

/*
 * The promise of the service, attacked: whatever happens to any request of a delivery (its worker dies before or after
 * the platform took it, or the connection does), the post is live once and the record says so.
 */

const START_MS = 150_000;
const SUITE_MS = 600_000;
/** Longer than the longest visibility time-out: every note that could come back has come back. */
const AFTERMATH_S = 1200;

let stack: TestStack;
let hook: Receiver;
beforeAll(async () => {
  ({ stack, hook } = await startObserved());
}, START_MS);
afterAll(() => closeStack(stack));

interface Case {
  attack: Attack;
  post: Json;
  text: string;
}

const cases: Case[] = [];

/** One post to several platforms, each under its own attack. */
async function attackOnce(attacks: readonly Attack[], post_type: string): Promise<void> {
  const platforms = [...new Set(attacks.map(({ platform }) => platform))];
  const text = `Under attack ${cases.length} @demo.bsky.social`;
  const post = await publishUnder(stack, attacks, bodyOf(stack, post_type, text, platforms));
  for (const attack of attacks) cases.push({ attack, post, text });
}

const titleOf = ({ attack, post }: Case) =>
  `${post.post_type} on ${attack.platform}, request ${attack.index}, ${JSON.stringify(attack.mishap)}`;

const destinationOf = (post: Json, platform: string) =>
  post.destinations.find((each: Json) => each.platform === platform);

/** What is wrong with the end of a case; nothing for most. */
async function faultsOf({ attack: { platform }, post, text }: Case): Promise<string[]> {
  const { status, error, platform_post_id } = destinationOf(post, platform);
  const live = await liveWith(stack, text, platform);
  const ids = live.map(item => item.platform_post_id);
  if (live.length > 1) return [`live ${live.length} times`];
  if (status === 'published') {
    return ids[0] === platform_post_id ? [] : [`the record says ${platform_post_id}, live is ${ids.join()}`];
  }
  const excused = platform === 'telegram' && error?.code === 'DELIVERY_UNKNOWN';
  return excused ? [] : [`${status}, live ${live.length} times: ${JSON.stringify(error)}`];
}

describe.each(['text', 'image'])('a post of type %s', post_type => {
  test(
    'is live once, whichever request meets with whatever mishap',
    async () => {
      const counts = await countRequests(stack, post_type, `In peace: ${post_type} @demo.bsky.social`);
      expect(Object.values(counts).every(count => count > 0)).toBe(true);
      const before = cases.length;
      for (const attacks of roundsOf(counts)) await attackOnce(attacks, post_type);
      const wrong: string[] = [];
      for (const each of cases.slice(before)) {
        for (const fault of await faultsOf(each)) wrong.push(`${titleOf(each)}: ${fault}`);
      }
      expect(wrong).toEqual([]);
    },
    SUITE_MS,
  );
});

test(
  'one whose rescuer dies too, while it asks the platform, is live once',
  async () => {
    const ask = { x: '^/2/users/', bluesky: 'com\\.atproto\\.repo\\.getRecord' };
    for (const when of ['before', 'after'] as const) {
      const attacks = [
        { platform: 'x', path: '^/2/tweets', index: 0, mishap: { kill: when } },
        { platform: 'x', path: ask.x, index: 0, mishap: { kill: 'before' } },
        { platform: 'bluesky', path: 'com\\.atproto\\.repo\\.putRecord', index: 0, mishap: { kill: when } },
        { platform: 'bluesky', path: ask.bluesky, index: 0, mishap: { kill: 'before' } },
      ] as const satisfies Attack[];
      await attackOnce(attacks, 'text');
    }
    for (const each of cases.slice(-8))
      expect([titleOf(each), await faultsOf(each)]).toEqual([titleOf(each), []]);
  },
  SUITE_MS,
);

describe('afterwards', () => {
  test('notes that come back change nothing', async () => {
    await stack.advance(AFTERMATH_S);
    await eventually('all queues are empty', 90_000, async () => {
      const { body } = await stack.local('GET', '/_local/queues');
      return body.queues.every((queue: Json) => queue.depth + queue.delayed + queue.in_flight === 0)
        ? true
        : null;
    });
    for (const each of cases) {
      const now = await read(stack, each.post.post_id);
      expect([titleOf(each), now]).toEqual([titleOf(each), each.post]);
      expect([titleOf(each), await faultsOf(each)]).toEqual([titleOf(each), []]);
    }
    const { body } = await stack.local('GET', '/_local/queues');
    expect(body.queues.filter((queue: Json) => queue.dead_letters > 0)).toEqual([]);
  });

  test('every destination has told its end, under one id', async () => {
    const of = (events: Received[], { attack, post }: Case, kind: string) => [
      ...new Set(
        events
          .filter(
            ({ event, data }) =>
              event === kind && data.post_id === post.post_id && data.platform === attack.platform,
          )
          .map(({ id }) => id),
      ),
    ];
    const told = (events: Received[], each: Case) => {
      const { status } = destinationOf(each.post, each.attack.platform);
      return ['post.published', 'post.failed'].every(
        kind => of(events, each, kind).length === (kind === `post.${status}` ? 1 : 0),
      );
    };
    const silent = await eventually('all events have arrived', 90_000, async () => {
      const events = await hook.events();
      return cases.every(each => told(events, each)) ? [] : null;
    }).catch(async () => {
      const events = await hook.events();
      return cases.filter(each => !told(events, each)).map(titleOf);
    });
    expect(silent).toEqual([]);
  });
});
