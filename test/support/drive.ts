import type { Checkpoint, CommitIntent, PublishedPost } from '../../shared/model/destination.ts';
import { mediaFiles } from '../../shared/media/media-files.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { inDoubt } from '../../shared/delivery/outcome.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { AppCredentials, Target } from '../../shared/platforms/contract/connector.ts';
import type { Quota } from '../../shared/platforms/contract/quota.ts';
import type {
  Finding,
  PlannedFollowUp,
  PlannedStep,
  Identify,
  Publisher,
  PublishJob,
  StepContext,
  StepResult,
} from '../../shared/platforms/contract/publisher.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { memoryBucket } from './memory-bucket.ts';
import { onlyPost } from './identify.ts';
import { unlimitedQuota } from './unlimited-quota.ts';

export interface DriveOptions {
  credentials: JsonObject;
  target?: Target | null;
  app?: AppCredentials | null;
  /** Default: without limits. */
  quota?: Quota;
  http: HttpClient;
  media: HttpClient;
  /** Default: the account has no other post. */
  identify?: Identify;
  /** Bucket of converted pictures; default: an empty one. */
  bucket?: Bucket;
  now: () => number;
  /** Advances the clock by the time that passes between invocations. */
  advance: (ms: number) => void;
  remainingMs?: () => number;
  /** Checkpoint to resume from. */
  from?: Checkpoint;
  /** A commit was lost before. */
  repeatedAfterLoss?: boolean;
  /** Called with attributes of the account that the platform has changed. */
  onAttributes?: (changed: Readonly<Record<string, string>>) => void;
  /** Called with each stored checkpoint; a test interrupts by throwing. */
  onCheckpoint?: (checkpoint: Checkpoint) => void;
}

export interface Driven {
  post: PublishedPost;
  /** Every stored checkpoint in order, starting with the initial one. */
  checkpoints: Checkpoint[];
  intents: CommitIntent[];
  /** Names of the steps and follow-ups that ran, repetitions included. */
  ran: string[];
  /** Sum of all waits. */
  waitedMs: number;
}

const MAX_RUNS = 500;

/** Runs the steps and follow-ups of one job without queue or table. Throws what a step throws. */
export async function drive(publisher: Publisher, job: PublishJob, options: DriveOptions): Promise<Driven> {
  const steps = publisher.plan(job);
  const driven: Omit<Driven, 'post'> = { checkpoints: [], intents: [], ran: [], waitedMs: 0 };
  let checkpoint = stored(options.from ?? publisher.start(job));
  driven.checkpoints.push(checkpoint);
  const pause = (ms: number) => {
    options.advance(ms);
    driven.waitedMs += ms;
  };

  for (let run = 0; run < MAX_RUNS; run++) {
    const index = steps.findIndex(step => step.name === checkpoint.step);
    const step = steps[index];
    if (!step) throw new Error(`The plan has no step ${checkpoint.step}`);
    if (step.kind === 'commit') driven.intents.push({ step: step.name, at: options.now() });
    driven.ran.push(step.name);
    const result = await step.run(contextOf(job, options), checkpoint);
    const name = nameAfter(result, steps, index);
    if (!name) throw new Error(`${step.name} is the last step and did not publish`);
    checkpoint = stored({ step: name, state: result.state });
    driven.checkpoints.push(checkpoint);
    options.onCheckpoint?.(checkpoint);
    if (result.type === 'wait' || result.type === 'pending') pause(result.delayMs);
    const live =
      result.type === 'pending'
        ? await follow(publisher, job, checkpoint, { ...options, advance: pause })
        : result;
    if (live?.type === 'published') {
      let { post } = live;
      for (const followUp of publisher.followUps(job).filter(each => each.isNeeded(live.post))) {
        driven.ran.push(followUp.name);
        post = await runFollowUp(followUp, contextOf(job, options), checkpoint, post, options);
      }
      return { ...driven, post };
    }
  }
  throw new Error(`Not published after ${MAX_RUNS} steps`);
}

function nameAfter(result: StepResult<JsonObject>, steps: readonly PlannedStep[], index: number) {
  if (result.type === 'back') return result.step;
  return steps[result.type === 'next' ? index + 1 : index]?.name;
}

/** Follows a post that the platform has taken until it is live; null where the platform gave it up. */
export async function follow(
  publisher: Publisher,
  job: PublishJob,
  checkpoint: Checkpoint,
  options: DriveOptions,
): Promise<Extract<Finding, { type: 'published' }> | null> {
  for (let reads = 0; reads < MAX_RUNS; reads += 1) {
    const finding = await reconcile(publisher, job, checkpoint, options.now(), options);
    if (finding.type === 'published') return finding;
    if (finding.type === 'absent') return null;
    if (finding.type === 'unknown') throw unfinished();
    options.advance(finding.delayMs);
  }
  throw new Error(`Not live after ${MAX_RUNS} readings`);
}

/** The failure that delivery stores for a post that the platform has taken and does not finish. */
function unfinished(): PlatformError {
  const { code, message } = inDoubt({ pending: true });
  return new PlatformError({ kind: 'rejected', code, message });
}

/** Reconciles a lost commit, as delivery does. */
export function reconcile(
  publisher: Publisher,
  job: PublishJob,
  checkpoint: Checkpoint,
  intentAt: number,
  options: DriveOptions,
): ReturnType<PlannedStep['reconcile']> {
  const step = publisher.plan(job).find(({ kind }) => kind === 'commit');
  if (!step) throw new Error('The plan has no commit');
  return step.reconcile(contextOf(job, options), checkpoint, intentAt);
}

/** Runs the commit of a job again, as delivery does after a request was lost of which the platform showed nothing. */
export function repeatCommit(
  publisher: Publisher,
  job: PublishJob,
  checkpoint: Checkpoint,
  options: DriveOptions,
) {
  const step = publisher.plan(job).find(({ kind }) => kind === 'commit');
  if (!step) throw new Error('The plan has no commit');
  return step.run(contextOf(job, { ...options, repeatedAfterLoss: true }), checkpoint);
}

/** Runs a follow-up to its end and returns the post as it amended it. Throws when the platform rejects it. */
async function runFollowUp(
  { name, start, run }: PlannedFollowUp,
  context: StepContext<JsonObject>,
  { state: committed }: Checkpoint,
  post: PublishedPost,
  { advance }: DriveOptions,
): Promise<PublishedPost> {
  let state = start(committed);
  for (let runs = 0; runs < MAX_RUNS; runs += 1) {
    const result = await run(context, state, post);
    if (result.type === 'done') return { ...post, ...result.amend };
    if (result.type === 'rejected') throw new Error(`${name} was rejected: ${result.failure.message}`);
    state = result.state;
    if (result.type === 'wait') advance(result.delayMs);
  }
  throw new Error(`${name} did not end after ${MAX_RUNS} runs`);
}

export function contextOf(job: PublishJob, options: DriveOptions): StepContext<JsonObject> {
  const { credentials, http, media, now, bucket = memoryBucket(), remainingMs = () => 60_000 } = options;
  const { account } = job;
  const files = mediaFiles({ http: media, bucket, rules: RULES[job.platform], draft: job });
  const { target = null, app = null, quota = unlimitedQuota(), identify = onlyPost } = options;
  const { repeatedAfterLoss = false } = options;
  return {
    ...{ job, account, target, credentials, app, quota, http, media, files, identify, now, remainingMs },
    saveAttributes: changed => Promise.resolve(options.onAttributes?.(changed)),
    repeatedAfterLoss,
  };
}

/** Returns a checkpoint as the table returns it: as JSON. */
function stored(checkpoint: Checkpoint): Checkpoint {
  return JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
}
