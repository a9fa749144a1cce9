import type { Destination } from '../model/destination.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Post } from '../model/post.ts';
import type { Publisher } from '../platforms/contract/publisher.ts';
import type { Services } from '../runtime/services.ts';

/** Is called with a destination whose attempt ended, or that is given up, once that is stored. */
export type Report = (post: Post, destination: Destination) => void;

/** What the delivery of one message works with. */
export interface DeliveryRun {
  services: Services;
  publishers: Readonly<Partial<Record<PlatformId, Publisher>>>;
  /** Returns the remaining time of this invocation in milliseconds. */
  remainingMs: () => number;
  /** Waits for the exact time of a post; tests pass their own. */
  sleep?: (ms: number) => Promise<void>;
  report?: Report;
}
