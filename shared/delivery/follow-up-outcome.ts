import type { DestinationOf, FollowUpState, PublishedPost } from '../model/destination.ts';
import { failure, type Failure } from '../model/failure.ts';
import type { Post } from '../model/post.ts';
import type { JsonObject } from '../model/json.ts';
import type { PlatformError } from '../platforms/contract/error.ts';
import type { PlannedFollowUp, StepContext } from '../platforms/contract/publisher.ts';
import { asPlatformError, decide, isWaitForQuota } from './outcome.ts';
import { FULL_BUDGET } from './retry.ts';
import type { DeliveryRun } from './run.ts';

type Published = DestinationOf<'published'>;

/** How a worker leaves a follow-up. */
export type FollowUpOutcome =
  | { type: 'done'; state?: JsonObject; amend?: Partial<PublishedPost> }
  | { type: 'failed'; failure: Failure }
  /** The platform withdrew the post. */
  | { type: 'revoked'; failure: Failure }
  /** Run it again, or reconcile it where `change` keeps its intent, at `at`. */
  | { type: 'later'; at: number; change: Partial<FollowUpState> };

/** A follow-up under this worker's lease, as it was stored last. */
export interface LeasedFollowUp {
  readonly state: FollowUpState;
  readonly destination: Published;
  /** Stores a change and keeps the lease. Throws LeaseLost when another worker acquired it. */
  save: (change: Partial<FollowUpState>) => Promise<void>;
}

/** What running a follow-up works with. */
export interface FollowUpRun extends DeliveryRun {
  followUp: PlannedFollowUp;
  leased: LeasedFollowUp;
  post: Post;
  open: (refusal: PlatformError | null) => Promise<StepContext<unknown>>;
  reserveMs: number;
}

/** Returns what follows an error. `keepIntent`: the outcome of an earlier run is unknown. */
export function afterFollowUpError(
  error: unknown,
  state: FollowUpState,
  now: number,
  keepIntent: boolean,
): FollowUpOutcome {
  const decision = decide(error, state, false, now);
  if (decision.type !== 'retry') {
    const { code, message } = asPlatformError(error);
    return { type: 'failed', failure: failure(keepIntent ? 'DELIVERY_UNKNOWN' : code, message) };
  }
  const { at, failures } = decision;
  if (keepIntent) return { type: 'later', at, change: { failures } };
  const budget = isWaitForQuota(decision.failure) ? FULL_BUDGET : { failures };
  return { type: 'later', at, change: { ...budget, intent: null } };
}

export const lost = (name: string) =>
  failure('DELIVERY_UNKNOWN', `The response to ${name} was lost; it may have taken effect`);

export const postOf = ({ platform_post_id, platform_post_url, published_at }: Published): PublishedPost => ({
  platform_post_id,
  platform_post_url,
  published_at,
});
