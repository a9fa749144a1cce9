import * as v from 'valibot';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { truncate } from '../../text/truncate.ts';
import type { Draft, Fault, PlatformRules } from '../rules.ts';
import { cashtags, hasForbiddenCharacters, linkSpans, weightedLength } from './text.ts';

const TEXT_LIMIT = 280;
const ALT_TEXT_LIMIT = 1000;
/** More than one cashtag is refused for self-serve apps. */
const MAX_CASHTAGS = 1;

function shape(draft: Draft): string {
  const text = normalizeText(draft.description ?? '')
    .normalize('NFC')
    .trim();
  if (isBlank(text)) return '';
  if (!draft.auto_truncate) return text;
  return truncate(text, { limit: TEXT_LIMIT, measure: weightedLength, spans: linkSpans(text) });
}

function check(draft: Draft): Fault[] {
  const text = shape(draft);
  const tags = new Set(cashtags(text));
  const broken = [
    [draft.post_type === 'text' && text === '', 'A text post on X needs a text'],
    [hasForbiddenCharacters(text), 'X refuses the characters U+FFFE, U+FEFF and U+FFFF'],
    [tags.size > MAX_CASHTAGS, `X allows ${MAX_CASHTAGS} cashtag in a post, the text has ${tags.size}`],
  ] as const;
  return broken.filter(([applies]) => applies).map(([, message]) => ({ field: 'description', message }));
}

export const rules: PlatformRules = {
  platform: 'x',
  display_name: 'X',
  post_types: { text: { max_files: 0 }, image: { max_files: 4 }, video: { max_files: 1 } },
  text: () => [{ limit: TEXT_LIMIT, measure: weightedLength, unit: 'weighted characters' }],
  shape,
  options: {
    x_reply_settings: v.optional(v.nullable(v.picklist(['following', 'mentionedUsers'])), null),
    x_alt_text: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(ALT_TEXT_LIMIT))), null),
  },
  check,
  daily_cap: 50,
  settle_ms: 30_000,
  worker: { timeout_s: 60, request_s: 30, memory_mb: 1024, max_concurrency: 10, images: true },
};
