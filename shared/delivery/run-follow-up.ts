import type { Destination } from '../model/destination.ts';
import { failure } from '../model/failure.ts';
import type { JsonObject } from '../model/json.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import type { FollowUpResult, PlannedFollowUp, StepContext } from '../platforms/contract/publisher.ts';
import { BASICS } from '../platforms/registry/basics.ts';
import {
  afterFollowUpError,
  lost,
  postOf,
  type FollowUpOutcome,
  type FollowUpRun,
} from './follow-up-outcome.ts';
import { assertHeld, LeaseLost } from './lease.ts';
import { logUnexpected } from './log-unexpected.ts';
import { asPlatformError } from './outcome.ts';
import { isTooOld } from './retry.ts';
import { processingDelayMs } from './timing.ts';

/** Runs a follow-up until it ends, waits or the invocation runs out of time. */
export async function runFollowUp(run: FollowUpRun): Promise<FollowUpOutcome> {
  const { followUp, leased, services } = run;
  for (;;) {
    try {
      const result = await withRenewal(run);
      switch (result.type) {
        case 'done':
          return result;
        case 'rejected':
          return { type: result.revokes ? 'revoked' : 'failed', failure: result.failure };
        case 'wait': {
          const waits = leased.state.waits;
          const at = services.now() + processingDelayMs(result.delayMs, waits);
          if (isTooOld(leased.state, at)) return { type: 'failed', failure: unfinished(followUp.name) };
          return {
            type: 'later',
            at,
            change: { state: result.state, intent: null, failures: 0, waits: waits + 1 },
          };
        }
        case 'again': {
          const change = { state: result.state, failures: 0, waits: 0 };
          const outOfTime = run.remainingMs() < run.reserveMs;
          if (outOfTime) return { type: 'later', at: services.now(), change: { ...change, intent: null } };
          await leased.save({ ...change, intent: intentFor(followUp, services.now()) });
        }
      }
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      return afterRunError(run, error);
    }
  }
}

function afterRunError(run: FollowUpRun, error: unknown): FollowUpOutcome {
  const { followUp, leased, services } = run;
  logUnexpected(error, run.post, leased.destination);
  const inDoubt = !followUp.idempotent && asPlatformError(error).outcomeUnknown;
  if (!inDoubt) return afterFollowUpError(error, leased.state, services.now(), false);
  if (!followUp.reconcile) return { type: 'failed', failure: lost(followUp.name) };
  const failures = leased.state.failures + 1;
  return { type: 'later', at: services.now() + settleMs(leased.destination), change: { failures } };
}

/** Runs a follow-up once; renews the credentials and repeats it when the platform refuses them. */
async function withRenewal(run: FollowUpRun): Promise<FollowUpResult<JsonObject>> {
  const { followUp, leased, services, open } = run;
  const once = (context: StepContext<unknown>) => {
    assertHeld(leased.destination.lease?.until ?? 0, services.now());
    return followUp.run(context, leased.state.state, postOf(leased.destination));
  };
  const context = await open(null);
  try {
    return await once(context);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'token_expired') throw error;
    // The platform refused the credentials, and with them the request: its outcome is known.
    await leased.save({ intent: null });
    const renewed = await open(error);
    await leased.save({ intent: intentFor(followUp, services.now()) });
    return once(renewed);
  }
}

/** The intent that a run stores: none where running twice has the same effect. */
export const intentFor = ({ idempotent }: PlannedFollowUp, at: number) => (idempotent ? null : { at });

const unfinished = (name: string) =>
  failure('PLATFORM_UNAVAILABLE', `The platform did not finish ${name} within a day`);

const settleMs = ({ platform }: Destination) => BASICS[platform].settle_ms;
