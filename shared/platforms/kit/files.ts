import type { MediaKind } from '../../model/media.ts';
import type { SentAs } from '../contract/media-files.ts';
import type { PictureNeeds } from '../contract/pictures.ts';
import type { Draft, FileLimits, FileVariant, PlatformRules } from '../contract/rules.ts';

/** Returns the variants whose limits apply to a file of this kind in this post. */
export function fileVariantsOf(rules: PlatformRules, draft: Draft, kind: MediaKind): FileVariant[] {
  return (rules.file_variants ?? []).filter(each => each.kind === kind && each.applies(draft));
}

/** Returns the limits of a file of this kind in this post; null where the platform accepts none of the kind. */
export function fileLimitsOf(rules: PlatformRules, draft: Draft, kind: MediaKind): FileLimits | null {
  const common = rules.files[kind];
  if (!common) return null;
  return fileVariantsOf(rules, draft, kind).reduce<FileLimits>(
    (limits, { limits: own }) => ({ ...limits, ...own }),
    common,
  );
}

/** Returns what the images of a post must meet: beside others, an animation may be shown as a still image. */
export function pictureNeedsOf(needs: PictureNeeds, { media_urls }: Pick<Draft, 'media_urls'>): PictureNeeds {
  const isStill = media_urls.length > 1 && needs.animation_in_album === 'still';
  return isStill ? { ...needs, animation: 'still' } : needs;
}

/** Returns how the files of a post are sent together: one that is sent as a file makes files of all. */
export function sentTogether(files: readonly SentAs[]): readonly SentAs[] {
  return files.includes('file') ? files.map(() => 'file') : files;
}
