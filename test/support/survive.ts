import type { Checkpoint, PublishedPost } from '../../shared/model/destination.ts';
import { PlatformError } from '../../shared/platforms/contract/error.ts';
import type { PublishJob, Publisher } from '../../shared/platforms/contract/publisher.ts';
import { contextOf, reconcile, type DriveOptions } from './drive.ts';

const MAX_STEPS = 200;
/** Longer than any platform's reads lag behind its writes. */
const SETTLE_MS = 60_000;

/**
 * Publishes one job as delivery does while single requests are lost: continues from the last checkpoint, and reconciles
 * a commit of unknown outcome before it is repeated. Throws what ends a delivery.
 */
export async function publishDespite(
  publisher: Publisher,
  job: PublishJob,
  options: DriveOptions,
): Promise<PublishedPost> {
  const steps = publisher.plan(job);
  let checkpoint: Checkpoint = publisher.start(job);
  let repeatedAfterLoss = false;
  for (let run = 0; run < MAX_STEPS; run += 1) {
    const index = steps.findIndex(({ name }) => name === checkpoint.step);
    const step = steps[index]!;
    const intentAt = options.now();
    try {
      const result = await step.run({ ...contextOf(job, options), repeatedAfterLoss }, checkpoint);
      if (result.type === 'published') return result.post;
      const name =
        result.type === 'back' ? result.step : steps[result.type === 'next' ? index + 1 : index]!.name;
      checkpoint = { step: name, state: result.state };
      if (result.type === 'wait' || result.type === 'pending') options.advance(result.delayMs);
      const live =
        result.type === 'pending' && (await outcomeOf(publisher, job, checkpoint, intentAt, options));
      if (live) return live;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const isLostCommit = step.kind === 'commit' && error.outcomeUnknown;
      if (error.kind === 'rejected' && !isLostCommit) throw error;
      options.advance(error.retryAfterMs ?? SETTLE_MS);
      if (!isLostCommit) continue;
      const found = await outcomeOf(publisher, job, checkpoint, intentAt, options);
      if (found) return found;
      repeatedAfterLoss = true;
    }
  }
  throw new Error(`Not published after ${MAX_STEPS} steps`);
}

/** Reconciles a commit until the platform knows; null where it had no effect. */
async function outcomeOf(
  publisher: Publisher,
  job: PublishJob,
  checkpoint: Checkpoint,
  intentAt: number,
  options: DriveOptions,
): Promise<PublishedPost | null> {
  for (let read = 0; read < MAX_STEPS; read += 1) {
    try {
      const finding = await reconcile(publisher, job, checkpoint, intentAt, options);
      if (finding.type === 'published') return finding.post;
      if (finding.type === 'absent') return null;
      if (finding.type === 'unknown') throw new Error('The platform cannot tell what became of the post');
      options.advance(finding.delayMs);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      options.advance(SETTLE_MS);
    }
  }
  throw new Error(`Not reconciled after ${MAX_STEPS} reads`);
}
