import type { MediaKind } from '../../model/media.ts';
import type { Draft, FileLimits, PlatformRules } from '../contract/rules.ts';

/** What a file of this kind may be in this post; null where the platform takes none of the kind. */
export function fileLimitsOf(rules: PlatformRules, draft: Draft, kind: MediaKind): FileLimits | null {
  const common = rules.files[kind];
  if (!common) return null;
  const closer = (rules.file_variants ?? []).filter(each => each.kind === kind && each.applies(draft));
  return closer.reduce<FileLimits>((limits, { limits: own }) => ({ ...limits, ...own }), common);
}
