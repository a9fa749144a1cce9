import { isBlank, normalizeText } from '../../text/normalize.ts';
import { truncate } from '../../text/truncate.ts';
import type { Draft, Fault, PlatformRules, TextRule } from '../rules.ts';

const MESSAGE_LIMIT = 4096;
/** A text beside media is their caption. */
const CAPTION_LIMIT = 1024;

/** https://core.telegram.org/bots/api#sendmessage, #sendphoto, #sendmediagroup */
export const rules: PlatformRules = {
  platform: 'telegram',
  display_name: 'Telegram',
  post_types: {
    text: { max_files: 0 },
    image: { max_files: 10 },
    video: { max_files: 1 },
    document: { max_files: 1 },
  },
  text: draft => [textRule(draft)],
  shape,
  options: {},
  check,
  // The platform knows none; this keeps a channel readable and far from flood control.
  daily_cap: 100,
  settle_ms: 5000,
  worker: { timeout_s: 180, request_s: 160, memory_mb: 512, max_concurrency: 5, images: true },
};

/** Telegram counts code points at one place and may count otherwise at another; UTF-16 units are never fewer. */
function textRule({ post_type }: Pick<Draft, 'post_type'>): TextRule {
  return {
    limit: post_type === 'text' ? MESSAGE_LIMIT : CAPTION_LIMIT,
    measure: text => text.length,
    unit: 'UTF-16 units',
  };
}

/** Telegram trims what it gets; trimming here makes the measure the same on both sides. */
function shape(draft: Draft): string {
  const text = normalizeText(draft.description ?? '').trim();
  if (!draft.auto_truncate) return text;
  return truncate(text, textRule(draft));
}

function check(draft: Draft): Fault[] {
  if (draft.post_type !== 'text' || !isBlank(draft.description ?? '')) return [];
  return [{ field: 'description', message: 'A Telegram message needs a text' }];
}
