import type { ValidationDetail } from '../../http/errors.ts';
import { altTextFieldOf, altTextRuleOf, SHORTEN_HINT } from '../../platforms/kit/draft.ts';
import { contentOf, type PlatformPost } from '../drafts.ts';
import { errorOf } from '../error.ts';
import type { Candidate } from '../input/read.ts';

/** Returns the errors of `media_alt_texts`: more texts than files, or a text that is too long for a platform. */
export function altTextErrors(candidate: Candidate, posts: readonly PlatformPost[]): ValidationDetail[] {
  const { media_alt_texts, media_urls } = candidate;
  const { length } = media_urls;
  const surplus = `Must have at most one text per file of media_urls, which has ${length}; it has ${media_alt_texts.length}`;
  return [
    ...(media_alt_texts.length > length ? [errorOf('media_alt_texts', surplus)] : []),
    ...(contentOf(candidate)?.post_type === 'image' ? posts.flatMap(tooLongAltTexts) : []),
  ];
}

function tooLongAltTexts({ rules, draft, media_field }: PlatformPost): ValidationDetail[] {
  const field = altTextFieldOf(rules);
  const rule = altTextRuleOf(rules);
  // A platform's own alt text is validated as an option.
  const hasOwn = field !== null && draft.options[field] !== undefined;
  if (!rule || hasOwn || media_field !== 'media_urls') return [];
  return (draft.alt_texts ?? []).flatMap((text, index) => {
    const length = text === null ? 0 : rule.measure(text);
    const message = `${rules.display_name} accepts at most ${rule.limit} ${rule.unit}; the alt text has ${length}${SHORTEN_HINT}`;
    return length > rule.limit ? [errorOf(`media_alt_texts[${index}]`, message, rules.platform)] : [];
  });
}
