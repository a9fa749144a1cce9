import { codePointLength } from '../../text/code-points.ts';
import { characters } from '../../text/measure.ts';
import { shapeText } from '../kit/draft.ts';
import { formattedLine, limitedText, ownDescription, ownMedia, url } from '../kit/fields.ts';
import type { Draft, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';

const TEXT = [characters(500)];
const TITLE = [characters(100)];
const ALT_TEXT = characters(500);
const MAX_LINK_LENGTH = 2048;

/** https://developers.pinterest.com/docs/api/v5/pins-create */
export const rules: PlatformRules = {
  ...basics,
  post_types: { image: { max_files: 5 }, video: { max_files: 1 } },
  files: {
    // Pinterest recommends the width, and does not say from which one it refuses pictures.
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: GB, documented: { min_width: 600 } },
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
    pinterest_board_section_id: formattedLine(
      /^\d+$/,
      'Must be a section id as returned by GET /integrations/pinterest/board-sections: digits only',
      'Section of the board to pin to',
    ),
    pinterest_link: url('Page that opens when the Pin is clicked; at most 2048 characters'),
    pinterest_alt_text: limitedText(ALT_TEXT, 'Alt text of the image'),
    pinterest_media_urls: ownMedia('Pinterest'),
  },
  required: ['pinterest_board_id'],
  only_for: { pinterest_alt_text: ['image'] },
  fetched: [],
  audience_fields: ['pinterest_board_id', 'pinterest_board_section_id'],
  combinations: ['`pinterest_link` has at most 2048 characters.'],
  validate,
  banned_hashtags: false,
};

function validate({ options: { pinterest_link: link } }: Draft): RuleViolation[] {
  if (typeof link !== 'string' || codePointLength(link) <= MAX_LINK_LENGTH) return [];
  const message = `Pinterest accepts links of at most ${MAX_LINK_LENGTH} characters; this one has ${codePointLength(link)}`;
  return [{ field: 'pinterest_link', message }];
}
