import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '../../shared/model/post.ts';
import type { DeliveryWorld } from './delivery-world.ts';

/** Each side may wait for its start, so that neither always comes first. */
export interface Starts {
  request: () => Promise<void>;
  firing: () => Promise<void>;
}

/**
 * Lets a request meet the firing of a post, so many times; `race` tells whether the request won. The loser starts a
 * millisecond earlier in the next race. Fails where one side wins nearly always: such races show nothing.
 */
export async function races(times: number, race: (starts: Starts) => Promise<boolean>): Promise<void> {
  let lead = 0;
  let won = 0;
  const wait = async (ms: number) => {
    if (ms > 0) await sleep(ms);
  };
  for (let run = 0; run < times; run += 1) {
    const wins = await race({ request: () => wait(-lead), firing: () => wait(lead) });
    won += wins ? 1 : 0;
    lead += wins ? -1 : 1;
  }
  expect(won).toBeGreaterThan(times / 10);
  expect(won).toBeLessThan((times * 9) / 10);
}

/** Hands the note of each destination to a worker, all at the same moment. */
export async function fire(world: DeliveryWorld, post: Post): Promise<void> {
  const { workspace_id, post_id, version } = post;
  await Promise.all(
    Object.keys(post.destinations).map(platform => {
      const body = JSON.stringify({ workspace_id, post_id, version, platform });
      return world.handle({ queue: 'publish', body, at: 0, receives: 0 });
    }),
  );
}

/** The texts of a post that are live, one a platform. */
export const liveTexts = (world: DeliveryWorld, { post_id }: Post): string[] =>
  world.platform.live.filter(({ key }) => key.startsWith(post_id)).map(({ text }) => text);
