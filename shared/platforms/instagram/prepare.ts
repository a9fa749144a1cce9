import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { StepResult } from '../contract/publisher.ts';
import { containerStatus, createContainer, publishingLimit } from './containers.ts';
import { containerFailure, isContainerGone, isHidden, QUOTA_WAIT_MS } from './errors.ts';
import { carouselParameters } from './parameters.ts';
import {
  accessesFor,
  isCarousel,
  isTooOld,
  mayRenew,
  type Container,
  type Context,
  type State,
} from './state.ts';
import { createFileContainer, uploadFile } from './files.ts';

/** Instagram then takes the container for published or failed, whatever its status says. */
const PROCESSING_LIMIT_MS = 30 * MINUTE;
/** After this time, a container that Instagram does not show is used unseen: publishing tells whether it is ready. */
const HIDDEN_LIMIT_MS = MINUTE;
const RENEWAL_DELAY_MS = 30 * SECOND;

/**
 * Fails before the first container when the account may not publish any more. Instagram names no time at which its
 * rolling window frees a place, so the wait is an hour.
 */
export async function checkLimit(context: Context, state: State): Promise<StepResult<State>> {
  const { used, total } = await publishingLimit(accessesFor(context));
  if (total === null || used < total) return { type: 'next', state };
  throw new PlatformError({
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    message: `Instagram allows this account ${total} posts in 24 hours, and ${used} were published`,
    retryAfterMs: QUOTA_WAIT_MS,
    limit: total,
  });
}

/** Creates the containers of the post and waits until Instagram has processed them: one request in each call. */
export async function prepare(context: Context, stored: State): Promise<StepResult<State>> {
  const state = withoutOld(stored, context.now());
  const missing = state.files.indexOf(null);
  if (missing !== -1) {
    const container = await createFileContainer(context, missing);
    return { type: 'again', state: withFile(state, missing, container) };
  }
  for (const [index, container] of state.files.entries()) {
    if (container === null || container.ready) continue;
    if (container.upload_url !== null) {
      return { type: 'again', state: withFile(state, index, await uploadFile(context, container)) };
    }
    return poll(context, state, container, next => withFile(state, index, next));
  }
  if (!isCarousel(context.job)) return { type: 'next', state };
  if (state.carousel === null) return createCarousel(context, state);
  if (state.carousel.ready) return { type: 'next', state };
  return poll(context, state, state.carousel, carousel =>
    carousel === null ? withoutContainers(state) : { ...state, carousel },
  );
}

const withFile = (state: State, index: number, container: Container | null): State => ({
  ...state,
  files: state.files.with(index, container),
});

/** Containers that are about to expire are created anew; a carousel goes with its children. */
function withoutOld(state: State, now: number): State {
  const isOld = (container: Container | null) => container !== null && isTooOld(container, now);
  if (![...state.files, state.carousel].some(isOld)) return state;
  return { ...state, files: state.files.map(each => (isOld(each) ? null : each)), carousel: null };
}

/** A child serves in one carousel only, so that all are created anew with it. */
const withoutContainers = (state: State): State => ({
  ...state,
  files: state.files.map(() => null),
  carousel: null,
});

async function createCarousel(context: Context, state: State): Promise<StepResult<State>> {
  const children = state.files.flatMap(each => each?.id ?? []);
  const parameters = carouselParameters(context.job, children);
  try {
    const { id } = await createContainer(accessesFor(context), 'Creating the carousel', parameters);
    const carousel = { id, created_at: context.now(), ready: false, upload_url: null, hidden_since: null };
    return { type: 'again', state: { ...state, carousel } };
  } catch (error) {
    // A child is gone, or in a carousel whose response was lost.
    if (error instanceof PlatformError && isContainerGone(error)) {
      return renewed(state, withoutContainers(state), error);
    }
    throw error;
  }
}

/** Returns a wait before containers are created anew. Throws the failure where that cannot mend it. */
function renewed(state: State, next: State, failure: PlatformError): StepResult<State> {
  if (failure.kind === 'rejected' || !mayRenew(state)) throw asFinal(failure);
  return { type: 'wait', state: { ...next, renewals: state.renewals + 1 }, delayMs: RENEWAL_DELAY_MS };
}

/** Reads the status of a container once. `replaced` returns the state with another container in its place. */
async function poll(
  context: Context,
  state: State,
  container: Container,
  replaced: (container: Container | null) => State,
): Promise<StepResult<State>> {
  const now = context.now();
  const ready = (): StepResult<State> => ({ type: 'again', state: replaced({ ...container, ready: true }) });

  const status = await readStatus(context, container);
  const what = `Processing ${nameOf(state, container)}`;
  switch (status?.code) {
    case 'FINISHED':
    case 'PUBLISHED':
      return ready();
    case 'ERROR':
      return renewed(state, replaced(null), containerFailure(status.text, what));
    case 'EXPIRED':
      return { type: 'again', state: replaced(null) };
    case undefined: {
      const since = container.hidden_since ?? now;
      if (now - since >= HIDDEN_LIMIT_MS) return ready();
      return {
        type: 'wait',
        state: replaced({ ...container, hidden_since: since }),
        delayMs: HIDDEN_LIMIT_MS / 3,
      };
    }
    default: {
      const age = now - container.created_at;
      if (age > PROCESSING_LIMIT_MS) return renewed(state, replaced(null), tooSlow(what));
      return { type: 'wait', state, delayMs: pollDelayMs(age) };
    }
  }
}

/** Returns the status; null where Instagram does not show a container that it has just created. */
export async function readStatus(context: Context, { id }: Pick<Container, 'id'>) {
  try {
    return await containerStatus(accessesFor(context), id);
  } catch (error) {
    if (isHidden(error) || isContainerGone(error)) return null;
    throw error;
  }
}

/** Short at first; Meta asks for one request a minute after a while. */
export function pollDelayMs(ageMs: number): number {
  if (ageMs < 30 * SECOND) return 5 * SECOND;
  if (ageMs < 2 * MINUTE) return 15 * SECOND;
  return ageMs < 5 * MINUTE ? 30 * SECOND : MINUTE;
}

function nameOf({ files, carousel }: State, container: Container): string {
  if (container === carousel) return 'the carousel';
  return files.length === 1 ? 'the file' : `file ${files.indexOf(container) + 1} of ${files.length}`;
}

/** A failure that new containers did not mend. */
function asFinal(failure: PlatformError): PlatformError {
  if (failure.kind !== 'transient') return failure;
  return new PlatformError({ kind: 'rejected', code: 'MEDIA_REJECTED', message: failure.message });
}

const tooSlow = (what: string) =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: Instagram did not finish within ${PROCESSING_LIMIT_MS / MINUTE} minutes`,
  });
