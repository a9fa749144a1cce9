import type { MediaKind } from '../../model/media.ts';
import type { Draft, FileLimits, PlatformRules } from '../contract/rules.ts';

/** Returns the limits of a file of this kind in this post; null where the platform accepts none of the kind. */
export function fileLimitsOf(rules: PlatformRules, draft: Draft, kind: MediaKind): FileLimits | null {
  const common = rules.files[kind];
  if (!common) return null;
  const variants = (rules.file_variants ?? []).filter(each => each.kind === kind && each.applies(draft));
  return variants.reduce<FileLimits>((limits, { limits: own }) => ({ ...limits, ...own }), common);
}
