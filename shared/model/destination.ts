import * as v from 'valibot';
import { DestinationEventKindSchema } from './event.ts';
import { FailureSchema } from './failure.ts';
import { JsonObjectSchema } from './json.ts';
import { PlatformIdSchema } from './platform.ts';

/** Epoch milliseconds. */
const Instant = v.pipe(v.number(), v.integer());
const Count = v.pipe(v.number(), v.integer());

const common = {
  platform: PlatformIdSchema,
  social_account_id: v.string(),
  /**
   * Page, organization, location or board that the post goes to, from its first attempt on; null for the account's own
   * page. Missing where the platform has none.
   */
  target_id: v.optional(v.nullable(v.string())),
  /** Increases with every write of this destination: the fencing token of its lease. */
  revision: Count,
  /** Number of attempts begun. Resuming after a wait is not a new attempt. */
  attempts: Count,
  /** Consecutive failures since the last step that succeeded: the retry budget. */
  failures: Count,
  first_attempt_at: v.nullable(Instant),
  /** When the status last changed: the time that its event carries. */
  changed_at: Instant,
  /** Id of the write that made this state: its writer recognises it when the response was lost. */
  written_by: v.optional(v.string()),
  /** Events of the present status that are not yet on the events queue. */
  outbox: v.array(DestinationEventKindSchema),
};

/** How far an attempt has come: the step to run next, and the publisher's state. */
export interface Checkpoint {
  step: string;
  state: v.InferOutput<typeof JsonObjectSchema>;
}

/**
 * A checkpoint as the destination keeps it. A large or encrypted state is in an item of its own with the id `item`; one that is
 * `fresh` is what the publisher starts with.
 */
const StoredCheckpointSchema = v.union([
  v.object({ step: v.string(), state: JsonObjectSchema }),
  v.object({ step: v.string(), item: v.string() }),
  v.object({ step: v.string(), fresh: v.literal(true) }),
]);
export type StoredCheckpoint = v.InferOutput<typeof StoredCheckpointSchema>;

/** Stored before a request that must not be sent twice; removed once its outcome is known. */
const CommitIntentSchema = v.object({
  step: v.string(),
  at: Instant,
  /** What the platform answered, where its answer leaves the outcome open but is final when it is repeated. */
  answer: v.optional(v.object({ failure: FailureSchema, retries: Count })),
  /** True once the platform has taken the post, which it may make live by itself. */
  pending: v.optional(v.literal(true)),
});
export type CommitIntent = v.InferOutput<typeof CommitIntentSchema>;

const progress = {
  checkpoint: v.nullable(StoredCheckpointSchema),
  intent: v.nullable(CommitIntentSchema),
  /** True after a commit whose response was lost and of which the platform has nothing. */
  lost_commit: v.optional(v.boolean()),
  /** Consecutive waits for the platform in the present step: each is longer than the one before. */
  waits: v.optional(Count),
};

/** What the platform returned for a live post. */
const PublishedPostSchema = v.object({
  platform_post_id: v.string(),
  platform_post_url: v.nullable(v.string()),
  published_at: Instant,
});
export type PublishedPost = v.InferOutput<typeof PublishedPostSchema>;

/** Stands for the id of a live post that the platform does not name, or that cannot be told from others of the account. */
export const UNKNOWN_POST_ID = 'unknown';

const FOLLOW_UP_STATUSES = ['pending', 'done', 'failed'] as const;

/** A step that follows the live post, with its own progress and retry budget. */
const FollowUpStateSchema = v.object({
  name: v.string(),
  status: v.picklist(FOLLOW_UP_STATUSES),
  /** How often a worker began it. */
  attempts: Count,
  failures: Count,
  first_attempt_at: v.nullable(Instant),
  next_attempt_at: Instant,
  waits: Count,
  state: JsonObjectSchema,
  intent: v.nullable(v.object({ at: Instant })),
  error: v.nullable(FailureSchema),
});
export type FollowUpState = v.InferOutput<typeof FollowUpStateSchema>;

/**
 * One platform of a post. Each status has exactly the fields that it needs:
 *
 *     pending ──▶ publishing ──▶ published
 *        ▲          │  ▲  │ └──▶ failed
 *        │          ▼  │  ▼
 *      (retry)  processing retrying
 *
 * `pending` and `retrying` become `cancelled` when the profile is deleted.
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
    follow_ups: v.array(FollowUpStateSchema),
    /** The lease of the worker that runs the follow-up `follow_up`. */
    lease: v.nullable(v.object({ follow_up: v.string(), until: Instant })),
  }),
  v.object({
    ...common,
    status: v.literal('failed'),
    error: FailureSchema,
    /** Last checkpoint of the attempt, until what it left at the platform is discarded. */
    abandoned: v.nullable(StoredCheckpointSchema),
  }),
  v.object({ ...common, status: v.literal('cancelled') }),
]);
export type Destination = v.InferOutput<typeof DestinationSchema>;
export type DestinationStatus = Destination['status'];
export type DestinationOf<S extends DestinationStatus> = Extract<Destination, { status: S }>;

/** True once something of the post may be at the platform: it belongs to this account and target from then on. */
export const hasBegun = (destination: Destination): boolean =>
  isFinal(destination) ||
  ('checkpoint' in destination &&
    (destination.checkpoint !== null || destination.intent !== null || destination.lost_commit === true));

/** True when nothing is left to do: final, all events sent, follow-ups ended, abandoned work discarded. */
export function isSettled(destination: Destination): boolean {
  if (destination.outbox.length > 0) return false;
  if (destination.status === 'failed') return destination.abandoned === null;
  if (destination.status === 'cancelled') return true;
  return destination.status === 'published' && pendingFollowUps(destination).length === 0;
}

export function isFinal({ status }: Destination): boolean {
  return status === 'published' || status === 'failed' || status === 'cancelled';
}

/** True for a failed destination whose post may be live on the platform despite the failure. */
export function mayBeLive(destination: Destination): boolean {
  return destination.status === 'failed' && destination.error.code === 'DELIVERY_UNKNOWN';
}

export function pendingFollowUps(destination: Destination): FollowUpState[] {
  if (destination.status !== 'published') return [];
  return destination.follow_ups.filter(({ status }) => status === 'pending');
}

/** Follow-ups as the API shows them. */
export const FollowUpSchema = v.pick(FollowUpStateSchema, ['name', 'status', 'error']);

/** The first comment as the API shows it. */
export const FirstCommentSchema = v.object({
  status: v.picklist(['pending', 'published', 'failed']),
  error: v.nullable(FailureSchema),
});

/** Name of the follow-up that posts the first comment. */
export const FIRST_COMMENT = 'first_comment';

export function followUpsOf(destination: Destination): v.InferOutput<typeof FollowUpSchema>[] {
  if (destination.status !== 'published') return [];
  return destination.follow_ups.map(({ name, status, error }) => ({ name, status, error }));
}

/** Returns the state of the first comment, or null for a post without one. */
export function firstCommentOf(destination: Destination): v.InferOutput<typeof FirstCommentSchema> | null {
  const comment = followUpsOf(destination).find(({ name }) => name === FIRST_COMMENT);
  if (!comment) return null;
  return { status: comment.status === 'done' ? 'published' : comment.status, error: comment.error };
}
