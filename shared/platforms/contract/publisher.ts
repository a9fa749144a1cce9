import * as v from 'valibot';
import type { Checkpoint, PublishedPost } from '../../model/destination.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import type { HttpClient } from '../../net/http.ts';
import type { AppCredentials, Target } from './connector.ts';
import type { MediaFiles } from './media-files.ts';
import type { Quota } from './quota.ts';
import type { AccountFacts, Draft } from './rules.ts';

/** The account that a destination publishes to. */
export interface Account extends AccountFacts {
  connection_id: string;
  platform_user_id: string;
  username: string | null;
}

/** What to publish on one platform. The same over all attempts. */
export interface PublishJob extends Draft {
  post_id: string;
  platform: PlatformId;
  post_type: PostType;
  /** The text to send, as the platform's rules shape it. */
  text: string;
  account: Account;
  /** Epoch milliseconds. */
  due_at: number;
  created_at: number;
}

/**
 * Returns which of the live posts that look like the job's is its own, and not that of another post of the account.
 * `looksAlike`: whether another job's post could look the same; by default, whether its text is the same. An id that the
 * platform does not tell is UNKNOWN_POST_ID.
 */
export type Identify = (
  candidates: readonly PublishedPost[],
  looksAlike?: (other: PublishJob) => boolean,
) => Promise<Finding>;

/** What a step works with. `C`: the platform's credentials. */
export interface StepContext<C> {
  job: PublishJob;
  account: Account;
  /** The page, location or board that the post goes to; null where the account has none. */
  target: Target | null;
  /** Opened and fresh. A step that throws `token_expired` runs once more with renewed credentials. */
  credentials: C;
  /** The platform app that the connection was made with; null where the platform needs none. */
  app: AppCredentials | null;
  /** Counts what requests cost, before they are sent. */
  quota: Quota;
  /** Sends requests to the platform. */
  http: HttpClient;
  /** Sends requests to URLs of the user; guarded against private addresses. */
  media: HttpClient;
  /** The post's media files. */
  files: MediaFiles;
  /** Chooses among live posts: the platform alone cannot tell posts with the same content apart. */
  identify: Identify;
  /** Stores attributes of the account that the platform has changed, for later posts. Does not throw. */
  saveAttributes: (changed: Readonly<Record<string, string>>) => Promise<void>;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
  /** Returns the remaining time of this invocation. A step that needs longer returns `again` instead of starting. */
  remainingMs: () => number;
  /** True for a commit that is repeated after `reconcile` found that the lost one had no effect, and when it is reconciled. */
  repeatedAfterLoss?: boolean;
}

/** How a step ended. `state` is what the next step, or the next invocation, needs to continue. */
export type StepResult<S> =
  /** Continue with the next step. */
  | { type: 'next'; state: S }
  /** Call this step again; the state is stored in between (one part of an upload). */
  | { type: 'again'; state: S }
  /** The platform is still processing: call this step again after `delayMs` or somewhat later. */
  | { type: 'wait'; state: S; delayMs: number }
  /** The platform rejected the result of an earlier step, and continuing from the step named `step` can fix that. */
  | { type: 'back'; step: string; state: S }
  /**
   * Commit only: the platform has taken the post and may make it live by itself. `reconcile` follows it, first after
   * `delayMs`. Where that finds it absent, the platform has given it up, and the commit is run again.
   */
  | { type: 'pending'; state: S; delayMs: number }
  /** Commit only: the post is live. */
  | { type: 'published'; post: PublishedPost; state: S };

/** What the platform says about a commit whose response was lost. */
export type Finding =
  | { type: 'published'; post: PublishedPost }
  /** The commit certainly had no effect: it may be repeated. */
  | { type: 'absent' }
  /** The platform cannot tell: the destination fails with DELIVERY_UNKNOWN, because a repetition could post twice. */
  | { type: 'unknown' }
  /** Reconcile again after `delayMs`. */
  | { type: 'wait'; delayMs: number };

/**
 * A step of a publisher.
 * - `prepare` is safe to repeat and may run before the post is due: uploads, containers, waiting.
 * - `commit` makes the post visible. Each publisher has exactly one. It never runs before the post is due; an intent is
 *   stored before it runs, and `reconcile` finds out what became of an intent whose outcome is unknown.
 */
export type Step<S, C> =
  | { name: string; kind: 'prepare'; run: (context: StepContext<C>, state: S) => Promise<StepResult<S>> }
  | {
      name: string;
      kind: 'commit';
      run: (context: StepContext<C>, state: S) => Promise<StepResult<S>>;
      /** `intentAt`: when the intent of the lost commit was stored. Epoch milliseconds. */
      reconcile: (context: StepContext<C>, state: S, intentAt: number) => Promise<Finding>;
    };

/** How a run of a follow-up ended. */
export type FollowUpResult<S> =
  /** `amend`: what became known of the live post meanwhile (a public id, a permalink). */
  | { type: 'done'; state?: S; amend?: Partial<PublishedPost> }
  | { type: 'again'; state: S }
  | { type: 'wait'; state: S; delayMs: number }
  /** `revokes`: the platform withdrew the post itself, so the destination fails. */
  | { type: 'rejected'; failure: Failure; revokes?: true };

/** What the platform says about a follow-up whose response was lost. */
export type FollowUpFinding =
  | { type: 'done'; amend?: Partial<PublishedPost> }
  | { type: 'absent' }
  | { type: 'unknown' }
  | { type: 'wait'; delayMs: number };

/**
 * Something that follows the live post: a first comment, a thumbnail, captions, a review by the platform. It has its
 * own state, retries and intent. Its failure never affects the post, except where it `revokes`.
 */
export interface FollowUpDefinition<F extends JsonObject, S, C> {
  /** Unique among the platform's follow-ups. It is stored and shown in the API: never rename it. */
  name: string;
  /** True where running it twice has the same effect as running it once: it needs no intent. */
  idempotent?: true;
  state: v.GenericSchema<unknown, F>;
  /** False where the live post needs it no more. Default: always needed. */
  isNeeded?: (post: PublishedPost) => boolean;
  /** `committed`: the publisher's state when the post went live. */
  initial: (job: PublishJob, committed: S) => F;
  run: (context: StepContext<C>, state: F, post: PublishedPost) => Promise<FollowUpResult<F>>;
  /** Without it, a follow-up whose response was lost fails with DELIVERY_UNKNOWN. */
  reconcile?: (
    context: StepContext<C>,
    state: F,
    post: PublishedPost,
    intentAt: number,
  ) => Promise<FollowUpFinding>;
}

/** A follow-up with its state type hidden. `S`: the publisher's state. */
export interface FollowUp<S, C> {
  name: string;
  idempotent: boolean;
  isNeeded: (post: PublishedPost) => boolean;
  initial: (job: PublishJob, committed: S) => JsonObject;
  run: (
    context: StepContext<C>,
    state: JsonObject,
    post: PublishedPost,
  ) => Promise<FollowUpResult<JsonObject>>;
  reconcile:
    | ((
        context: StepContext<C>,
        state: JsonObject,
        post: PublishedPost,
        intentAt: number,
      ) => Promise<FollowUpFinding>)
    | null;
}

export interface PublisherDefinition<S extends JsonObject, C> {
  /** Schema of the platform's opened credentials. */
  credentials: v.GenericSchema<unknown, C>;
  /** Schema of the checkpoint's state. A stored state that does not match starts the attempt from the beginning. */
  state: v.GenericSchema<unknown, S>;
  /** True where the state holds secrets, such as encryption keys: it is then stored encrypted. */
  sealed?: true;
  initial: (job: PublishJob) => S;
  /** The steps of this job, in order. */
  steps: (job: PublishJob) => readonly Step<S, C>[];
  /** The follow-ups of this job. They run in this order, but none waits for another. */
  followUps?: (job: PublishJob) => readonly FollowUp<S, C>[];
  /** Deletes what a failed attempt left at the platform. Must be idempotent; its failure is only logged. */
  discard?: (context: StepContext<C>, state: S) => Promise<void>;
}

/** A publisher with its types hidden: what the delivery code drives. */
export interface Publisher {
  sealed: boolean;
  plan: (job: PublishJob) => readonly PlannedStep[];
  /** Returns the checkpoint before the first step. */
  start: (job: PublishJob) => Checkpoint;
  /** False for a checkpoint of another version of the publisher: its state no longer matches the schema. */
  accepts: (checkpoint: Checkpoint) => boolean;
  followUps: (job: PublishJob) => readonly PlannedFollowUp[];
  discard: ((context: StepContext<unknown>, checkpoint: Checkpoint) => Promise<void>) | null;
}

export interface PlannedStep {
  name: string;
  kind: 'prepare' | 'commit';
  run: (context: StepContext<unknown>, checkpoint: Checkpoint) => Promise<StepResult<JsonObject>>;
  reconcile: (context: StepContext<unknown>, checkpoint: Checkpoint, intentAt: number) => Promise<Finding>;
}

export interface PlannedFollowUp extends Pick<
  FollowUp<unknown, unknown>,
  'name' | 'idempotent' | 'isNeeded' | 'run' | 'reconcile'
> {
  /** Returns the first state, given the state of the publisher when the post went live. */
  start: (committed: JsonObject) => JsonObject;
}

/** Hides the state type of a follow-up. */
export function defineFollowUp<F extends JsonObject, S, C>(
  definition: FollowUpDefinition<F, S, C>,
): FollowUp<S, C> {
  const { name, idempotent = false, isNeeded = () => true, initial, run, reconcile } = definition;
  const parse = (state: JsonObject) => v.parse(definition.state, state);
  return {
    name,
    idempotent,
    isNeeded,
    initial,
    run: (context, state, post) => run(context, parse(state), post),
    reconcile: reconcile
      ? (context, state, post, intentAt) => reconcile(context, parse(state), post, intentAt)
      : null,
  };
}

/** Hides the types of a publisher, so that the delivery code handles all platforms alike. */
export function definePublisher<S extends JsonObject, C>(definition: PublisherDefinition<S, C>): Publisher {
  const { sealed = false, initial, steps, followUps = () => [], discard } = definition;
  const stateOf = (job: PublishJob, state: JsonObject): S => {
    const parsed = v.safeParse(definition.state, state);
    return parsed.success ? parsed.output : initial(job);
  };
  const typed = (context: StepContext<unknown>): StepContext<C> => ({
    ...context,
    credentials: v.parse(definition.credentials, context.credentials),
  });

  const bindStep = (step: Step<S, C>): PlannedStep => ({
    name: step.name,
    kind: step.kind,
    run: async (context, checkpoint) => step.run(typed(context), stateOf(context.job, checkpoint.state)),
    reconcile: async (context, checkpoint, intentAt) => {
      if (step.kind !== 'commit') throw new Error(`${step.name} is not a commit step`);
      return step.reconcile(typed(context), stateOf(context.job, checkpoint.state), intentAt);
    },
  });

  const bindFollowUp = (job: PublishJob, followUp: FollowUp<S, C>): PlannedFollowUp => {
    const { name, idempotent, isNeeded, run, reconcile } = followUp;
    return {
      name,
      idempotent,
      isNeeded,
      start: committed => followUp.initial(job, stateOf(job, committed)),
      run: async (context, state, post) => run(typed(context), state, post),
      reconcile: reconcile
        ? async (context, state, post, intentAt) => reconcile(typed(context), state, post, intentAt)
        : null,
    };
  };

  return {
    sealed,
    plan: job => steps(job).map(bindStep),
    start: job => ({ step: steps(job)[0]?.name ?? '', state: initial(job) }),
    accepts: ({ state }) => v.is(definition.state, state),
    followUps: job => followUps(job).map(followUp => bindFollowUp(job, followUp)),
    discard: discard
      ? async (context, { state }) => discard(typed(context), stateOf(context.job, state))
      : null,
  };
}
