import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { isAlreadyPosting, isMediaExpired, isStillProcessing } from './errors.ts';
import { findPost } from './find.ts';
import { moderation } from './moderation.ts';
import { createSavedStory, createSpotlight, createStory } from './posts.ts';
import { DEFAULT_LOCALE, readLocale } from './rules.ts';
import {
  callerOf,
  FRESH,
  kindOf,
  postOf,
  profileOf,
  restarted,
  StateSchema,
  titleOf,
  type Context,
  type State,
} from './state.ts';
import { upload } from './upload.ts';

const UPLOAD: Step<State, Credentials> = { name: 'upload', kind: 'prepare', run: upload };
const PUBLISH: Step<State, Credentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  // The key of the media.
  sealed: true,
  initial: () => FRESH,
  steps: () => [UPLOAD, PUBLISH],
  followUps: job => (kindOf(job) === 'spotlight' ? [moderation] : []),
});

/** Creates the post. Snapchat has no idempotency key, so a lost response is reconciled. */
async function publish(context: Context, state: State): Promise<StepResult<State>> {
  const mediaId = mediaOf(state);
  if (context.repeatedAfterLoss === true && !state.repeated) {
    // The list may have lagged behind when the lost request was reconciled.
    const earlier = await findPost(context, mediaId, context.job.due_at);
    if (earlier.type === 'published' || earlier.type === 'wait') return { ...earlier, state };
    return { type: 'again', state: { ...state, repeated: true } };
  }
  try {
    const id = await createPost(context, mediaId);
    return { type: 'published', post: postOf(context, id, mediaId, context.now()), state };
  } catch (error) {
    return afterRejection(context, state, error);
  }
}

function mediaOf({ upload: sent }: State): string {
  if (!sent) throw new Error('The media have not been uploaded');
  return sent.media_id;
}

/** Returns the id of the post; null where Snapchat does not tell it. */
function createPost(context: Context, media_id: string): Promise<string | null> {
  const { job } = context;
  const caller = callerOf(context);
  const place = { profile: profileOf(context), media_id };
  switch (kindOf(job)) {
    case 'story':
      return createStory(caller, place);
    case 'saved_story':
      return createSavedStory(caller, place, titleOf(job));
    case 'spotlight':
      return createSpotlight(caller, place, {
        description: job.text,
        locale: localeOf(job.options['snapchat_locale']),
        skip_save_to_profile: job.options['snapchat_skip_save_to_profile'] === true,
      });
  }
}

const localeOf = (locale: unknown) =>
  (typeof locale === 'string' ? readLocale(locale) : null) ?? DEFAULT_LOCALE;

/** Handles the rejections that time resolves. In none of these cases did this request post anything. */
function afterRejection(context: Context, state: State, error: unknown): StepResult<State> {
  if (isStillProcessing(error)) return awaitProcessing(context, state);
  if (isAlreadyPosting(error)) {
    return { type: 'pending', state: { ...state, posting_since: context.now() }, delayMs: LOOK_MS };
  }
  const again = isMediaExpired(error) ? restarted(state) : null;
  if (again === null) throw error;
  return { type: 'back', step: UPLOAD.name, state: again };
}

const PROCESSING_LIMIT_MS = 15 * MINUTE;
const FIRST_WAIT_MS = 5 * SECOND;
const LONGEST_WAIT_MS = 30 * SECOND;

/** Snapchat has no status of media: the request is repeated with the same media after 5, 10, 20, 30, 30, … seconds. */
function awaitProcessing({ now }: Context, state: State): StepResult<State> {
  const processing_since = state.processing_since ?? now();
  const passed = now() - processing_since;
  if (passed > PROCESSING_LIMIT_MS) {
    throw new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: 'Snapchat has not processed the media within 15 minutes',
    });
  }
  const delayMs = Math.min(LONGEST_WAIT_MS, passed + FIRST_WAIT_MS);
  return { type: 'wait', state: { ...state, processing_since }, delayMs };
}

const LOOK_MS = 10 * SECOND;
const LISTED_LIMIT_MS = MINUTE;

async function reconcile(context: Context, state: State, intentAt: number): Promise<Finding> {
  const { posting_since, repeated } = state;
  const mediaId = mediaOf(state);
  const since = posting_since === null ? intentAt : context.job.due_at;
  const finding = await findPost(context, mediaId, since);
  if (finding.type === 'published' || finding.type === 'wait') return finding;
  if (posting_since === null) return repeated ? { type: 'unknown' } : finding;
  // An earlier request is creating the post, so it is or will be live. Only its id has to be found.
  const isEarly = context.now() - posting_since < LISTED_LIMIT_MS;
  return finding.type === 'absent' && isEarly
    ? { type: 'wait', delayMs: LOOK_MS }
    : { type: 'published', post: postOf(context, null, mediaId, posting_since) };
}
