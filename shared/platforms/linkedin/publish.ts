import { UNKNOWN_POST_ID, type PublishedPost } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { definePublisher, type PublishJob, type Step, type StepResult } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { resultOf, searchAfterLoss } from '../kit/finding.ts';
import { linkOf, prepareArticle } from './article.ts';
import { firstComment } from './comment.ts';
import {
  assertMayPost,
  authorOf,
  callerOf,
  FRESH,
  StateSchema,
  type Context,
  type State,
} from './context.ts';
import { CredentialsSchema, type Credentials } from './credentials.ts';
import { isWaitingForMedia } from './errors.ts';
import { findPost } from './find-post.ts';
import { toLittleText } from './little-text.ts';
import { createPost } from './posts.ts';
import { awaitProcessing, isTooSlow, uploadedAgain } from './processing.ts';
import { uploadDocument, uploadImages } from './upload.ts';
import { findPostUrn, postUrl } from './urn.ts';
import { finishVideo, uploadVideo } from './video.ts';

type LinkedInStep = Step<State, Credentials>;

const PREVIEW: LinkedInStep = { name: 'preview', kind: 'prepare', run: prepareArticle };
const PROCESS: LinkedInStep = { name: 'process', kind: 'prepare', run: awaitProcessing };
const PUBLISH: LinkedInStep = { name: 'publish', kind: 'commit', run: publish, reconcile: findPost };

const PREPARATIONS: Readonly<Record<PublishJob['post_type'], readonly LinkedInStep[]>> = {
  text: [PREVIEW],
  image: [{ name: 'upload', kind: 'prepare', run: uploadImages }, PROCESS],
  video: [
    { name: 'upload', kind: 'prepare', run: uploadVideo },
    { name: 'finish', kind: 'prepare', run: finishVideo },
    PROCESS,
  ],
  document: [{ name: 'upload', kind: 'prepare', run: uploadDocument }, PROCESS],
};

export const publisher = definePublisher<State, Credentials>({
  credentials: CredentialsSchema,
  state: StateSchema,
  initial: () => FRESH,
  steps: job => {
    const isPlain = job.post_type === 'text' && linkOf(job) === null;
    return isPlain ? [PUBLISH] : [...PREPARATIONS[job.post_type], PUBLISH];
  },
  followUps: job => (job.first_comment === null ? [] : [firstComment]),
});

const MEDIA_WAIT_MS = 10 * SECOND;

/** Creates the post. LinkedIn has no idempotency key, so a lost response is reconciled. */
async function publish(context: Context, state: State): Promise<StepResult<State>> {
  assertMayPost(context);
  const { job } = context;
  try {
    const urn = await createPost(callerOf(context), {
      author: authorOf(context),
      commentary: toLittleText(job.text),
      visibility: job.options['linkedin_visibility'] === 'CONNECTIONS' ? 'CONNECTIONS' : 'PUBLIC',
      content: contentOf(job, state),
      isReshareDisabledByAuthor: job.options['linkedin_disable_reshare'] === true,
    });
    return { type: 'published', post: postOf(urn, context.now()), state };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return afterRejection(context, state, error);
  }
}

/** Handles rejections that are evidence of the post, or that waiting or leaving out the preview can resolve. */
async function afterRejection(
  context: Context,
  state: State,
  error: PlatformError,
): Promise<StepResult<State>> {
  if (error.code === 'DUPLICATE_REJECTED' && context.repeatedAfterLoss) {
    return afterDuplicate(context, state, error);
  }
  const isWaiting = isWaitingForMedia(error);
  const waiting = { ...state, processing_since: state.processing_since ?? context.now() };
  if (isWaiting && !isTooSlow(context, waiting))
    return { type: 'wait', state: waiting, delayMs: MEDIA_WAIT_MS };
  if (state.article && (isWaiting || isOfContent(error))) {
    return { type: 'back', step: PREVIEW.name, state: { ...state, article: null, without_article: true } };
  }
  if (isWaiting) return uploadedAgain(waiting);
  throw error;
}

/** True where another content may be accepted. */
const isOfContent = ({ code }: PlatformError) => code === 'CONTENT_REJECTED' || code === 'MEDIA_REJECTED';

/**
 * The lost request had created the post, unless it is known that another post of the account is the duplicate: LinkedIn
 * names it, or shows it, or only says that it exists.
 */
async function afterDuplicate(
  context: Context,
  state: State,
  error: PlatformError,
): Promise<StepResult<State>> {
  const urn = findPostUrn(error.message);
  if (urn !== null) {
    const result = resultOf(await context.identify([postOf(urn, context.now())]), state);
    if (result) return result;
    throw error;
  }
  const found = await searchAfterLoss(() => findPost(context, state, context.job.due_at));
  if (found.type === 'published' || found.type === 'wait') return { ...found, state };
  const post = { platform_post_id: UNKNOWN_POST_ID, platform_post_url: null, published_at: context.now() };
  return { type: 'published', post, state };
}

function contentOf(job: PublishJob, { assets, article }: State): JsonObject | null {
  if (article) {
    const { source, title, description, thumbnail } = article;
    return {
      article: {
        source,
        title,
        ...(description !== '' && { description }),
        ...(thumbnail !== null && { thumbnail }),
      },
    };
  }
  const [first, ...others] = assets;
  if (first === undefined) return null;
  if (others.length > 0) {
    return { multiImage: { images: assets.map((id, index) => ({ id, ...altText(job, index) })) } };
  }
  const title = titleOf(job);
  return { media: { id: first, ...(title !== null && { title }), ...altText(job, 0) } };
}

function altText(job: PublishJob, index: number): JsonObject {
  const text = job.post_type === 'image' ? altTextOf(job, index) : null;
  return text === null ? {} : { altText: text };
}

/** The viewer of a document shows its title: the post's, else the name of the file. */
function titleOf({ post_type, title, media_urls }: PublishJob): string | null {
  if (post_type !== 'document') return post_type === 'video' ? title : null;
  return title ?? (fileNameOf(media_urls[0] ?? '') || 'Document');
}

const MAX_TITLE = 400;

function fileNameOf(url: string): string {
  const name = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  try {
    return decodeURIComponent(name).slice(0, MAX_TITLE).toWellFormed();
  } catch {
    return name.slice(0, MAX_TITLE);
  }
}

const postOf = (urn: string, published_at: number): PublishedPost => ({
  platform_post_id: urn,
  platform_post_url: postUrl(urn),
  published_at,
});
