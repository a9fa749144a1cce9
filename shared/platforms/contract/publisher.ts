import * as v from 'valibot';
import type { Checkpoint, PublishedPost } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PlatformId, PostType } from '../../model/platform.ts';
import type { Credentials } from '../../model/profile.ts';
import type { HttpClient } from '../../net/http.ts';
import type { MediaFiles } from './media-files.ts';
import type { Draft } from './rules.ts';

/** The account that a destination publishes to. */
export interface Account {
  connection_id: string;
  platform_user_id: string;
  username: string | null;
  /** Facts stored at connect time: the account's server, chat type, granted scopes … */
  attributes: Readonly<Record<string, string>>;
}

/** One destination's order, as far as a platform needs it. */
export interface PublishJob extends Draft {
  post_id: string;
  platform: PlatformId;
  post_type: PostType;
  /** The text to send: shaped by the platform's rules. */
  text: string;
  account: Account;
  /** When the post is due and when it was created; epoch milliseconds. Fixed over all attempts. */
  due_at: number;
  created_at: number;
}

export interface StepContext {
  job: PublishJob;
  /** Opened and fresh; a step that meets `token_expired` is run again once with refreshed ones. */
  credentials: Credentials;
  /** Requests to the platform's real URLs. */
  http: HttpClient;
  /** Requests to URLs that the user gave; guarded. */
  media: HttpClient;
  /** The files that the post names. */
  files: MediaFiles;
  /** Epoch milliseconds. */
  now: () => number;
  /** What is left of this invocation; a step that needs longer answers `again` instead of starting. */
  remainingMs: () => number;
  /** True for a commit that is sent again after `reconcile` found nothing of a lost one. */
  repeatedAfterLoss?: boolean;
}

/** How a step ends. `state` is what the next step, or the next invocation, needs to go on. */
export type StepResult<S> =
  /** Done: go on with the next step. */
  | { type: 'next'; state: S }
  /** Got further, and must be called again (a chunk of an upload); the state is stored in between. */
  | { type: 'again'; state: S }
  /** The platform is working on it: look again after `delayMs`, without holding a Lambda. */
  | { type: 'wait'; state: S; delayMs: number }
  /** Only of a commit step: it was refused, and preparing again from the step named `step` can mend that. */
  | { type: 'back'; step: string; state: S }
  /** Only of a commit step: the post is live. */
  | { type: 'published'; post: PublishedPost; state: S };

/** What the platform says about a commit whose answer was lost. */
export type Finding =
  | { type: 'published'; post: PublishedPost }
  /** Nothing is there, for certain: the commit may be sent again. */
  | { type: 'absent' }
  /** The platform cannot tell: the destination fails with DELIVERY_UNKNOWN rather than posting twice. */
  | { type: 'unknown' };

/**
 * A step of a platform's publisher.
 * - `prepare` may be repeated without harm and may run ahead of the post's time: uploads, containers, waiting.
 * - `commit` makes the post visible; exactly one a publisher. It is marked before it runs, and `reconcile` answers
 *   for a mark whose outcome is unknown. It never runs before the post is due.
 * - `finish` follows the commit (a first comment). Its failure never touches the post.
 */
export type Step<S> =
  | { name: string; kind: 'prepare'; run: (context: StepContext, state: S) => Promise<StepResult<S>> }
  | {
      name: string;
      kind: 'commit';
      run: (context: StepContext, state: S) => Promise<StepResult<S>>;
      /** `markedAt`: when the lost request was marked, epoch milliseconds. */
      reconcile: (context: StepContext, state: S, intentAt: number) => Promise<Finding>;
    }
  | {
      name: string;
      kind: 'finish';
      run: (context: StepContext, state: S, post: PublishedPost) => Promise<void>;
    };

export interface PublisherDefinition<S extends JsonObject> {
  /** What a checkpoint must look like; a stored one that does not fit starts the attempt anew. */
  state: v.GenericSchema<unknown, S>;
  initial: (job: PublishJob) => S;
  /** The steps of this job, in order: some jobs upload, some do not. */
  steps: (job: PublishJob) => readonly Step<S>[];
}

/** A publisher with its state type hidden: what the delivery machine drives. */
export interface Publisher {
  /** Steps of a job, bound to checkpoints. */
  plan: (job: PublishJob) => readonly PlannedStep[];
  /** The checkpoint before the first step. */
  start: (job: PublishJob) => Checkpoint;
}

export interface PlannedStep {
  name: string;
  kind: Step<JsonObject>['kind'];
  run: (context: StepContext, checkpoint: Checkpoint) => Promise<StepResult<JsonObject>>;
  reconcile: (context: StepContext, checkpoint: Checkpoint, intentAt: number) => Promise<Finding>;
  finish: (context: StepContext, checkpoint: Checkpoint, post: PublishedPost) => Promise<void>;
}

/** Closes a definition over its state type, so that the machine handles all platforms alike. */
export function definePublisher<S extends JsonObject>(definition: PublisherDefinition<S>): Publisher {
  const stateOf = (job: PublishJob, checkpoint: Checkpoint): S => {
    const parsed = v.safeParse(definition.state, checkpoint.state);
    return parsed.success ? parsed.output : definition.initial(job);
  };

  const bind = (step: Step<S>): PlannedStep => ({
    name: step.name,
    kind: step.kind,
    run: (context, checkpoint) => {
      if (step.kind === 'finish') throw new Error(`${step.name} runs after the commit`);
      return step.run(context, stateOf(context.job, checkpoint));
    },
    reconcile: (context, checkpoint, intentAt) => {
      if (step.kind !== 'commit') throw new Error(`${step.name} is no commit`);
      return step.reconcile(context, stateOf(context.job, checkpoint), intentAt);
    },
    finish: (context, checkpoint, post) => {
      if (step.kind !== 'finish') throw new Error(`${step.name} runs before the commit`);
      return step.run(context, stateOf(context.job, checkpoint), post);
    },
  });

  return {
    plan: job => definition.steps(job).map(bind),
    start: job => ({ step: definition.steps(job)[0]?.name ?? '', state: definition.initial(job) }),
  };
}
