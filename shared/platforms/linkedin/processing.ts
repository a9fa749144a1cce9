import { PlatformError } from '../contract/error.ts';
import type { StepResult } from '../contract/publisher.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import {
  callerOf,
  MAX_RESTARTS,
  mayRead,
  mediaRejected,
  unavailable,
  type Context,
  type State,
} from './context.ts';
import { readStatus, type Processing } from './media-calls.ts';

const POLL_MS = 5 * SECOND;
const LIMIT_MS = { video: 60 * MINUTE, other: 15 * MINUTE };

/**
 * Waits until the media are usable: a post whose media fail afterwards stays broken. Images and documents of members
 * cannot be read; they get a moment, and creating the post tells whether it was enough.
 */
export async function awaitProcessing(context: Context, state: State): Promise<StepResult<State>> {
  const isFirst = state.processing_since === null;
  const current = { ...state, processing_since: state.processing_since ?? context.now() };
  if (context.job.post_type !== 'video' && !mayRead(context)) {
    return isFirst ? { type: 'wait', state: current, delayMs: POLL_MS } : { type: 'next', state: current };
  }
  for (const id of state.assets.slice(state.ready)) {
    const processing = await statusOf(context, id);
    if (processing.state === 'failed') {
      throw mediaRejected(`LinkedIn could not process the file: ${processing.reason}`);
    }
    if (processing.state !== 'ready') {
      if (isTooSlow(context, current)) return uploadedAgain(current);
      return { type: 'wait', state: current, delayMs: POLL_MS };
    }
    current.ready += 1;
  }
  return { type: 'next', state: current };
}

/** Right after an upload the file may be unknown or forbidden for a while. */
async function statusOf(context: Context, id: string): Promise<Processing> {
  try {
    return await readStatus(callerOf(context), id);
  } catch (error) {
    const isTransient = error instanceof PlatformError && error.kind === 'transient';
    if (isTransient && !error.outcomeUnknown) return { state: 'working' };
    throw error;
  }
}

/** True when LinkedIn has had its time to process the media. */
export function isTooSlow({ job, now }: Context, { processing_since }: State): boolean {
  const limit = job.post_type === 'video' ? LIMIT_MS.video : LIMIT_MS.other;
  return processing_since !== null && now() - processing_since > limit;
}

/** Starts with a new upload: the file may never have arrived, whatever the storage answered. Throws after the last one. */
export function uploadedAgain(state: State): StepResult<State> {
  if (state.restarts >= MAX_RESTARTS) throw unavailable('LinkedIn has not processed the media in time');
  return {
    type: 'back',
    step: 'upload',
    state: {
      ...state,
      assets: [],
      ready: 0,
      video: null,
      processing_since: null,
      restarts: state.restarts + 1,
    },
  };
}
