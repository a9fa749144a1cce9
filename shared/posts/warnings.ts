import type { DefaultGridWarning } from '../insights/best-time.ts';
import type { PlatformId } from '../model/platform.ts';
import { draftFor, mediaFieldOf, type PostContent } from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';
import type { Fault, PlatformRules } from '../platforms/contract/rules.ts';

/** Something that was accepted but may not be what the caller meant. */
export type Warning = FieldWarning | DuplicateWarning | DefaultGridWarning;

export interface FieldWarning {
  code: 'IGNORED_FIELD' | 'MEDIA_NOT_CHECKED' | 'MEDIA_CHANGED';
  message: string;
  field: string;
  /** The platform that ignores the field or changes the file; absent where it concerns the whole post. */
  platform?: PlatformId;
}

export interface DuplicateWarning {
  code: 'DUPLICATE_CONTENT';
  message: string;
  similar_post_id: string;
  /** 0 … 1. */
  similarity: number;
}

/** Fields that were sent and say nothing: their platform is not listed, or does not use them in such a post. */
export function ignoredFieldWarnings(
  sent: Record<string, unknown>,
  platforms: readonly PlatformId[],
  post: PostContent,
): Warning[] {
  const names = sentNames(sent);
  return [
    ...foreignFields(names, platforms),
    ...uselessTexts(names, platforms, post),
    ...platforms.flatMap(platform =>
      unusedFields(RULES[platform], names, post).map(fault => ignored(fault, platform)),
    ),
  ];
}

const ignored = ({ field, message }: Fault, platform?: PlatformId): FieldWarning => ({
  code: 'IGNORED_FIELD',
  field,
  message,
  ...(platform ? { platform } : {}),
});

/** Names of the fields that hold something: null, nothing, an empty text or list say nothing by themselves. */
function sentNames(sent: Record<string, unknown>): ReadonlySet<string> {
  const says = (value: unknown) =>
    value != null && value !== '' && !(Array.isArray(value) && value.length === 0);
  return new Set(Object.keys(sent).filter(name => says(sent[name])));
}

/** Platform fields whose platform is not among the destinations. */
function foreignFields(names: ReadonlySet<string>, platforms: readonly PlatformId[]): Warning[] {
  return Object.values(RULES)
    .filter(rules => !platforms.includes(rules.platform))
    .flatMap(rules => Object.keys(rules.options).filter(name => names.has(name)))
    .map(field =>
      ignored({ field, message: 'The field belongs to a platform that is not listed in platforms' }),
    );
}

/** Common fields that no destination shows. A title that one of them shows is not worth a word. */
function uselessTexts(
  names: ReadonlySet<string>,
  platforms: readonly PlatformId[],
  { post_type }: PostContent,
): Warning[] {
  const titled = platforms.some(platform => RULES[platform].titled.includes(post_type));
  const warnings: Warning[] = [];
  if (names.has('title') && !titled) {
    warnings.push(ignored({ field: 'title', message: 'None of the platforms shows a title in such a post' }));
  }
  if (post_type === 'text' && names.has('media_urls')) {
    warnings.push(ignored({ field: 'media_urls', message: 'A text post carries no media' }));
  }
  return warnings;
}

function unusedFields(rules: PlatformRules, names: ReadonlySet<string>, post: PostContent): Fault[] {
  const { draft } = draftFor(rules, post);
  const own = new Set([...Object.keys(rules.options), 'title', 'description', 'first_comment']);
  const sent = new Set([...names].filter(name => own.has(name)));
  const typeless = Object.entries(rules.only_for)
    .filter(([name, types]) => sent.has(name) && !types.includes(post.post_type))
    .map(([field, types]) => ({ field, message: `Says something in ${types.join(' and ')} posts only` }));
  const media = mediaFieldOf(rules);
  if (media !== null && post.post_type === 'text' && sent.has(media)) {
    typeless.push({ field: media, message: 'A text post carries no media' });
  }
  const uncommented = rules.comment === null && sent.has('first_comment');
  const found = [
    ...typeless,
    ...(uncommented
      ? [{ field: 'first_comment', message: `The service makes no comments on ${rules.display_name}` }]
      : []),
    ...(rules.unused?.(draft, sent) ?? []),
  ];
  // One word about a field is enough.
  return found.filter((fault, index) => found.findIndex(({ field }) => field === fault.field) === index);
}
