import * as v from 'valibot';
import { EventKindSchema } from './event.ts';
import { FailureSchema } from './failure.ts';
import { JsonObjectSchema } from './json.ts';
import { PlatformIdSchema } from './platform.ts';

/** Epoch milliseconds. */
const Instant = v.pipe(v.number(), v.integer());

const common = {
  platform: PlatformIdSchema,
  social_account_id: v.string(),
  /** Grows with every write of this destination: the fencing token of its lease holder. */
  revision: v.pipe(v.number(), v.integer()),
  /** Attempts begun so far. Going on with a started attempt does not count. */
  attempts: v.pipe(v.number(), v.integer()),
  /** Faults in a row since the last step that got on: the retry budget. */
  failures: v.pipe(v.number(), v.integer()),
  first_attempt_at: v.nullable(Instant),
  /** When the status last changed: the time that its event carries. */
  changed_at: Instant,
  /** Names the write that made this state, so that its writer knows it again when the answer was lost. */
  written_by: v.optional(v.string()),
  /** Events that are owed for the present status and not yet on the events queue. */
  outbox: v.array(EventKindSchema),
};

/** How far an attempt has come. `step` names the step to run next, `state` is the platform's own note. */
export const CheckpointSchema = v.object({ step: v.string(), state: JsonObjectSchema });
export type Checkpoint = v.InferOutput<typeof CheckpointSchema>;

/** Set before a request that must not happen twice is sent; stays until its outcome is known. */
export const CommitIntentSchema = v.object({ step: v.string(), at: Instant });
export type CommitIntent = v.InferOutput<typeof CommitIntentSchema>;

const progress = {
  checkpoint: v.nullable(CheckpointSchema),
  intent: v.nullable(CommitIntentSchema),
  /** A commit was lost once, and the platform said that nothing is there. */
  lost_commit: v.optional(v.boolean()),
};

export const FirstCommentSchema = v.object({
  status: v.picklist(['pending', 'published', 'failed']),
  error: v.nullable(FailureSchema),
});

/** What the platform gave back for a live post. */
export const PublishedPostSchema = v.object({
  platform_post_id: v.string(),
  platform_post_url: v.nullable(v.string()),
  published_at: Instant,
});
export type PublishedPost = v.InferOutput<typeof PublishedPostSchema>;

/**
 * One platform of a post. Each status carries just what it needs:
 *
 *     pending ──▶ publishing ──▶ published
 *        ▲          │  ▲  │ └──▶ failed
 *        │          ▼  │  ▼
 *      (retry)  processing retrying
 */
export const DestinationSchema = v.variant('status', [
  v.object({ ...common, status: v.literal('pending') }),
  v.object({ ...common, ...progress, status: v.literal('publishing'), lease_until: Instant }),
  v.object({ ...common, ...progress, status: v.literal('processing'), next_attempt_at: Instant }),
  v.object({
    ...common,
    ...progress,
    status: v.literal('retrying'),
    next_attempt_at: Instant,
    error: FailureSchema,
  }),
  v.object({
    ...common,
    ...PublishedPostSchema.entries,
    status: v.literal('published'),
    first_comment: v.nullable(FirstCommentSchema),
  }),
  v.object({ ...common, status: v.literal('failed'), error: FailureSchema }),
]);
export type Destination = v.InferOutput<typeof DestinationSchema>;
export type DestinationStatus = Destination['status'];
export type DestinationOf<S extends DestinationStatus> = Extract<Destination, { status: S }>;

/** True when nothing is left to do: the outcome is known, its events are on their queue, the comment is made. */
export function isSettled(destination: Destination): boolean {
  return isFinal(destination) && destination.outbox.length === 0 && !isFirstCommentPending(destination);
}

export function isFirstCommentPending(destination: Destination): destination is DestinationOf<'published'> {
  return destination.status === 'published' && destination.first_comment?.status === 'pending';
}

export function isFinal(destination: Destination): boolean {
  return destination.status === 'published' || destination.status === 'failed';
}

/** True for a failure behind which the post may stand on the platform all the same. */
export function mayBeLive(destination: Destination): boolean {
  return destination.status === 'failed' && destination.error.code === 'DELIVERY_UNKNOWN';
}
