import * as v from 'valibot';
import { normalizeText } from '../../text/normalize.ts';
import type { Draft } from '../contract/rules.ts';

/** Characters of all tags together, counted as `tagLength` does. */
export const MAX_TAGS = 500;

/**
 * Returns the tags as they are sent: split at commas, where YouTube splits them, without `#`, empty tags and repetitions;
 * with `auto_truncate` as many as fit.
 */
export function tagsOf(draft: Pick<Draft, 'options' | 'auto_truncate'>): string[] {
  const given = v.parse(v.fallback(v.array(v.string()), []), draft.options['youtube_tags']);
  const single = given.flatMap(tag => normalizeText(tag).split(','));
  const tags = [...new Set(single.map(tag => tag.trim().replace(/^#/, '').trim()))].filter(Boolean);
  return draft.auto_truncate ? fittingTags(tags) : tags;
}

/** Returns as many of the first tags as fit. */
function fittingTags(tags: readonly string[]): string[] {
  const fitting: string[] = [];
  let length = -1;
  for (const tag of tags) {
    length += 1 + tagLength([tag]);
    if (length > MAX_TAGS) break;
    fitting.push(tag);
  }
  return fitting;
}

/** Returns the length of a list of tags: YouTube counts the commas between tags and quotation marks around tags with a space. */
export function tagLength(tags: readonly string[]): number {
  const signs = tags.map(tag => tag.length + (/\s/.test(tag) ? 2 : 0));
  return signs.reduce((sum, length) => sum + length, 0) + Math.max(0, tags.length - 1);
}
