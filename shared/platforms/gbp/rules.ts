import * as v from 'valibot';
import { utf16Units } from '../../text/measure.ts';
import { isBlank, normalizeText } from '../../text/normalize.ts';
import { oneLine, shapeText } from '../kit/draft.ts';
import { choice, choiceOr, limited, ownMedia, url, word } from '../kit/fields.ts';
import type { Draft, Fault, PlatformRules } from '../contract/rules.ts';
import { KB, MB } from '../kit/sizes.ts';
import { eventFaults, isDate, isTime } from './event.ts';

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
      v.check(isTime, 'Must be a time of 24 hours such as 09:30'),
      v.description(description),
    ),
  );

/** https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts */
export const rules: PlatformRules = {
  platform: 'gbp',
  display_name: 'Google Business',
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
  shape: draft => shapeText(spoken(draft), draft, rules),
  options: {
    gbp_location_id: word('Location to post to, where the account has several'),
    gbp_topic_type: choiceOr(['STANDARD', 'EVENT', 'OFFER'], 'STANDARD', 'Kind of the post'),
    gbp_cta_type: choice(
      ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'],
      'Button of the post; all but CALL need gbp_cta_url',
    ),
    gbp_cta_url: url('Page that the button opens'),
    gbp_event_title: limited(EVENT_TITLE, 'Title of an event or offer; default: title'),
    gbp_event_start_date: date('First day, as it is called at the location'),
    gbp_event_end_date: date('Last day; default: the first'),
    gbp_event_start_time: time('Local time of the location; default 00:00'),
    gbp_event_end_time: time('Local time of the location; default 23:59'),
    gbp_coupon_code: limited(utf16Units(58), 'Code of an offer'),
    gbp_terms: limited(utf16Units(5000), 'Terms of an offer'),
    gbp_redeem_url: url('Page where an offer is redeemed'),
    gbp_media_urls: ownMedia('Google Business'),
  },
  required: [],
  only_for: {},
  fetched: [],
  combinations: [
    '`EVENT` needs a title (`gbp_event_title`, else `title`) and `gbp_event_start_date`; `OFFER` needs the title.',
    'Nothing ends before it starts.',
    'Each button but `CALL` needs `gbp_cta_url`, and `gbp_cta_url` needs `gbp_cta_type`.',
    'A text or image post of topic `STANDARD` needs a text; an image without one says its title.',
  ],
  check: draft => [...textFaults(draft), ...buttonFaults(draft), ...eventFaults(draft, titleOfEvent(draft))],
  unused,
  daily_cap: 25,
  settle_ms: 60_000,
  worker: { timeout_s: 60, request_s: 30, memory_mb: 1024, max_concurrency: 5 },
};

/** A picture without a description says its title: Google wants a text. */
function spoken({ post_type, title, description }: Draft): string | null {
  return post_type === 'image' && isBlank(description ?? '') ? title : description;
}

/** What an event or offer is called; null where nothing names it. */
export function titleOfEvent({ options, title }: Pick<Draft, 'options' | 'title'>): string | null {
  const own = options['gbp_event_title'];
  return oneLine(typeof own === 'string' ? normalizeText(own) : null) ?? oneLine(title);
}

function textFaults(draft: Draft): Fault[] {
  const speaks = draft.post_type !== 'video' && draft.options['gbp_topic_type'] === 'STANDARD';
  if (!speaks || rules.shape(draft) !== '') return [];
  return [{ field: 'description', message: 'A Google Business post needs a text' }];
}

function buttonFaults({ options }: Draft): Fault[] {
  const { gbp_cta_type: type, gbp_cta_url: link } = options;
  if (type === undefined && link !== undefined) {
    return [{ field: 'gbp_cta_type', message: 'Is required beside gbp_cta_url' }];
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

function unused({ options }: Draft, sent: ReadonlySet<string>): Fault[] {
  const topic = options['gbp_topic_type'];
  const lost = [
    ...(topic === 'STANDARD'
      ? EVENT_FIELDS.map(field => ({ field, message: 'Says something about an EVENT or OFFER only' }))
      : []),
    ...(topic === 'OFFER'
      ? ['gbp_cta_type', 'gbp_cta_url'].map(field => ({
          field,
          message: 'An OFFER has its own button: gbp_redeem_url',
        }))
      : OFFER_FIELDS.map(field => ({ field, message: 'Says something about an OFFER only' }))),
    ...(options['gbp_cta_type'] === 'CALL'
      ? [{ field: 'gbp_cta_url', message: "CALL dials the location's own number" }]
      : []),
  ];
  return lost.filter(({ field }) => sent.has(field));
}
