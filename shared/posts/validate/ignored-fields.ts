import type { PlatformId, PostType } from '../../model/platform.ts';
import type { IgnoredField } from '../../platforms/contract/rules.ts';
import { RULES } from '../../platforms/registry.ts';
import { withSubject } from '../../http/validate.ts';
import type { PlatformPost } from '../drafts.ts';
import type { FieldWarning } from '../warning.ts';

/** Returns a warning for every field that was sent and has no effect. `sent`: names of fields with a value. */
export function ignoredFieldWarnings(
  sent: ReadonlySet<string>,
  platforms: readonly PlatformId[],
  post_type: PostType | null,
  posts: readonly PlatformPost[],
): FieldWarning[] {
  return [
    ...fieldsOfOtherPlatforms(sent, platforms),
    ...(post_type === null ? [] : ignoredByAll(sent, platforms, post_type)),
    ...posts.flatMap(post => ignoredBy(post, sent).map(field => ignored(field, post.rules.platform))),
  ];
}

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

/** Common fields that have no effect on any platform of the post. */
function ignoredByAll(
  sent: ReadonlySet<string>,
  platforms: readonly PlatformId[],
  post_type: PostType,
): FieldWarning[] {
  const showsTitle = platforms.some(platform => RULES[platform].titled.includes(post_type));
  return [
    ...(sent.has('title') && !showsTitle
      ? [
          ignored({
            field: 'title',
            message: 'Was ignored: none of the platforms shows a title in such a post',
          }),
        ]
      : []),
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
    ...(rules.ignored?.(draft, sentHere) ?? []),
  ];
  return found.filter(({ field }, index) => found.findIndex(other => other.field === field) === index);
}
