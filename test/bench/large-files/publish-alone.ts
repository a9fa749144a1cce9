import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAttempt } from '../../../shared/delivery/attempt.ts';
import { openLease } from '../../../shared/delivery/lease.ts';
import type { AttemptOutcome } from '../../../shared/delivery/outcome.ts';
import { stepReserveMs } from '../../../shared/delivery/timing.ts';
import { leased, retrying, waiting } from '../../../shared/delivery/transitions.ts';
import { mediaFiles } from '../../../shared/media/media-files.ts';
import type {
  Checkpoint,
  Destination,
  DestinationOf,
  StoredCheckpoint,
} from '../../../shared/model/destination.ts';
import { createHttpClient } from '../../../shared/net/http.ts';
import { platformHttp } from '../../../shared/net/platform-http.ts';
import type { StepContext } from '../../../shared/platforms/contract/publisher.ts';
import { LOAD_PUBLISHER } from '../../../shared/platforms/registry/load-publisher.ts';
import { RULES } from '../../../shared/platforms/registry/rules.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { onlyPost } from '../../support/identify.ts';
import { unlimitedQuota } from '../../support/unlimited-quota.ts';
import type { PublishTask, Report } from './messages.ts';

/*
 * Publishes one post in a process of its own, which may be killed at any time. The attempts are delivery's own; the parent
 * process stands for the table.
 */

/** Real time that the platform's processing may take. */
const PAUSE_MS = 50;

const [task] = (await once(process, 'message')) as [PublishTask];
const { job, post, credentials, target, app } = task;
const settings = { sandboxUrl: task.sandbox_url, allowLoopback: true };
const rules = RULES[job.platform];
const publisher = await LOAD_PUBLISHER[job.platform]!();
const media = createHttpClient(settings);
const http = platformHttp(job.platform, media, settings);
const bucket = { ...memoryBucket(), publicUrl: task.bucket_url };
/** The clock stands still while a step runs. */
let clock = task.now;
const now = () => clock;

const report = (message: Report) =>
  new Promise<void>((resolve, reject) => {
    process.send!(message, undefined, undefined, error => (error ? reject(error) : resolve()));
  });

async function wait(until: number): Promise<void> {
  const ms = Math.max(0, until - clock);
  clock += ms;
  await report({ type: 'waits', ms });
  await sleep(PAUSE_MS);
}

/** Small and not encrypted: a checkpoint is stored as it is. */
const checkpoints = {
  load: (stored: StoredCheckpoint) => Promise.resolve('state' in stored ? stored : null),
  put: (checkpoint: Checkpoint) => Promise.resolve(checkpoint),
  prune: () => Promise.resolve(),
};

let current = task.destination;
function store(to: Destination): Promise<void> {
  current = to;
  return report({ type: 'stored', destination: to });
}

/** Runs one attempt with the context of a new invocation. Returns its outcome and the destination that it left. */
async function attempt() {
  const takesOver = current.status === 'publishing';
  const held = leased(current, now());
  const end = Date.now() + rules.worker.timeout_s * 1000;
  const remainingMs = () => end - Date.now();
  const files = mediaFiles({ http: media, bucket, rules, draft: job });
  const context: StepContext<unknown> = {
    ...{ job, account: job.account, target, credentials, app, http, media, files, now, remainingMs },
    identify: onlyPost,
    saveAttributes: () => Promise.resolve(),
    quota: unlimitedQuota(),
  };
  const lease = openLease(post, current, held, async (_, __, to) => {
    await store(to);
    return post;
  });
  await lease.acquire();
  const outcome = await runAttempt({
    ...{ post, job, publisher, lease, checkpoints, now, remainingMs },
    context: () => Promise.resolve(context),
    sleep: ms => wait(now() + ms),
    settleMs: rules.settle_ms,
    stepReserveMs: stepReserveMs(job.platform),
    takesOver,
  });
  return { outcome, destination: lease.destination };
}

/** Returns the destination after an attempt that did not publish. Throws where the post failed. */
function after(destination: DestinationOf<'publishing'>, outcome: AttemptOutcome): Destination {
  switch (outcome.type) {
    case 'wait': {
      const { checkpoint, at, intent, failures = destination.failures, waits = 0 } = outcome;
      return waiting(destination, { checkpoint, intent, failures, waits }, at, now());
    }
    case 'retry': {
      const { checkpoint, failure, at, lostCommit = false } = outcome;
      console.error(`Retry: ${failure.message}`);
      return retrying(destination, { checkpoint, intent: null, lost_commit: lostCommit }, failure, at, now());
    }
    default:
      throw new Error(JSON.stringify(outcome));
  }
}

for (;;) {
  const { outcome, destination } = await attempt();
  if (outcome.type === 'published') {
    await report({ type: 'published', post: outcome.post });
    break;
  }
  const next = after(destination, outcome);
  await store(next);
  if ('next_attempt_at' in next) await wait(next.next_attempt_at);
}
media.close();
process.disconnect();
