import * as v from 'valibot';
import { utf16Units } from '../../text/measure.ts';
import { cutToFit } from '../../text/truncate.ts';
import { missingText, shapeText } from '../kit/draft.ts';
import { choiceOr, flag, ownDescription } from '../kit/fields.ts';
import type { Draft, PictureNeeds, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { GB, MB, MINUTES } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { spansOf } from './little-text.ts';

/** LinkedIn does not document its unit. It counts the text as written: the escapes of its markup are added by the publisher. */
const TEXT = [utf16Units(3000)];
const TITLE = [utf16Units(400)];
const ALT_TEXT = utf16Units(4086);

/** Pixels and frames are limited, not bytes. */
export const PICTURES: PictureNeeds = {
  formats: ['JPG', 'PNG', 'GIF'],
  max_pixels: 36_152_320,
  alpha: 'PNG',
  animation: 'kept',
  animated_limits: { max_frames: 250 },
};

/** An organization's id or URN; the value is its URN, the id of a target. */
const pageId = v.optional(
  v.pipe(
    v.string('Must be a string'),
    v.trim(),
    v.regex(
      /^(?:urn:li:(?:organization|organizationBrand):)?\d+$/,
      'Must be an organization id such as 2414183, or its URN',
    ),
    v.description('Organization to post as; default: the connected member'),
    v.transform(id => (id.startsWith('urn:') ? id : `urn:li:organization:${id}`)),
  ),
);

/** Mentions are not cut. */
function shape(draft: Draft): string {
  const text = shapeText(draft.description, { ...draft, auto_truncate: false }, rules);
  return draft.auto_truncate ? cutToFit(text, TEXT, spansOf) : text;
}

/** https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api */
export const rules: PlatformRules = {
  ...basics,
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
  pictures: PICTURES,
  text: () => TEXT,
  title: () => TITLE,
  titled: ['video', 'document'],
  comment: [utf16Units(1250)],
  text_fields: {},
  alt_text: ALT_TEXT,
  shape,
  options: {
    linkedin_description: ownDescription('LinkedIn'),
    linkedin_page_id: pageId,
    linkedin_visibility: choiceOr(['PUBLIC', 'CONNECTIONS'], 'PUBLIC', 'Who may see the post'),
    linkedin_disable_reshare: flag(false, 'Does not let others repost the post'),
  },
  required: [],
  only_for: {},
  fetched: [],
  audience_fields: ['linkedin_visibility'],
  combinations: [
    'Posts of an organization must have `linkedin_visibility` `PUBLIC`.',
    '`linkedin_page_id` needs an account that was connected with an app of the kind `community`.',
  ],
  validate,
  banned_hashtags: false,
};

function validate(draft: Draft, text: string): RuleViolation[] {
  const violations = missingText(draft, text);
  const { linkedin_page_id: page, linkedin_visibility: visibility } = draft.options;
  const { kind, default_target_id } = draft.account?.attributes ?? {};
  if (page !== undefined && kind === 'self_serve') {
    violations.push({
      field: 'linkedin_page_id',
      message:
        'Needs a LinkedIn app with the Community Management API; this account was connected with a self-serve app, which posts as the member only',
    });
  }
  if (visibility === 'CONNECTIONS' && (page ?? default_target_id) !== undefined) {
    violations.push({
      field: 'linkedin_visibility',
      message: 'Must be PUBLIC for posts of an organization, which has no connections',
    });
  }
  return violations;
}
