import type { JsonObject } from '../../model/json.ts';
import { SECOND } from '../../time/instant.ts';
import { definePublisher, type Finding, type Step, type StepResult } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { ABSENT, resultOf, searchAfterLoss } from '../kit/finding.ts';
import { createPin } from './client.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { isBrokenImage, isUnreachable } from './errors.ts';
import { findPin, postOf } from './find.ts';
import { inlineImages, prepareImages } from './images.ts';
import {
  boardOf,
  callerOf,
  FRESH,
  StateSchema,
  textOption,
  titleOf,
  type Context,
  type State,
} from './state.ts';
import { prepareVideo } from './video.ts';

const IMAGES: Step<State, Credentials> = { name: 'images', kind: 'prepare', run: prepareImages };
const VIDEO: Step<State, Credentials> = { name: 'video', kind: 'prepare', run: prepareVideo };
const PUBLISH: Step<State, Credentials> = { name: 'publish', kind: 'commit', run: publish, reconcile };

/** Pinterest fetches an image again after this time, this often. */
const FETCH_DELAY_MS = 10 * SECOND;
const MAX_UNREACHABLE = 2;

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: job => [job.post_type === 'video' ? VIDEO : IMAGES, PUBLISH],
});

/** Creates the Pin. Pinterest has no idempotency key, so a lost response is reconciled. */
async function publish(context: Context, state: State): Promise<StepResult<State>> {
  // The list may have lagged behind when the lost request was reconciled.
  const earlier = context.repeatedAfterLoss
    ? await searchAfterLoss(() => findPin(context, context.job.due_at))
    : ABSENT;
  const result = resultOf(earlier, state);
  if (result) return result;
  const pin = await pinOf(context, state);
  try {
    const id = await createPin(callerOf(context), pin);
    return { type: 'published', post: postOf(id, context.now()), state };
  } catch (error) {
    const next = await afterRejection(context, state, error);
    if (next) return next;
    throw error;
  }
}

/** Returns how to repeat a rejected request so that it may succeed; null where nothing helps. Nothing was published. */
async function afterRejection(
  context: Context,
  state: State,
  error: unknown,
): Promise<StepResult<State> | null> {
  if (state.inline || context.job.post_type === 'video') return null;
  if (isUnreachable(error) && state.unreachable < MAX_UNREACHABLE) {
    const unreachable = state.unreachable + 1;
    return { type: 'wait', state: { ...state, unreachable }, delayMs: FETCH_DELAY_MS };
  }
  const mayHelp = isUnreachable(error) || isBrokenImage(error);
  if (!mayHelp || (await inlineImages(context)) === null) return null;
  return { type: 'again', state: { ...state, inline: true } };
}

async function pinOf(context: Context, state: State): Promise<JsonObject> {
  const { job } = context;
  const optional = {
    board_section_id: textOption(job, 'pinterest_board_section_id'),
    title: titleOf(job),
    description: job.text === '' ? null : job.text,
    link: textOption(job, 'pinterest_link'),
    alt_text: job.post_type === 'image' ? altTextOf(job, 0) : null,
  };
  // Pinterest refuses empty values: a field without a value is left out.
  const given = Object.entries(optional).filter(([, value]) => value !== null);
  return {
    board_id: boardOf(context),
    ...Object.fromEntries(given),
    media_source: await mediaSourceOf(context, state),
  };
}

async function mediaSourceOf(context: Context, state: State): Promise<JsonObject> {
  const { job } = context;
  // A Pin with a video needs a cover: its first picture.
  if (job.post_type === 'video') {
    return { source_type: 'video_id', media_id: state.media_id, cover_image_key_frame_time: 0 };
  }
  const link = textOption(job, 'pinterest_link');
  const inline = state.inline ? await inlineImages(context) : null;
  const images: JsonObject[] = inline
    ? inline.map(image => ({ ...image }))
    : state.images.map(url => ({ url }));
  const [first] = images;
  if (first && images.length === 1) {
    return { source_type: inline ? 'image_base64' : 'image_url', ...first };
  }
  // An image of a carousel opens its own link only.
  const items = images.map(image => ({ ...image, ...(link === null ? {} : { link }) }));
  const source_type = inline ? 'multiple_image_base64' : 'multiple_image_urls';
  return { source_type, index: 0, items };
}

function reconcile(context: Context, _: State, intentAt: number): Promise<Finding> {
  return findPin(context, intentAt);
}
