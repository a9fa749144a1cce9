import { utf16Units } from '../../text/measure.ts';
import { isBlank } from '../../text/normalize.ts';
import { shapeText } from '../kit/draft.ts';
import { choiceOr, wordLike } from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { GB, MB, MINUTES } from '../kit/sizes.ts';

/** LinkedIn does not name its unit, and counts the text as it was written: the escapes of its markup are ours. */
const TEXT = [utf16Units(3000)];
const TITLE = [utf16Units(400)];

/** https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api */
export const rules: PlatformRules = {
  platform: 'linkedin',
  display_name: 'LinkedIn',
  post_types: {
    text: { max_files: 0 },
    image: { max_files: 9 },
    video: { max_files: 1 },
    document: { max_files: 1 },
  },
  files: {
    image: { formats: ['JPG', 'PNG', 'GIF'], max_bytes: 5 * GB },
    video: { formats: ['MP4'], max_bytes: 5 * GB, min_seconds: 3, max_seconds: 10 * MINUTES },
    document: { formats: ['PDF'], max_bytes: 100 * MB },
  },
  pictures: { formats: ['JPG', 'PNG', 'GIF'], max_pixels: 36_152_320, alpha: 'PNG', animation: 'kept' },
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video', 'document'],
  comment: [utf16Units(1250)],
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    linkedin_page_id: wordLike(
      /^(?:urn:li:organization:)?\d+$/,
      'Must be the number of an organization or its URN',
      'Posts as this organization',
    ),
    linkedin_visibility: choiceOr(['PUBLIC', 'CONNECTIONS'], 'PUBLIC', 'Who may see the post'),
  },
  required: [],
  only_for: {},
  fetched: [],
  combinations: ['`linkedin_page_id` goes with `linkedin_visibility` `PUBLIC` only.'],
  check,
  daily_cap: 150,
  settle_ms: 30_000,
  worker: { timeout_s: 120, request_s: 60, memory_mb: 1024, max_concurrency: 10 },
};

function check({ post_type, description, options }: Draft): Fault[] {
  const faults: Fault[] = [];
  if (post_type === 'text' && isBlank(description ?? '')) {
    faults.push({ field: 'description', message: 'A LinkedIn text post needs a text' });
  }
  if (options['linkedin_page_id'] !== undefined && options['linkedin_visibility'] === 'CONNECTIONS') {
    faults.push({
      field: 'linkedin_visibility',
      message: 'An organization has no connections: its posts are PUBLIC',
    });
  }
  return faults;
}
