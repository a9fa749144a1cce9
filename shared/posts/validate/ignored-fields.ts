import type { PlatformId, PostType } from '../../model/platform.ts';
import type { IgnoredField } from '../../platforms/contract/rules.ts';
import { altTextRuleOf } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { withSubject } from '../../http/validate.ts';
import type { PlatformPost } from '../drafts.ts';
import type { Candidate } from '../input/read.ts';
import type { FieldWarning } from '../warning.ts';

/** Returns a warning for every field that was sent and has no effect. */
export function ignoredFieldWarnings(candidate: Candidate, posts: readonly PlatformPost[]): FieldWarning[] {
  const { sent, platforms, post_type, is_local_time } = candidate;
  const common = post_type === null ? [] : ignoredByAll(platforms, post_type);
  if (!is_local_time) common.push(UNUSED_TIMEZONE);
  return [
    ...fieldsOfOtherPlatforms(sent, platforms),
    ...common.filter(({ field }) => sent.has(field)).map(field => ignored(field)),
    ...posts.flatMap(post => ignoredBy(post, sent).map(field => ignored(field, post.rules.platform))),
  ];
}

const UNUSED_TIMEZONE: IgnoredField = {
  field: 'timezone',
  message: 'Is used for a scheduled_date without an offset only and was ignored',
};

const ignored = ({ field, message }: IgnoredField, platform?: PlatformId): FieldWarning => ({
  code: 'IGNORED_FIELD',
  field,
  message: withSubject(field, message),
  ...(platform ? { platform } : {}),
});

function fieldsOfOtherPlatforms(sent: ReadonlySet<string>, platforms: readonly PlatformId[]): FieldWarning[] {
  return Object.values(RULES)
    .filter(({ platform }) => !platforms.includes(platform))
    .flatMap(({ platform, options }) =>
      Object.keys(options)
        .filter(field => sent.has(field))
        .map(field => ignored({ field, message: `Was ignored: platforms does not contain ${platform}` })),
    );
}

/** Returns the common fields that have no effect on any of the platforms. */
function ignoredByAll(platforms: readonly PlatformId[], post_type: PostType): IgnoredField[] {
  const rules = platforms.map(platform => RULES[platform]);
  const showsTitle = rules.some(({ titled }) => titled.includes(post_type));
  const shown = (what: string) => `Was ignored: none of the platforms shows ${what} in such a post`;
  return [
    // For images, each platform says so itself.
    ...(post_type === 'image' ? [] : [{ field: 'media_alt_texts', message: shown('alt texts') }]),
    ...(showsTitle ? [] : [{ field: 'title', message: shown('a title') }]),
  ];
}

/** Fields that one platform ignores in this post, each once. */
function ignoredBy({ rules, draft }: PlatformPost, sent: ReadonlySet<string>): IgnoredField[] {
  const { post_type } = draft;
  const own = new Set([...Object.keys(rules.options), 'title', 'description', 'first_comment']);
  const sentHere = new Set([...sent].filter(name => own.has(name)));
  const found = [
    ...Object.entries(rules.only_for)
      .filter(([field, types]) => sentHere.has(field) && !types.includes(post_type))
      .map(([field, types]) => ({
        field,
        message: `Is used for ${types.join(' and ')} posts only and was ignored`,
      })),
    ...(rules.comment === null && sentHere.has('first_comment')
      ? [
          {
            field: 'first_comment',
            message: `Was ignored: the service cannot comment on ${rules.display_name}`,
          },
        ]
      : []),
    ...(post_type === 'image' && sent.has('media_alt_texts') && altTextRuleOf(rules) === null
      ? [
          {
            field: 'media_alt_texts',
            message: `Was ignored: the service sends no alt texts to ${rules.display_name}`,
          },
        ]
      : []),
    ...(rules.ignored?.(draft, sentHere) ?? []),
  ];
  return found.filter(({ field }, index) => found.findIndex(other => other.field === field) === index);
}
