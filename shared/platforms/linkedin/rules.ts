import { utf16Units } from '../../text/measure.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { choiceOr, formattedLine, ownDescription } from '../kit/fields.ts';
import type { Draft, RuleViolation, PlatformRules } from '../contract/rules.ts';
import { GB, MB, MINUTES } from '../kit/sizes.ts';

/** LinkedIn does not document its unit. It counts the text as written: the escapes of its markup are added by the publisher. */
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
  pictures: {
    formats: ['JPG', 'PNG', 'GIF'],
    max_pixels: 36_152_320,
    alpha: 'PNG',
    animation: 'kept',
    animated_limits: { max_frames: 250 },
  },
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video', 'document'],
  comment: [utf16Units(1250)],
  text_fields: {},
  shape: draft => shapeText(draft.description, draft, rules),
  options: {
    linkedin_description: ownDescription('LinkedIn'),
    linkedin_page_id: formattedLine(
      /^(?:urn:li:organization:)?\d+$/,
      'Must be an organization id such as 2414183, or its URN',
      'Organization to post as; default: the connected member',
    ),
    linkedin_visibility: choiceOr(['PUBLIC', 'CONNECTIONS'], 'PUBLIC', 'Who may see the post'),
  },
  required: [],
  only_for: {},
  fetched: [],
  audience_fields: ['linkedin_visibility'],
  combinations: ['With `linkedin_page_id`, `linkedin_visibility` must be `PUBLIC`.'],
  target_field: 'linkedin_page_id',
  validate,
  banned_hashtags: false,
  daily_cap: 150,
  settle_ms: 30_000,
  worker: { timeout_s: 120, request_s: 60, memory_mb: 1024, max_concurrency: 10 },
};

function validate(draft: Draft, text: string): RuleViolation[] {
  const violations = missingText(draft, text);
  const { linkedin_page_id: page, linkedin_visibility: visibility } = draft.options;
  if (page !== undefined && visibility === 'CONNECTIONS') {
    violations.push({
      field: 'linkedin_visibility',
      message: 'Must be PUBLIC when linkedin_page_id is set: an organization has no connections',
    });
  }
  return violations;
}
