import type { PlatformPost } from '../drafts.ts';
import type { FieldWarning } from '../warning.ts';

/** Returns a warning for each text that a platform accepts as documented, but may reject all the same. */
export function possibleLimitWarnings(posts: readonly PlatformPost[]): FieldWarning[] {
  return posts.flatMap(({ rules, draft, texts, description_field: field }) => {
    const rule = rules.possible_text_limit;
    const length = rule?.measure(texts.text) ?? 0;
    if (!rule || length <= rule.limit) return [];
    const hint = draft.auto_truncate
      ? '; it is shortened to that limit if it is rejected'
      : '. Set auto_truncate to true to shorten it if it is rejected';
    const message = `The text has ${length} ${rule.unit}; ${rules.display_name} has rejected texts with more than ${rule.limit}${hint}`;
    return [{ code: 'MAY_EXCEED_LIMIT', field, message, platform: rules.platform }];
  });
}
