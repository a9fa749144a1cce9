import { cutToFit } from '../../text/truncate.ts';
import { HOUR, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { PublishJob, StepResult } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { createContainer, publishingLimit } from './client.ts';
import { advance } from './containers.ts';
import { isTooLong } from './errors.ts';
import { BYTES, rules } from './rules.ts';
import { clientOf, isCarousel, type Context, type State } from './state.ts';

/** Time for a request after the file was opened; it is left when the opening times out. */
const REQUEST_MS = 65 * SECOND;
/** Time that one file of a carousel needs. Less than the rules' `request_s`, so that every step progresses. */
const ITEM_MS = 110 * SECOND;

/** Stops early when the account has used up its posts of 24 hours. A failure of this read stops nothing. */
export async function checkLimit(context: Context, state: State): Promise<StepResult<State>> {
  const limit = await publishingLimit(clientOf(context)).catch((error: unknown) => {
    if (error instanceof PlatformError && error.kind !== 'token_expired') return null;
    throw error;
  });
  if (limit && limit.used >= limit.total) {
    throw new PlatformError({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      message: `Threads accepts ${limit.total} posts in 24 hours; the account has published ${limit.used}`,
      retryAfterMs: HOUR,
      limit: limit.total,
    });
  }
  return { type: 'next', state };
}

/** Creates a container for each file of a carousel and waits until all are finished. */
export async function prepareItems(context: Context, state: State): Promise<StepResult<State>> {
  const items = [...state.items];
  const delays: number[] = [];
  let created = 0;
  for (const [index, item] of items.entries()) {
    if (item.id === null && created > 0 && context.remainingMs() < ITEM_MS) {
      return { type: 'again', state: { ...state, items } };
    }
    if (item.id === null) created += 1;
    const { container, delayMs } = await advance(context, item, () => createItem(context, index));
    items[index] = container;
    if (delayMs !== null) delays.push(delayMs);
  }
  const next = { ...state, items };
  if (delays.length === 0) return { type: 'next', state: next };
  return { type: 'wait', state: next, delayMs: Math.max(...delays) };
}

async function createItem(context: Context, index: number): Promise<string> {
  const form = { ...(await fileFields(context, index)), is_carousel_item: 'true' };
  return createContainer(clientOf(context), form);
}

/** Creates the container that is published and waits until it is finished. */
export async function prepareContainer(context: Context, state: State): Promise<StepResult<State>> {
  try {
    const { container, delayMs } = await advance(context, state.post, () => createPost(context, state));
    const next = { ...state, post: container };
    return delayMs === null ? { type: 'next', state: next } : { type: 'wait', state: next, delayMs };
  } catch (error) {
    const canCut = context.job.auto_truncate && !state.cut_to_bytes;
    if (canCut && isTooLong(error)) return { type: 'again', state: { ...state, cut_to_bytes: true } };
    throw error;
  }
}

/** Topic and audience belong to the container that is published, not to the files of a carousel. */
async function createPost(context: Context, state: State): Promise<string> {
  const { job } = context;
  const text = textOf(job, state);
  const topic = textOption(job, 'threads_topic_tag');
  const replyControl = textOption(job, 'threads_reply_control');
  return createContainer(clientOf(context), {
    ...(await contentFields(context, state)),
    ...(text === '' ? {} : { text }),
    ...(topic === null ? {} : { topic_tag: topic }),
    ...(replyControl === null ? {} : { reply_control: replyControl }),
  });
}

function contentFields(context: Context, { items }: State): Promise<Record<string, string>> {
  if (isCarousel(context.job)) {
    const children = items.map(({ id }) => id).join(',');
    return Promise.resolve({ media_type: 'CAROUSEL', children });
  }
  const hasFile = context.job.media_urls.length > 0;
  return hasFile ? fileFields(context, 0) : Promise.resolve({ media_type: 'TEXT' });
}

async function fileFields(context: Context, index: number): Promise<Record<string, string>> {
  const altText = altTextOf(context.job, index);
  const url = await publicUrlOf(context, context.job.media_urls[index] ?? '');
  return {
    ...(context.job.post_type === 'video'
      ? { media_type: 'VIDEO', video_url: url }
      : { media_type: 'IMAGE', image_url: url }),
    ...(altText === null ? {} : { alt_text: altText }),
  };
}

/** Returns a URL from which Threads can fetch the file in a form that it accepts. */
async function publicUrlOf({ files, job, remainingMs }: Context, url: string): Promise<string> {
  const file = await files.open(url, Math.max(SECOND, remainingMs() - REQUEST_MS));
  try {
    if (job.post_type === 'video' || rules.pictures === null) return await file.publicUrl();
    return await (await file.fitted(rules.pictures)).publicUrl();
  } finally {
    await file.close();
  }
}

/** Returns the text as it is sent. */
export const textOf = ({ text }: PublishJob, { cut_to_bytes }: State): string =>
  cut_to_bytes ? cutToFit(text, [BYTES]) : text;

function textOption({ options }: PublishJob, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}
