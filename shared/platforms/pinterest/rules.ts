import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { formattedLine, limitedText, ownDescription, ownMedia, url } from '../kit/fields.ts';
import type { PlatformRules } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';

const TEXT = [characters(500)];
const TITLE = [characters(100)];
const ALT_TEXT = characters(500);

/** https://developers.pinterest.com/docs/api/v5/pins-create */
export const rules: PlatformRules = {
  platform: 'pinterest',
  display_name: 'Pinterest',
  post_types: { image: { max_files: 5 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: GB },
    video: {
      formats: ['MP4'],
      max_bytes: GB,
      min_seconds: 4,
      max_seconds: 15 * MINUTES,
      video_codecs: ['avc', 'hevc'],
    },
  },
  pictures: {
    formats: ['JPG', 'PNG', 'GIF', 'WebP'],
    max_bytes: 20_000_000,
    alpha: 'PNG',
    animation: 'kept',
    same_aspect: true,
  },
  text: () => TEXT,
  title: () => TITLE,
  titled: ['image', 'video'],
  comment: null,
  text_fields: { pinterest_alt_text: ALT_TEXT },
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    pinterest_description: ownDescription('Pinterest'),
    pinterest_board_id: formattedLine(
      /^\d+$/,
      'Must be a board id as returned by GET /integrations/pinterest/boards: digits only',
      'Board to pin to',
    ),
    pinterest_link: url('Page that opens when the Pin is clicked'),
    pinterest_alt_text: limitedText(ALT_TEXT, 'Alt text of the image'),
    pinterest_media_urls: ownMedia('Pinterest'),
  },
  required: ['pinterest_board_id'],
  only_for: { pinterest_alt_text: ['image'] },
  fetched: [],
  target_field: 'pinterest_board_id',
  validate: () => [],
  banned_hashtags: false,
  daily_cap: 20,
  settle_ms: 60_000,
  worker: { timeout_s: 120, request_s: 60, memory_mb: 1024, max_concurrency: 5 },
};
