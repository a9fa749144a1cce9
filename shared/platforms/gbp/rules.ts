import * as v from 'valibot';
import { utf16Units } from '../../text/measure.ts';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { oneLine, shapeText } from '../kit/draft.ts';
import { choice, choiceOr, limitedText, ownDescription, ownMedia, url } from '../kit/fields.ts';
import type { Draft, IgnoredField, PlatformRules, RuleViolation } from '../contract/rules.ts';
import { KB, MB } from '../kit/sizes.ts';
import { basics } from './basics.ts';
import { eventViolations, isDate, isTime } from './event.ts';
import { locationId } from './location-id.ts';
import { phoneNumberDoubts } from './phone-numbers.ts';

const TEXT = [utf16Units(1500)];
const TITLE = [utf16Units(58)];
const EVENT_TITLE = utf16Units(58);

const date = (description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(isDate, 'Must be an ISO 8601 date such as 2026-12-01'),
      v.description(description),
    ),
  );

const time = (description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.check(isTime, 'Must be a 24-hour time such as 09:30'),
      v.description(description),
    ),
  );

/** https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts */
export const rules: PlatformRules = {
  ...basics,
  post_types: { text: { max_files: 0 }, image: { max_files: 1 }, video: { max_files: 1 } },
  files: {
    image: {
      formats: ['JPG', 'PNG'],
      max_bytes: 25 * MB,
      min_bytes: 10 * KB,
      min_width: 250,
      min_height: 250,
    },
    video: { formats: ['MP4'], max_bytes: 25 * MB, max_seconds: 30 },
  },
  pictures: {
    formats: ['JPG', 'PNG'],
    max_bytes: 5_000_000,
    max_long_side: 10_000,
    alpha: 'white',
    animation: 'refused',
  },
  text: () => TEXT,
  title: () => TITLE,
  titled: ['text', 'image', 'video'],
  comment: null,
  text_fields: { gbp_event_title: EVENT_TITLE },
  shape: draft => shapeText(textSource(draft), draft, rules),
  options: {
    gbp_description: ownDescription('Google Business'),
    gbp_location_id: locationId(
      'Location to post to, such as 123, locations/123 or accounts/1/locations/123; default: the default location of the connection',
    ),
    gbp_topic_type: choiceOr(['STANDARD', 'EVENT', 'OFFER'], 'STANDARD', 'Type of the post'),
    gbp_cta_type: choice(
      ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'],
      'Button of the post; all except CALL need gbp_cta_url',
    ),
    gbp_cta_url: url('Page that the button opens'),
    gbp_event_title: limitedText(EVENT_TITLE, 'Title of an event or offer; default: title'),
    gbp_event_start_date: date('First day, in the time zone of the location'),
    gbp_event_end_date: date('Last day; default: the first day'),
    gbp_event_start_time: time('Start time at the location; default 00:00'),
    gbp_event_end_time: time('End time at the location; default 23:59'),
    gbp_coupon_code: limitedText(utf16Units(58), 'Coupon code of an offer'),
    gbp_terms: limitedText(utf16Units(5000), 'Terms of an offer'),
    gbp_redeem_url: url('Page where the offer is redeemed'),
    gbp_media_urls: ownMedia('Google Business'),
  },
  required: [],
  only_for: {},
  fetched: [],
  combinations: [
    'An `EVENT` requires a title (`gbp_event_title`, else `title`) and `gbp_event_start_date`; an `OFFER` requires the title.',
    'An event or offer does not end before it starts.',
    'Every button except `CALL` requires `gbp_cta_url`, and `gbp_cta_url` requires `gbp_cta_type`.',
    'A text or image post of topic `STANDARD` requires a text; for an image, `title` is used where there is no description.',
  ],
  validate: (draft, text) => [
    ...textViolations(draft, text),
    ...buttonViolations(draft),
    ...eventViolations(draft, titleOfEvent(draft)),
  ],
  ignored,
  doubts: phoneNumberDoubts,
  banned_hashtags: false,
};

/** Google requires a text: an image post without a description uses its title. */
function textSource({ post_type, title, description }: Draft): string | null {
  return post_type === 'image' && isBlank(description ?? '') ? title : description;
}

/** Returns the title of an event or offer; null where it has none. */
export function titleOfEvent({ options, title }: Pick<Draft, 'options' | 'title'>): string | null {
  const own = options['gbp_event_title'];
  return oneLine(typeof own === 'string' ? normalizeText(own) : null) ?? oneLine(title);
}

function textViolations({ post_type, options }: Draft, text: string): RuleViolation[] {
  const isRequired = post_type !== 'video' && options['gbp_topic_type'] === 'STANDARD';
  if (!isRequired || text !== '') return [];
  return [{ field: 'description', message: 'Is required for a Google Business post of topic STANDARD' }];
}

/** True for a video without a post: Google's posts take no videos, so it becomes an item of the gallery. */
export function isGalleryOnly({
  post_type,
  description,
  options,
}: Pick<Draft, 'post_type' | 'description' | 'options'>): boolean {
  return post_type === 'video' && isBlank(description ?? '') && options['gbp_topic_type'] === 'STANDARD';
}

function buttonViolations({ options }: Draft): RuleViolation[] {
  const { gbp_cta_type: type, gbp_cta_url: link } = options;
  if (type === undefined && link !== undefined) {
    return [{ field: 'gbp_cta_type', message: 'Is required when gbp_cta_url is set' }];
  }
  if (typeof type === 'string' && type !== 'CALL' && link === undefined) {
    return [{ field: 'gbp_cta_url', message: `Is required with gbp_cta_type ${type}` }];
  }
  return [];
}

const EVENT_FIELDS = [
  'gbp_event_title',
  'gbp_event_start_date',
  'gbp_event_end_date',
  'gbp_event_start_time',
  'gbp_event_end_time',
];
const OFFER_FIELDS = ['gbp_coupon_code', 'gbp_terms', 'gbp_redeem_url'];

function ignored(draft: Draft, sent: ReadonlySet<string>): IgnoredField[] {
  const { options } = draft;
  const topic = options['gbp_topic_type'];
  const unused = [
    ...(topic === 'STANDARD'
      ? EVENT_FIELDS.map(field => ({
          field,
          message: 'Is used with gbp_topic_type EVENT or OFFER only and was ignored',
        }))
      : []),
    ...(topic === 'OFFER'
      ? ['gbp_cta_type', 'gbp_cta_url'].map(field => ({
          field,
          message: 'Is not used with gbp_topic_type OFFER and was ignored; use gbp_redeem_url',
        }))
      : OFFER_FIELDS.map(field => ({
          field,
          message: 'Is used with gbp_topic_type OFFER only and was ignored',
        }))),
    ...(isGalleryOnly(draft)
      ? ['gbp_cta_type', 'gbp_cta_url'].map(field => ({
          field,
          message: 'Is not used with a video without a text, which goes to the gallery only, and was ignored',
        }))
      : []),
    ...(options['gbp_cta_type'] === 'CALL'
      ? [
          {
            field: 'gbp_cta_url',
            message: "Is not used with gbp_cta_type CALL, which dials the location's number, and was ignored",
          },
        ]
      : []),
  ];
  return unused.filter(({ field }) => sent.has(field));
}
