import type { ValidationDetail } from '../../http/errors.ts';
import type { PlatformId } from '../../model/platform.ts';
import { descriptionFor, mediaFieldOf, mediaFor, type PostContent } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { errorOf } from '../error.ts';
import { kindByName } from './file-names.ts';

/** Returns the errors of a post that are the same for every platform: what its type requires. */
export function contentErrors(content: PostContent, platforms: readonly PlatformId[]): ValidationDetail[] {
  const { post_type } = content;
  if (post_type === 'text') return textPostErrors(content, platforms);
  return isMissing(content, platforms, hasMedia)
    ? [errorOf('media_urls', `Is required for a post of type ${post_type}`)]
    : [];
}

function textPostErrors(content: PostContent, platforms: readonly PlatformId[]): ValidationDetail[] {
  return [
    ...(isMissing(content, platforms, hasText)
      ? [errorOf('description', 'Is required for a text post')]
      : []),
    ...misplacedMedia(content, platforms),
  ];
}

/** A text post has no media: the error names the type that fits. */
function misplacedMedia(content: PostContent, platforms: readonly PlatformId[]): ValidationDetail[] {
  const own = platforms.map(platform => mediaFor(RULES[platform], content));
  const named = [{ field: 'media_urls', urls: content.media_urls }, ...own].find(
    ({ urls }) => urls.length > 0,
  );
  if (!named) return [];
  const type = kindByName(named.urls[0] ?? '') ?? 'image, video or document';
  return [errorOf('post_type', `Must be ${type} for a post with ${named.field}: a text post has no media`)];
}

/** True unless every platform has what is required, from the common field or its own. */
function isMissing(
  content: PostContent,
  platforms: readonly PlatformId[],
  has: (content: PostContent, platform: PlatformId | null) => boolean,
): boolean {
  if (has(content, null)) return false;
  return platforms.length === 0 || !platforms.every(platform => has(content, platform));
}

const hasText = (content: PostContent, platform: PlatformId | null) =>
  (platform === null ? content.description : descriptionFor(RULES[platform], content).text) !== null;

function hasMedia({ media_urls, options }: PostContent, platform: PlatformId | null): boolean {
  if (platform === null) return media_urls.length > 0;
  const field = mediaFieldOf(RULES[platform]);
  return field !== null && options[field] !== undefined;
}
