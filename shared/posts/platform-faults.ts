import type { Detail } from '../http/errors.ts';
import type { PlatformId } from '../model/platform.ts';
import {
  commentFor,
  draftFor,
  mediaFor,
  titleFor,
  WOULD_BE_CUT,
  type PostContent,
} from '../platforms/kit/draft.ts';
import { RULES } from '../platforms/registry.ts';
import type { Draft, Fault, PlatformRules, TextRule } from '../platforms/contract/rules.ts';
import { fits } from '../text/measure.ts';
import { beginning, saysNothing } from '../text/truncate.ts';

/**
 * Everything about a post that one platform would refuse, as far as that can be told without calling it. A post of a
 * type that the platform does not take has this one fault.
 */
export function platformFaults(platform: PlatformId, post: PostContent): Detail[] {
  const rules = RULES[platform];
  const named = ({ field, message }: Fault): Detail => ({ field, message, platform });
  if (!rules.post_types[post.post_type]) {
    const message = `${rules.display_name} takes no ${post.post_type} posts`;
    return [named({ field: 'post_type', message })];
  }
  const { draft, faults } = draftFor(rules, post);
  return [
    ...faults,
    ...missingFields(rules, post, draft, faults),
    ...countFaults(rules, post),
    ...(post.auto_truncate ? cutFaults(rules, draft) : lengthFaults(rules, draft)),
    ...rules.check(draft),
  ].map(named);
}

/** A field that was sent and does not fit is not missing as well. */
function missingFields(
  rules: PlatformRules,
  post: PostContent,
  { options }: Draft,
  faults: readonly Fault[],
): Fault[] {
  return rules.required
    .filter(name => options[name] === undefined && post.options[name] === undefined)
    .filter(name => !faults.some(({ field }) => field === name))
    .map(field => ({ field, message: `Is required for ${rules.display_name}` }));
}

function countFaults(rules: PlatformRules, post: PostContent): Fault[] {
  const most = rules.post_types[post.post_type]?.max_files ?? 0;
  const { field, urls } = mediaFor(rules, post);
  if (post.auto_truncate || post.post_type === 'text' || urls.length <= most) return [];
  const files = most === 1 ? '1 file' : `${most} files`;
  const message = `${rules.display_name} takes at most ${files} in a post of type ${post.post_type} (auto_truncate: true would leave out the rest)`;
  return [{ field, message }];
}

/** Texts that are longer than the platform takes, by its own measure and as they would be sent. */
function lengthFaults(rules: PlatformRules, draft: Draft): Fault[] {
  return textsOf(rules, draft).flatMap(({ field, text, limits }) => tooLong(rules, field, text, limits));
}

/** Texts of which a cut would leave nothing: the link, mention or hashtag that they begin with is too long by itself. */
function cutFaults(rules: PlatformRules, draft: Draft): Fault[] {
  const whole = textsOf(rules, { ...draft, auto_truncate: false });
  const doubtful = whole.filter(({ text, limits }) => !fits(firstWord(text), limits));
  if (doubtful.length === 0) return [];
  const cut = new Map(textsOf(rules, draft).map(({ field, text }) => [field, text]));
  const message = `Cannot be cut to what ${rules.display_name} takes: the link or word that it begins with is too long`;
  return doubtful
    .filter(({ field, text }) => saysNothing(cut.get(field) ?? text, text))
    .map(({ field }) => ({ field, message }));
}

const firstWord = (text: string) => `${/^\S*/.exec(text)?.[0] ?? ''} …`;

/** A draft's texts as they are sent, with their limits; also the title of a post that shows none. */
function textsOf(rules: PlatformRules, draft: Draft) {
  const title = titleFor({ ...rules, titled: [draft.post_type] }, draft);
  return [
    { field: 'description', text: rules.shape(draft), limits: rules.text(draft) },
    { field: 'title', text: title ?? '', limits: rules.title(draft) },
    { field: 'first_comment', text: commentFor(rules, draft) ?? '', limits: rules.comment ?? [] },
  ];
}

function tooLong(
  { display_name }: PlatformRules,
  field: string,
  text: string,
  rules: readonly TextRule[],
): Fault[] {
  const broken = rules.flatMap(({ limit, measure, unit }) => {
    const head = beginning(text, limit, measure);
    if (head.length < text.length) {
      const message = `Is far longer than the ${limit} ${unit} that ${display_name} takes${WOULD_BE_CUT}`;
      return [{ field, message }];
    }
    const length = measure(text);
    const message = `Is ${length} ${unit} long; ${display_name} takes ${limit}${WOULD_BE_CUT}`;
    return length > limit ? [{ field, message }] : [];
  });
  // Where a platform measures twice, one measure that is over says enough.
  return broken.slice(0, 1);
}
