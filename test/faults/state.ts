import type { PlatformId } from '../../shared/model/platform.ts';
import type { Receiver } from '../support/e2e.ts';
import type { TestStack } from '../support/stack.ts';
import type { Violation } from './check.ts';
import type { SeededRandom } from './random.ts';
import type { InjectedFault } from './injected-faults.ts';
import type { Menu } from './posts.ts';
import { nameOf, type RequestKind } from './requests.ts';
import type { World } from './world.ts';

export interface Report {
  seed: number;
  posts: number;
  platforms: PlatformId[];
  /** Faults that came to pass, by name. */
  faults: Map<string, number>;
  /** By platform and outcome. */
  outcomes: Map<string, number>;
  /** Kinds of requests; what was to happen to them, a mishap at a kind each; and what of it came to pass. */
  requests: { kinds: number; planned: number; met: number };
  violations: Violation[];
  /** Of posts that were violated: traffic, record and events. */
  stories: string[];
  seconds: number;
}

/** A platform's mishap at a kind of request. */
export interface Attack {
  kind: RequestKind;
  fault: InjectedFault;
}

export const attackName = ({ kind, fault }: Attack) => `${fault.name} at ${nameOf(kind)}`;

export interface Campaign {
  stack: TestStack;
  world: World;
  hook: Receiver;
  menu: Menu;
  random: SeededRandom;
  kinds: RequestKind[];
  /** Names of those that are made only when posts have been live for a while: how they were received. */
  late: Set<string>;
  /** Names of the attacks that came to pass. */
  met: Set<string>;
  report: Report;
  say: (line: string) => void;
}

/** Adds to a count. */
export function add<K>(counts: Map<K, number>, name: K, count: number): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}
