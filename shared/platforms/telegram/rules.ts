import { utf16Units } from '../../text/measure.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { ownDescription } from '../kit/fields.ts';
import type { PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { basics } from './basics.ts';

/** Telegram's documents say "characters"; its servers are not consistent. UTF-16 units are the largest of the possible counts. */
const MESSAGE = [utf16Units(4096)];
/** With media, the text is sent as their caption. */
const CAPTION = [utf16Units(1024)];

/** Largest upload of a bot: https://core.telegram.org/bots/api#sending-files */
const MAX_BYTES = 50_000_000;

/** What can be sent as a photo; other pictures are sent as files. An album has no animations. https://core.telegram.org/bots/api#sendphoto */
export const PHOTOS: PictureNeeds = {
  // Telegram rejects photos with the extension .webp.
  formats: ['JPG', 'PNG', 'GIF', 'BMP'],
  max_bytes: 10_000_000,
  max_side_sum: 10_000,
  max_side_ratio: 20,
  alpha: 'PNG',
  when_unfit: 'file',
  animation: 'kept',
  animated_limits: { max_bytes: MAX_BYTES },
  animation_in_album: 'still',
};

/** https://core.telegram.org/bots/api#sendmessage, #sendphoto, #sendmediagroup */
export const rules: PlatformRules = {
  ...basics,
  post_types: {
    text: { max_files: 0 },
    image: { max_files: 10 },
    video: { max_files: 1 },
    document: { max_files: 1 },
  },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP', 'BMP'], max_bytes: MAX_BYTES },
    // Only MP4 plays inside a chat.
    video: { formats: ['MP4', 'MOV', 'WebM'], sent_as_file: ['MOV', 'WebM'], max_bytes: MAX_BYTES },
    document: { formats: ['PDF'], max_bytes: MAX_BYTES },
  },
  pictures: PHOTOS,
  text: ({ post_type }) => (post_type === 'text' ? MESSAGE : CAPTION),
  title: () => [],
  titled: [],
  comment: null,
  text_fields: {},
  // Telegram trims texts. Trimming here too makes both sides count the same.
  shape: draft => shapeText(draft.description, draft, rules),
  options: { telegram_description: ownDescription('Telegram') },
  required: [],
  only_for: {},
  fetched: [],
  validate: missingText,
  banned_hashtags: false,
};
