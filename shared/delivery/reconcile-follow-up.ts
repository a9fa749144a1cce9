import type { FollowUpState } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import { lost, postOf, type FollowUpOutcome, type FollowUpRun } from './follow-up-outcome.ts';
import { LeaseLost } from './lease.ts';
import { logUnexpected } from './log-unexpected.ts';
import { asPlatformError } from './outcome.ts';
import { delayAfter, isExhausted, isTooOld } from './retry.ts';
import { intentFor, runFollowUp } from './run-follow-up.ts';
import { processingDelayMs } from './timing.ts';

/** Asks the platform what became of a run whose response was lost. Runs it again when the platform has nothing. */
export async function reconcileFollowUp(run: FollowUpRun, intentAt: number): Promise<FollowUpOutcome> {
  const { followUp, leased, services } = run;
  if (!followUp.reconcile) return { type: 'failed', failure: lost(followUp.name) };
  const now = services.now();
  try {
    const context = await run.open(null);
    const finding = await followUp.reconcile(
      context,
      leased.state.state,
      postOf(leased.destination),
      intentAt,
    );
    switch (finding.type) {
      case 'done':
        return finding;
      case 'unknown':
        return { type: 'failed', failure: lost(followUp.name) };
      case 'wait':
        return reconcileLater(run, now + processingDelayMs(finding.delayMs, 0), {});
      case 'absent':
        return await afterAbsent(run, intentAt);
    }
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    logUnexpected(error, run.post, leased.destination);
    const failures = leased.state.failures + 1;
    return reconcileLater(run, now + delayAfter(failures, asPlatformError(error)), { failures });
  }
}

/** A lost run is a failure like any other: it is repeated after the usual delay, unless that has passed. */
async function afterAbsent(run: FollowUpRun, intentAt: number): Promise<FollowUpOutcome> {
  const { leased, services, followUp } = run;
  const now = services.now();
  const failures = Math.max(1, leased.state.failures);
  const at = intentAt + delayAfter(failures);
  if (isExhausted(leased.state, failures, at)) return { type: 'failed', failure: refused(followUp.name) };
  if (at > now) return { type: 'later', at, change: { intent: null, failures } };
  await leased.save({ intent: intentFor(followUp, now), failures });
  return runFollowUp(run);
}

const refused = (name: string) =>
  failure('PLATFORM_UNAVAILABLE', `The platform failed at ${name} on every attempt`);

function reconcileLater(
  { leased, followUp }: FollowUpRun,
  at: number,
  change: Partial<FollowUpState>,
): FollowUpOutcome {
  if (isTooOld(leased.state, at)) return { type: 'failed', failure: lost(followUp.name) };
  return { type: 'later', at, change };
}
