import { afterAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  closeStack,
  create,
  eventually,
  finalPost,
  isFinal,
  liveWith,
  read,
  traffic,
} from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/** The stack is killed and started again: accepted posts are published exactly once. */

const DAY_S = 86_400;
const TEST_MS = 600_000;

const data = mkdtempSync(join(tmpdir(), 'restart-'));
let stack: TestStack | null = null;
afterAll(async () => {
  if (stack) await closeStack(stack);
  rmSync(data, { recursive: true, force: true });
});

/** Platforms that can reconcile, and their request that makes a post visible. */
const IN_FLIGHT = { x: '^/2/tweets', bluesky: 'com\\.atproto\\.repo\\.putRecord' };
const INTERRUPTED = 'In flight when the stack was killed';
const AHEAD = 'Two days ahead';

test(
  'keeps key, posts and schedules over a SIGKILL, and publishes a post in flight exactly once',
  async () => {
    const first = await startStack({ data });
    stack = first;
    const done = await create(first, { platforms: ['telegram'], description: 'Published before' });
    await finalPost(first, done);
    const due = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2 * DAY_S * 1000).toISOString();
    const ahead = await create(first, { platforms: ['telegram'], description: AHEAD, scheduled_date: due });
    for (const [platform, path] of Object.entries(IN_FLIGHT)) {
      await first.control('POST', '/_control/faults', { platform, path, delay_ms: 60_000 });
    }
    const interrupted = await create(first, { platforms: Object.keys(IN_FLIGHT), description: INTERRUPTED });
    await eventually('both requests are in flight', 300_000, async () => {
      const { body } = await first.control('GET', '/_control/faults');
      return body.items.every((fault: Json) => fault.hits === 1) ? true : null;
    });
    expect(await read(first, interrupted)).toMatchObject({ status: 'publishing' });
    const before = {
      done: await read(first, done),
      ahead: await read(first, ahead),
      schedules: (await first.local('GET', '/_local/schedules')).body,
    };
    expect(before.schedules.schedules).toHaveLength(1);
    stack = null;
    await closeStack(first, 'SIGKILL');

    const second = await startStack({ data });
    stack = second;
    expect([second.api_key, second.workspace_id]).toEqual([first.api_key, first.workspace_id]);
    expect(await read(second, done)).toEqual(before.done);
    expect(await read(second, ahead)).toEqual(before.ahead);
    expect((await second.local('GET', '/_local/schedules')).body).toEqual(before.schedules);

    const recovered = await recover(second, interrupted);
    expect(recovered.status).toBe('published');
    for (const { platform, platform_post_id } of recovered.destinations) {
      const ids = (await liveWith(second, INTERRUPTED, platform)).map(live => live.platform_post_id);
      expect([platform, ids]).toEqual([platform, [platform_post_id]]);
    }

    const left = Date.parse(due) - (await second.now());
    await second.advance(left / 1000 - 60);
    expect(await liveWith(second, AHEAD)).toEqual([]);
    await second.advance(62);
    expect((await finalPost(second, ahead)).status).toBe('published');
    expect(await liveWith(second, AHEAD)).toHaveLength(1);
    expect((await second.local('GET', '/_local/schedules')).body.schedules).toEqual([]);
    const sent = (await traffic(second)).filter(({ body }) => body?.text === 'Published before');
    expect(sent).toEqual([]);
  },
  TEST_MS,
);

/** Advances the clock until the dead worker's lease expires and another worker finishes the post. */
async function recover(on: TestStack, id: string): Promise<Json> {
  return eventually('the post in flight is final', 300_000, async () => {
    const post = await read(on, id);
    if (post.destinations.every(isFinal)) return post;
    const isTakenOver = post.destinations.some(
      (each: Json) => each.status === 'publishing' && each.attempts > 1,
    );
    if (!isTakenOver) await on.advance(60);
    await sleep(150);
    return null;
  });
}
