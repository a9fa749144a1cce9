import { findLinks } from '../../text/links.ts';
import { PlatformError } from '../contract/error.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import type { PublishJob, StepResult } from '../contract/publisher.ts';
import { readLinkCard } from '../kit/link-card.ts';
import { assertMayPost, type Context, type State } from './context.ts';
import { PICTURES } from './rules.ts';
import { uploadPicture } from './upload.ts';

/** Returns the first link of a text post: LinkedIn makes no preview by itself. Null where there is none. */
export function linkOf({ post_type, text }: PublishJob): string | null {
  if (post_type !== 'text') return null;
  const [link] = findLinks(text);
  if (!link) return null;
  return link.has_scheme ? link.text : `https://${link.text}`;
}

/** Reads the preview of the post's link and uploads its picture. A failure costs the preview, never the post. */
export async function prepareArticle(context: Context, state: State): Promise<StepResult<State>> {
  assertMayPost(context);
  const source = linkOf(context.job);
  const card =
    source === null || state.without_article ? null : await readLinkCard(context, source, PICTURES);
  if (!card) return { type: 'next', state: { ...state, article: null } };
  const { title, description, uri, thumb } = card;
  const thumbnail = thumb && (await uploadThumbnail(context, thumb));
  return { type: 'next', state: { ...state, article: { source: uri, title, description, thumbnail } } };
}

async function uploadThumbnail(context: Context, thumb: FittedPicture): Promise<string | null> {
  try {
    return await uploadPicture(context, thumb);
  } catch (error) {
    // Expired credentials are renewed by the caller, which runs the step again.
    if (!(error instanceof PlatformError) || error.kind === 'token_expired') throw error;
    return null;
  }
}
