import { utf16Units } from '../../text/measure.ts';
import { isBlank } from '../../text/normalize.ts';
import { shapeText } from '../kit/draft.ts';
import type { Draft, Fault, PictureNeeds, PlatformRules } from '../contract/rules.ts';

/** Telegram counts code points at one place and may count otherwise at another; UTF-16 units are never fewer. */
const MESSAGE = [utf16Units(4096)];
/** A text beside media is their caption. */
const CAPTION = [utf16Units(1024)];

/** What a bot may upload: https://core.telegram.org/bots/api#sending-files */
const MAX_BYTES = 50_000_000;

/** What is sent as a photo; what cannot be one is sent as a file. https://core.telegram.org/bots/api#sendphoto */
export const PHOTOS: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF', 'WebP', 'BMP'],
  max_bytes: 10_000_000,
  max_sides: 10_000,
  alpha: 'WebP',
  unfit: 'file',
  animation: 'kept',
  moving: { max_bytes: MAX_BYTES },
};

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
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP', 'BMP'], max_bytes: MAX_BYTES },
    // Only MP4 plays inside a chat, others are sent as files.
    video: { formats: ['MP4', 'MOV', 'WebM'], max_bytes: MAX_BYTES },
    document: { formats: ['PDF'], max_bytes: MAX_BYTES },
  },
  pictures: PHOTOS,
  text: ({ post_type }) => (post_type === 'text' ? MESSAGE : CAPTION),
  title: () => [],
  titled: [],
  comment: null,
  text_fields: {},
  // Telegram trims what it gets; trimming here makes the measure the same on both sides.
  shape: draft => shapeText(draft.description, draft, rules),
  options: {},
  required: [],
  only_for: {},
  fetched: [],
  check,
  // The platform knows none; this keeps a channel readable and far from flood control.
  daily_cap: 100,
  settle_ms: 5000,
  worker: { timeout_s: 180, request_s: 160, memory_mb: 1024, max_concurrency: 5 },
};

function check(draft: Draft): Fault[] {
  if (draft.post_type !== 'text' || !isBlank(draft.description ?? '')) return [];
  return [{ field: 'description', message: 'A Telegram message needs a text' }];
}
