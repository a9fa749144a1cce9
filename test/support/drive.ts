import type { Checkpoint, CommitIntent, PublishedPost } from '../../shared/model/destination.ts';
import type { Credentials } from '../../shared/model/profile.ts';
import { mediaFiles } from '../../shared/media/files.ts';
import type { HttpClient } from '../../shared/net/http.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type {
  PlannedStep,
  Publisher,
  PublishJob,
  StepContext,
  StepResult,
} from '../../shared/platforms/contract/publisher.ts';
import { RULES } from '../../shared/platforms/registry.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { memoryBucket } from './memory-bucket.ts';

export interface DriveOptions {
  credentials: Credentials;
  http: HttpClient;
  media: HttpClient;
  /** Where derived pictures are kept; default: an empty one. */
  bucket?: Bucket;
  now: () => number;
  /** Moves the clock on; plays the time that passes while nothing runs. */
  advance: (ms: number) => void;
  remainingMs?: () => number;
  /** Goes on from here instead of from the start. */
  from?: Checkpoint;
  /** Called with each checkpoint as it is stored: lets a test interrupt by throwing. */
  onCheckpoint?: (checkpoint: Checkpoint) => void;
}

export interface Driven {
  post: PublishedPost;
  /** Every checkpoint that was stored, in order; the first is the one it began with. */
  checkpoints: Checkpoint[];
  marks: CommitIntent[];
  /** Names of the steps that ran, repetitions included. */
  ran: string[];
  /** Sum of all waits. */
  waitedMs: number;
}

const MAX_RUNS = 500;

/** Plays the delivery machine for one job, without queue or table. Throws what a step throws. */
export async function drive(publisher: Publisher, job: PublishJob, options: DriveOptions): Promise<Driven> {
  const steps = publisher.plan(job);
  const driven: Omit<Driven, 'post'> = { checkpoints: [], marks: [], ran: [], waitedMs: 0 };
  let checkpoint = stored(options.from ?? publisher.start(job));
  driven.checkpoints.push(checkpoint);

  for (let run = 0; run < MAX_RUNS; run++) {
    const index = steps.findIndex(step => step.name === checkpoint.step);
    const step = steps[index];
    if (!step) throw new Error(`The plan has no step ${checkpoint.step}`);
    if (step.kind === 'commit') driven.marks.push({ step: step.name, at: options.now() });
    driven.ran.push(step.name);
    const result = await step.run(contextOf(job, options), checkpoint);
    const name = nameAfter(result, steps, index);
    if (!name) throw new Error(`${step.name} is the last step and did not publish`);
    checkpoint = stored({ step: name, state: result.state });
    driven.checkpoints.push(checkpoint);
    options.onCheckpoint?.(checkpoint);
    if (result.type === 'wait') {
      options.advance(result.delayMs);
      driven.waitedMs += result.delayMs;
    }
    if (result.type === 'published') {
      await finish(steps.slice(index + 1), contextOf(job, options), checkpoint, result.post, driven.ran);
      return { ...driven, post: result.post };
    }
  }
  throw new Error(`Not published after ${MAX_RUNS} steps`);
}

function nameAfter(result: StepResult<JsonObject>, steps: readonly PlannedStep[], index: number) {
  if (result.type === 'back') return result.step;
  return steps[result.type === 'next' ? index + 1 : index]?.name;
}

/** Asks what became of a lost commit, as the machine does. */
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

async function finish(
  steps: readonly PlannedStep[],
  context: StepContext,
  checkpoint: Checkpoint,
  post: PublishedPost,
  ran: string[],
): Promise<void> {
  for (const step of steps) {
    ran.push(step.name);
    await step.finish(context, checkpoint, post);
  }
}

export function contextOf(job: PublishJob, options: DriveOptions): StepContext {
  const { credentials, http, media, now, bucket = memoryBucket() } = options;
  const files = mediaFiles({ http: media, bucket, rules: RULES[job.platform], draft: job });
  return { job, credentials, http, media, files, now, remainingMs: options.remainingMs ?? (() => 60_000) };
}

/** What the table gives back: only JSON survives. */
function stored(checkpoint: Checkpoint): Checkpoint {
  return JSON.parse(JSON.stringify(checkpoint)) as Checkpoint;
}
