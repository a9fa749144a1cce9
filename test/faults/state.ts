import type { PlatformId } from '../../shared/model/platform.ts';
import type { Receiver } from '../support/e2e.ts';
import type { TestStack } from '../support/stack.ts';
import type { Violation } from './evaluate.ts';
import type { SeededRandom } from './random.ts';
import type { InjectedFault } from './injected-faults.ts';
import type { AcceptedContents } from './posts.ts';
import { nameOf, type RequestKind } from './requests.ts';
import type { World } from './world.ts';

export interface Report {
  seed: number;
  posts: number;
  platforms: PlatformId[];
  /** Number of faults that occurred, by name. */
  faults: Map<string, number>;
  /** Number of destinations, by platform and outcome. */
  outcomes: Map<string, number>;
  /** Number of kinds of requests, of planned combinations of fault and kind, and of those that occurred. */
  requests: { kinds: number; planned: number; met: number };
  /** Publish-queue messages of one delivery with a minute of processing, by platform. */
  messages: Map<PlatformId, number>;
  violations: Violation[];
  /** Traffic, record and events of posts with violations, as JSON. */
  diagnostics: string[];
  seconds: number;
}

/** A fault at a kind of request. */
export interface RequestFault {
  kind: RequestKind;
  fault: InjectedFault;
}

export const requestFaultName = ({ kind, fault }: RequestFault) => `${fault.name} at ${nameOf(kind)}`;

export interface Campaign {
  stack: TestStack;
  world: World;
  receiver: Receiver;
  accepted: AcceptedContents;
  random: SeededRandom;
  kinds: RequestKind[];
  /** Names of the kinds that are made only after a while: metrics of live posts. */
  late: Set<string>;
  /** Names of the request faults that occurred. */
  met: Set<string>;
  report: Report;
  log: (line: string) => void;
}

/** Adds to a count of the map. */
export function add<K>(counts: Map<K, number>, name: K, count: number): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}
