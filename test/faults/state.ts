import type { Receiver } from '../support/e2e.ts';
import type { TestStack } from '../support/stack.ts';
import type { Violation } from './check.ts';
import type { Dice } from './dice.ts';
import type { Mishap } from './mishaps.ts';
import type { Menu } from './posts.ts';
import type { RequestKind } from './requests.ts';
import type { World } from './world.ts';

export interface Report {
  seed: number;
  posts: number;
  /** Faults that came to pass, by name. */
  faults: Map<string, number>;
  /** By platform and outcome. */
  outcomes: Map<string, number>;
  /** Kinds of requests that were attacked, and how many there are. */
  requests: { attacked: number; known: number };
  violations: Violation[];
  /** Of posts that were violated: traffic, record and events. */
  stories: string[];
  seconds: number;
}

/** A platform's mishap at a kind of request. */
export interface Attack {
  kind: RequestKind;
  mishap: Mishap;
}

export interface Campaign {
  stack: TestStack;
  world: World;
  hook: Receiver;
  menu: Menu;
  dice: Dice;
  kinds: RequestKind[];
  attacked: Set<string>;
  report: Report;
  say: (line: string) => void;
}

/** Adds to a count. */
export function add<K>(counts: Map<K, number>, name: K, count: number): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}
