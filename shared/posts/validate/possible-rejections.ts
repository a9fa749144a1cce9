import type { PlatformPost } from '../drafts.ts';
import type { FieldWarning } from '../warning.ts';

/** Returns a warning for each reason why a platform may reject a text after it accepted it. */
export function possibleRejectionWarnings(posts: readonly PlatformPost[]): FieldWarning[] {
  return posts.flatMap(({ rules, texts, description_field: field }) =>
    (rules.doubts?.(texts.text) ?? []).map(message => ({
      code: 'MAY_BE_REJECTED',
      field,
      message,
      platform: rules.platform,
    })),
  );
}
