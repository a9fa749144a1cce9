import { Temporal } from 'temporal-polyfill';
import * as v from 'valibot';
import { badRequest, invalid } from './errors.ts';

const text = v.optional(v.string(), '');
const number = v.optional(v.number(), 0);
const DateSchema = v.strictObject({ year: number, month: number, day: number });
const TimeSchema = v.strictObject({ hours: number, minutes: number, seconds: number, nanos: number });

const LocalPostSchema = v.strictObject({
  languageCode: text,
  summary: text,
  topicType: text,
  callToAction: v.optional(v.strictObject({ actionType: text, url: text })),
  event: v.optional(
    v.strictObject({
      title: text,
      schedule: v.optional(
        v.strictObject({
          startDate: v.optional(DateSchema),
          startTime: v.optional(TimeSchema),
          endDate: v.optional(DateSchema),
          endTime: v.optional(TimeSchema),
        }),
      ),
    }),
  ),
  offer: v.optional(v.strictObject({ couponCode: text, redeemOnlineUrl: text, termsConditions: text })),
  media: v.optional(v.array(v.strictObject({ mediaFormat: text, sourceUrl: text })), []),
});
export type LocalPost = v.InferOutput<typeof LocalPostSchema>;

const MAX_SUMMARY = 1500;
const MAX_EVENT_TITLE = 58;
const ACTIONS = ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'];

/** Reads a post. Ends the request where Google does not accept it. */
export function readLocalPost(body: unknown): LocalPost {
  const parsed = v.safeParse(LocalPostSchema, body);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return badRequest(v.getDotPath(issue) ?? 'local_post', `Invalid JSON payload received. ${issue.message}`);
  }
  const post = parsed.output;
  checkTopic(post);
  checkEvent(post);
  checkButton(post);
  checkMedia(post);
  return post;
}

const missing = (field: string) => invalid({ code: 2, field, message: `${field} is required` });

function checkTopic({ topicType, summary, languageCode, offer }: LocalPost): void {
  if (topicType === '') {
    invalid({ code: 2, field: 'topic_type', message: 'Topic type is required for post creation.' });
  }
  if (!['STANDARD', 'EVENT', 'OFFER'].includes(topicType)) {
    invalid({ code: 3, field: 'topic_type', message: 'Topic type is not supported.' });
  }
  if (topicType === 'STANDARD' && summary === '') missing('summary');
  if (summary.length > MAX_SUMMARY) {
    invalid({ code: 4, field: 'summary', message: `Summary has more than ${MAX_SUMMARY} characters.` });
  }
  if (languageCode === '') missing('language_code');
  if (offer && topicType !== 'OFFER') {
    invalid({ code: 3, field: 'offer', message: 'Offer is only allowed for the topic type OFFER.' });
  }
}

function checkEvent({ topicType, event }: LocalPost): void {
  if (topicType === 'STANDARD') {
    if (event)
      invalid({ code: 3, field: 'event', message: 'Event is not allowed for the topic type STANDARD.' });
    return;
  }
  if (!event) return missing('event');
  if (event.title === '') missing('event.title');
  if (event.title.length > MAX_EVENT_TITLE) {
    invalid({ code: 4, field: 'event.title', message: `Title has more than ${MAX_EVENT_TITLE} characters.` });
  }
  const { startDate, startTime, endDate, endTime } = event.schedule ?? {};
  if (!startDate || !endDate) return missing('event.schedule');
  const start = momentOf(startDate, startTime);
  const end = momentOf(endDate, endTime);
  if (!start || !end) {
    return invalid({ code: 3, field: 'event.schedule', message: 'Date or time is not valid.' });
  }
  if (Temporal.PlainDateTime.compare(end, start) < 0) {
    invalid({ code: 3, field: 'event.schedule', message: 'End must not be before start.' });
  }
}

function momentOf(
  date: v.InferOutput<typeof DateSchema>,
  time: v.InferOutput<typeof TimeSchema> | undefined,
): Temporal.PlainDateTime | null {
  const { hours: hour = 0, minutes: minute = 0, seconds: second = 0 } = time ?? {};
  try {
    return Temporal.PlainDateTime.from({ ...date, hour, minute, second }, { overflow: 'reject' });
  } catch {
    return null;
  }
}

/** The button of an offer is ignored. */
function checkButton({ topicType, callToAction }: LocalPost): void {
  if (!callToAction || topicType === 'OFFER') return;
  const { actionType, url } = callToAction;
  if (!ACTIONS.includes(actionType)) {
    invalid({ code: 3, field: 'call_to_action.action_type', message: 'Action type is not supported.' });
  }
  if (actionType === 'CALL' && url !== '') {
    invalid({
      code: 3,
      field: 'call_to_action.url',
      message: 'Url is not allowed for the action type CALL.',
    });
  }
  if (actionType !== 'CALL' && !/^https?:\/\//.test(url)) missing('call_to_action.url');
}

function checkMedia({ media }: LocalPost): void {
  if (media.length > 1) {
    invalid({ code: 3, field: 'media', message: 'Only one media item is allowed.' });
  }
  for (const { mediaFormat, sourceUrl } of media) {
    if (mediaFormat === 'VIDEO') {
      invalid({ code: 3, field: 'media', message: 'Video uploaded from post is not currently supported.' });
    }
    if (mediaFormat !== 'PHOTO') missing('media.media_format');
    if (sourceUrl === '') missing('media.source_url');
  }
}
