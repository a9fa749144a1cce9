import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { mediaFiles } from '../../../shared/media/media-files.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { createHttpClient } from '../../../shared/net/http.ts';
import { platformHttp } from '../../../shared/net/platform-http.ts';
import { PlatformError } from '../../../shared/platforms/contract/error.ts';
import type { PlannedStep, StepContext, StepResult } from '../../../shared/platforms/contract/publisher.ts';
import { PUBLISHERS } from '../../../shared/platforms/publishers.ts';
import { RULES } from '../../../shared/platforms/registry.ts';
import { memoryBucket } from '../../support/memory-bucket.ts';
import { unlimitedQuota } from '../../support/unlimited-quota.ts';
import type { PublishTask, Report, Stored } from './messages.ts';

/* Publishes one post in a process of its own, which may be killed at any time, as delivery does. */

/** A lost request is no longer in flight then. */
const SETTLE_MS = 5 * 60_000;
const RETRY_MS = 60_000;
const MAX_FAILURES = 20;
/** Real time that the platform's processing may take. */
const PAUSE_MS = 50;

const [task] = (await once(process, 'message')) as [PublishTask];
const { job, credentials, target, app } = task;
const settings = { sandboxUrl: task.sandbox_url, allowLoopback: true };
const rules = RULES[job.platform];
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

let { stored } = task;
async function store(change: Partial<Stored>): Promise<void> {
  stored = { ...stored, ...change };
  await report({ type: 'stored', stored });
}

async function wait(ms: number): Promise<void> {
  clock += ms;
  await report({ type: 'waits', ms });
  await sleep(PAUSE_MS);
}

/** Returns the context of a new invocation. */
function contextOf(): StepContext<JsonObject> {
  const end = Date.now() + rules.worker.timeout_s * 1000;
  const files = mediaFiles({ http: media, bucket, rules, draft: job });
  const { account } = job;
  const remainingMs = () => end - Date.now();
  const common = { job, account, target, credentials, app, http, media, files, now, remainingMs };
  return { ...common, quota: unlimitedQuota(), repeatedAfterLoss: stored.lost_commit };
}

/** Finds out what became of a lost commit. Returns true if the post is live. */
async function reconcile(step: PlannedStep, intentAt: number): Promise<boolean> {
  await wait(SETTLE_MS);
  const finding = await step.reconcile(contextOf(), stored.checkpoint!, intentAt);
  switch (finding.type) {
    case 'published':
      await report({ type: 'published', post: finding.post });
      return true;
    case 'absent':
      await store({ intent_at: null, lost_commit: true });
      return false;
    case 'wait':
      await wait(finding.delayMs);
      return false;
    case 'unknown':
      throw new Error('The outcome of the commit is unknown');
  }
}

/** Runs the next step. Returns true when the post is live. */
async function runStep(steps: readonly PlannedStep[]): Promise<boolean> {
  const checkpoint = stored.checkpoint!;
  const index = steps.findIndex(({ name }) => name === checkpoint.step);
  const step = steps[index]!;
  if (stored.intent_at !== null) return reconcile(step, stored.intent_at);
  if (step.kind === 'commit') await store({ intent_at: now() });
  try {
    const result = await step.run(contextOf(), checkpoint);
    if (result.type === 'published') {
      await report({ type: 'published', post: result.post });
      return true;
    }
    await store({
      checkpoint: { step: nameAfter(result, steps, index), state: result.state },
      intent_at: null,
    });
    if (result.type === 'wait') await wait(result.delayMs);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'transient') throw error;
    failures += 1;
    console.error(`Transient error in ${step.name}: ${error.message}`);
    if (failures > MAX_FAILURES) throw error;
    if (!error.outcomeUnknown) await store({ intent_at: null });
    await wait(RETRY_MS);
  }
  return false;
}

function nameAfter(result: StepResult<JsonObject>, steps: readonly PlannedStep[], index: number): string {
  if (result.type === 'back') return result.step;
  return steps[result.type === 'next' ? index + 1 : index]!.name;
}

let failures = 0;
const publisher = await PUBLISHERS[job.platform]!();
const steps = publisher.plan(job);
if (stored.checkpoint === null) await store({ checkpoint: publisher.start(job) });
while (!(await runStep(steps))) continue;
media.close();
process.disconnect();
