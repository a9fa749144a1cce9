import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '../../shared/model/post.ts';
import type { DeliveryWorld } from './delivery-world.ts';

/** Each side may wait for its start, so that neither always comes first. */
export interface Starts {
  request: () => Promise<void>;
  firing: () => Promise<void>;
}

/** How much earlier than the firing a request starts. */
export interface Lead {
  ms: () => number;
  /** Tells whether the request won; the loser starts a little earlier next time. */
  tell: (won: boolean) => void;
}

/** As often in a row either side may win by luck. */
const LUCK = 3;

/**
 * A lead that comes close to where either side may win, on a fast machine or a slow one: whoever wins again and again
 * loses ground in growing steps, which shrink as soon as the other wins. Steps in milliseconds.
 */
export function fairLead(smallest: number, largest: number): Lead {
  let lead = 0;
  let step = smallest;
  let last: boolean | null = null;
  let streak = 0;
  return {
    ms: () => lead,
    tell: won => {
      streak = won === last ? streak + 1 : 1;
      if (streak > LUCK) step = Math.min(2 * step, largest);
      else if (streak === 1) step = Math.max(step / 2, smallest);
      last = won;
      lead += won ? -step : step;
    },
  };
}

/**
 * Lets a request meet the firing of a post, so many times; `race` tells whether the request won. Fails where one side
 * wins nearly always: such races show nothing.
 */
export async function races(times: number, race: (starts: Starts) => Promise<boolean>): Promise<void> {
  const lead = fairLead(1, 64);
  let won = 0;
  const wait = async (ms: number) => {
    if (ms > 0) await sleep(ms);
  };
  for (let run = 0; run < times; run += 1) {
    const wins = await race({ request: () => wait(-lead.ms()), firing: () => wait(lead.ms()) });
    won += wins ? 1 : 0;
    lead.tell(wins);
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
