import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Step, type StepResult } from '../contract/publisher.ts';
import { ABSENT, resultOf, searchAfterLoss } from '../kit/finding.ts';
import { publishContainer } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { isDoubtful, isNotFound } from './errors.ts';
import { findPost, permalink, postOf, reconcile } from './find.ts';
import { checkLimit, prepareContainer, prepareItems } from './prepare.ts';
import { clientOf, initialState, isCarousel, StateSchema, type Context, type State } from './state.ts';

/** Attempts to publish a container that Threads does not find, and rounds of new containers. */
const MAX_MISSES = 3;
const MAX_ROUNDS = 3;
const MISS_DELAY_MS = 5 * SECOND;

const CHECK_LIMIT: Step<State, Credentials> = { name: 'check_limit', kind: 'prepare', run: checkLimit };
const ITEMS: Step<State, Credentials> = { name: 'items', kind: 'prepare', run: prepareItems };
const CONTAINER: Step<State, Credentials> = { name: 'container', kind: 'prepare', run: prepareContainer };
const PUBLISH: Step<State, Credentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

/** Creates invisible containers, waits until Threads has finished them, and publishes the last one. */
export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: initialState,
  steps: job =>
    isCarousel(job) ? [CHECK_LIMIT, ITEMS, CONTAINER, PUBLISH] : [CHECK_LIMIT, CONTAINER, PUBLISH],
  followUps: () => [permalink],
});

async function publish(context: Context, state: State): Promise<StepResult<State>> {
  try {
    const id = await publishContainer(clientOf(context), state.post.id ?? '');
    return { type: 'published', post: await postOf(context, id), state };
  } catch (error) {
    if (isNotFound(error)) return afterMiss(context, state);
    if (isDoubtful(error) && context.repeatedAfterLoss) return afterSecondRefusal(context, state, error);
    throw error;
  }
}

/** Threads did not find the container, so nothing was published by this request. */
async function afterMiss(context: Context, state: State): Promise<StepResult<State>> {
  // The lost request may have used the container up.
  const earlier = context.repeatedAfterLoss
    ? await searchAfterLoss(() => findPost(context, state, context.job.due_at))
    : ABSENT;
  const result = resultOf(earlier, state);
  if (result) return result;
  const misses = state.misses + 1;
  if (misses <= MAX_MISSES) return { type: 'wait', state: { ...state, misses }, delayMs: MISS_DELAY_MS };
  if (state.rounds < MAX_ROUNDS) {
    const { cut_to_bytes, rounds } = state;
    const fresh = { ...initialState(context.job), cut_to_bytes, rounds: rounds + 1 };
    return { type: 'back', step: isCarousel(context.job) ? ITEMS.name : CONTAINER.name, state: fresh };
  }
  throw new PlatformError({
    kind: 'rejected',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Threads lost the prepared post each time: retry the post later',
  });
}

/** Threads refused again after a refusal of which nothing was live: now it is believed, unless the post is live. */
async function afterSecondRefusal(
  context: Context,
  state: State,
  { kind, code, message, retryAfterMs }: PlatformError,
): Promise<StepResult<State>> {
  const finding = await searchAfterLoss(() => reconcile(context, state, context.job.due_at));
  if (finding.type === 'published') return { ...finding, state };
  const outcomeUnknown = finding.type !== 'absent';
  throw new PlatformError({ kind, code, message, retryAfterMs, outcomeUnknown });
}
