import { characters } from '../../text/measure.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { choiceOr, line, ownDescription, ownMedia } from '../kit/fields.ts';
import type { PictureNeeds, PlatformRules } from '../contract/rules.ts';
import { GB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';

const TEXT = [characters(63_206)];
const TITLE = [characters(255)];
/** Not documented; what other publishing tools accept at least. */
const ALT_TEXT = characters(1000);

/** Facebook rejects larger photos with a message that names 4 MB, and shows GIFs as still pictures. */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF'],
  max_bytes: 4_000_000,
  alpha: 'white',
  animation: 'still',
};

/** https://developers.facebook.com/docs/pages-api/posts */
export const rules: PlatformRules = {
  ...basics,
  post_types: { text: { max_files: 0 }, image: { max_files: 10 }, video: { max_files: 1 } },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF', 'WebP'], max_bytes: GB },
    video: { formats: ['MP4', 'MOV'], max_bytes: GB, min_seconds: 1, max_seconds: 240 * MINUTES },
  },
  pictures: PICTURES,
  file_variants: [
    {
      name: 'Reels',
      applies: ({ post_type, options }) =>
        post_type === 'video' && options['facebook_media_type'] === 'REELS',
      kind: 'video',
      limits: {
        min_seconds: 3,
        max_seconds: 90,
        min_width: 540,
        min_height: 960,
        max_aspect: 1,
        min_frame_rate: 24,
        max_frame_rate: 60,
        video_codecs: ['avc', 'hevc', 'vp9', 'av1'],
      },
    },
  ],
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video'],
  comment: [],
  text_fields: {},
  alt_text: ALT_TEXT,
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    facebook_description: ownDescription('Facebook'),
    facebook_media_type: choiceOr(
      ['VIDEO', 'REELS'],
      'VIDEO',
      'Publishes a video as a feed video or as a Reel',
    ),
    facebook_media_urls: ownMedia('Facebook'),
    facebook_page_id: line('Page to post to; default: the default target of the account'),
  },
  required: [],
  only_for: { facebook_media_type: ['video'] },
  fetched: [],
  audience_fields: ['facebook_media_type', 'facebook_page_id'],
  validate: missingText,
  banned_hashtags: true,
};
