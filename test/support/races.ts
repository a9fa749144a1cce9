import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Post } from '../../shared/model/post.ts';
import type { DeliveryWorld } from './delivery-world.ts';

/** Start signals of both sides of a race. */
export interface Starts {
  request: () => Promise<void>;
  firing: () => Promise<void>;
}

/** How much earlier than publishing a request starts. */
export interface Lead {
  ms: () => number;
  /** Records the winner: the loser starts a little earlier next time. */
  record: (won: boolean) => void;
}

/** Consecutive wins that may be luck. */
const LUCK = 3;

/**
 * Returns a lead that adapts until both sides win about equally often: after repeated wins of one side the steps grow,
 * after a win of the other they shrink. Steps are in milliseconds.
 */
export function fairLead(smallest: number, largest: number): Lead {
  let lead = 0;
  let step = smallest;
  let last: boolean | null = null;
  let streak = 0;
  return {
    ms: () => lead,
    record: won => {
      streak = won === last ? streak + 1 : 1;
      if (streak > LUCK) step = Math.min(2 * step, largest);
      else if (streak === 1) step = Math.max(step / 2, smallest);
      last = won;
      lead += won ? -step : step;
    },
  };
}

/**
 * Runs a race between a request and publishing this many times; `race` returns whether the request won. Fails when one
 * side wins nearly always, since such races test nothing.
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
    lead.record(wins);
  }
  expect(won).toBeGreaterThan(times / 10);
  expect(won).toBeLessThan((times * 9) / 10);
}

/** Handles the message of every destination at the same time. */
export async function fire(world: DeliveryWorld, post: Post): Promise<void> {
  const { workspace_id, post_id, version } = post;
  await Promise.all(
    Object.keys(post.destinations).map(platform => {
      const body = JSON.stringify({ workspace_id, post_id, version, platform });
      return world.handle({ queue: 'publish', body, at: 0, receives: 0 });
    }),
  );
}

/** Returns the live texts of a post, one for each platform. */
export const liveTexts = (world: DeliveryWorld, { post_id }: Post): string[] =>
  world.platform.live.filter(({ key }) => key.startsWith(post_id)).map(({ text }) => text);
