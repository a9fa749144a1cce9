import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Step, type StepResult } from '../contract/publisher.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { resultOf } from '../kit/finding.ts';
import { publishContainer } from './containers.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { BLOCKED_MS, containerFailure, isContainerGone, isHidden, isNotReady } from './errors.ts';
import { evidence } from './evidence.ts';
import { firstComment, permalink } from './follow-ups.ts';
import { permalinkOf } from './media.ts';
import { checkLimit, pollDelayMs, prepare, readStatus } from './prepare.ts';
import { isStory } from './rules.ts';
import {
  accessesFor,
  finalContainer,
  freshState,
  isTooOld,
  mayRenew,
  StateSchema,
  type Container,
  type Context,
  type State,
} from './state.ts';

/** A container that publishing still finds unprocessed after this time is replaced. */
const READY_LIMIT_MS = 30 * MINUTE;
/** Waits for a container that publishing does not find, before it is created anew. */
const MAX_MISSES = 2;
const MISS_DELAY_MS = 45 * SECOND;
/** When an uncertain refusal is looked into. */
const DOUBT_DELAY_MS = 45 * SECOND;
const LINK_TIMEOUT_MS = 5 * SECOND;

const PUBLISH: Step<State, Credentials> = {
  name: 'publish',
  kind: 'commit',
  run: publish,
  reconcile: evidence,
};

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: freshState,
  steps: () => [
    { name: 'limit', kind: 'prepare', run: checkLimit },
    { name: 'prepare', kind: 'prepare', run: prepare },
    PUBLISH,
  ],
  followUps: job => [permalink, ...(job.first_comment === null || isStory(job) ? [] : [firstComment])],
});

async function publish(context: Context, state: State): Promise<StepResult<State>> {
  const container = finalContainer(state);
  if (!container || isTooOld(container, context.now())) return anew(context, state);
  if (state.doubt) return settleDoubt(context, state, state.doubt);

  const status = await readStatus(context, container);
  switch (status?.code) {
    case 'PUBLISHED':
      return published(context, state, container.created_at);
    case 'EXPIRED':
      return anew(context, state);
    case 'ERROR':
      return afterFailure(context, state, containerFailure(status.text, 'Processing the post'));
    case 'IN_PROGRESS':
      return notReady(context, state, container, unprocessed());
    default:
      return send(context, state, container);
  }
}

/** Makes the container visible: the only request that could post twice. */
async function send(context: Context, state: State, container: Container): Promise<StepResult<State>> {
  const sentAt = context.now();
  try {
    const id = await publishContainer(accessesFor(context), container.id);
    const post = {
      platform_post_id: id,
      platform_post_url: await linkOrNull(context, id),
      published_at: context.now(),
    };
    return { type: 'published', post, state };
  } catch (error) {
    return afterRefusal(context, state, container, error, sentAt);
  }
}

/** A link that cannot be read must not put a live post in doubt: a follow-up reads it again. */
async function linkOrNull(context: Context, id: string): Promise<string | null> {
  try {
    return await permalinkOf(accessesFor(context), id, LINK_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

function afterRefusal(
  context: Context,
  state: State,
  container: Container,
  error: unknown,
  sentAt: number,
): StepResult<State> {
  if (isNotReady(error)) return notReady(context, state, container, error);
  if (isGraphError(error, -2, 2207020)) return anewOr(context, state, error);
  if (isContainerGone(error) || isHidden(error)) {
    if (state.misses >= MAX_MISSES) return anewOr(context, state, error);
    return { type: 'wait', state: { ...state, misses: state.misses + 1 }, delayMs: MISS_DELAY_MS };
  }
  // Both are known to come although the post went live.
  const code = isGraphError(error, 4, 2207051) ? 'spam' : isGraphError(error, 10) ? 'permission' : null;
  if (code === null) throw error;
  return {
    type: 'wait',
    state: { ...state, doubt: { since: sentAt, code } },
    delayMs: DOUBT_DELAY_MS,
  };
}

function notReady(context: Context, state: State, container: Container, error: unknown): StepResult<State> {
  const age = context.now() - container.created_at;
  if (age > READY_LIMIT_MS) return anewOr(context, state, error);
  return { type: 'wait', state, delayMs: pollDelayMs(age) };
}

function afterFailure(context: Context, state: State, failure: PlatformError): StepResult<State> {
  if (failure.kind === 'rejected') throw failure;
  return anewOr(context, state, failure);
}

/** Decides about an uncertain refusal by what became of the container. */
async function settleDoubt(
  context: Context,
  state: State,
  { since, code }: NonNullable<State['doubt']>,
): Promise<StepResult<State>> {
  const finding = await evidence(context, state, since);
  if (finding.type === 'unknown') throw uncertain();
  const result = resultOf(finding, state);
  if (result) return result;
  throw code === 'spam' ? blocked() : denied();
}

async function published(context: Context, state: State, since: number): Promise<StepResult<State>> {
  const finding = await evidence(context, state, since);
  if (finding.type === 'published') return { type: 'published', post: finding.post, state };
  return { type: 'wait', state, delayMs: finding.type === 'wait' ? finding.delayMs : DOUBT_DELAY_MS };
}

/** Starts again with new containers: the present ones were certainly not published. */
const anew = ({ job }: Context, { renewals }: State): StepResult<State> => ({
  type: 'back',
  step: 'prepare',
  state: { ...freshState(job), renewals },
});

/** Throws the error where new containers have not mended it before. */
function anewOr(context: Context, state: State, error: unknown): StepResult<State> {
  if (!mayRenew(state)) throw error;
  return anew(context, { ...state, renewals: state.renewals + 1 });
}

const unprocessed = () =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: 'Publishing: Instagram has not finished processing the post',
  });

const uncertain = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'DELIVERY_UNKNOWN',
    message: 'Instagram refused to publish and does not show whether the post is live: check the account',
  });

const blocked = () =>
  new PlatformError({
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    message: 'Instagram takes the activity of the account for spam and blocked the post: check the account',
    retryAfterMs: BLOCKED_MS,
    retries: 1,
  });

const denied = () =>
  new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'Instagram does not allow this app to publish for the account: connect it again with all permissions',
  });
