import { Temporal } from 'temporal-polyfill';
import type { JsonObject } from '../../model/json.ts';
import { toIso } from '../../time/instant.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { eventTimes, type EventTimes } from './event.ts';
import { titleOfEvent } from './rules.ts';
import { textOption } from './state.ts';

/* The bodies of requests: a post of a location, an item of its gallery. */

/** `media_url`: a picture; a post takes no videos. */
export function localPostOf(
  job: PublishJob,
  { language, media_url }: { language: string; media_url: string | null },
): JsonObject {
  const topic = topicOf(job);
  return {
    languageCode: language,
    topicType: topic,
    ...(job.text === '' ? {} : { summary: job.text }),
    ...(topic === 'STANDARD' ? {} : { event: eventOf(job) }),
    ...(topic === 'OFFER' ? { offer: offerOf(job) } : buttonOf(job)),
    ...(media_url === null ? {} : { media: [{ mediaFormat: 'PHOTO', sourceUrl: media_url }] }),
  };
}

export const topicOf = (job: PublishJob): string => textOption(job, 'gbp_topic_type') ?? 'STANDARD';

export function galleryItemOf({ title }: PublishJob, media_url: string): JsonObject {
  return {
    mediaFormat: 'VIDEO',
    locationAssociation: { category: 'ADDITIONAL' },
    sourceUrl: media_url,
    ...(title === null || title === '' ? {} : { description: title }),
  };
}

/** Returns the times of an event or offer; null for other posts. The same in every attempt. */
export function timesOf(job: PublishJob): EventTimes | null {
  if (topicOf(job) === 'STANDARD') return null;
  return eventTimes(job.options, toIso(job.due_at).slice(0, 10));
}

/** Google demands all four members of the schedule. */
function eventOf(job: PublishJob): JsonObject {
  const times = timesOf(job);
  return {
    title: titleOfEvent(job),
    ...(times && {
      schedule: {
        startDate: dateOf(times.start),
        startTime: timeOf(times.start),
        endDate: dateOf(times.end),
        endTime: timeOf(times.end),
      },
    }),
  };
}

function dateOf(time: string) {
  const { year, month, day } = Temporal.PlainDate.from(time);
  return { year, month, day };
}

function timeOf(time: string) {
  const { hour, minute } = Temporal.PlainTime.from(time);
  return { hours: hour, minutes: minute, seconds: 0, nanos: 0 };
}

function offerOf(job: PublishJob): JsonObject {
  const values = {
    couponCode: textOption(job, 'gbp_coupon_code'),
    redeemOnlineUrl: textOption(job, 'gbp_redeem_url'),
    termsConditions: textOption(job, 'gbp_terms'),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

/** CALL dials the number of the location: a URL is refused. */
function buttonOf(job: PublishJob): JsonObject {
  const actionType = textOption(job, 'gbp_cta_type');
  if (actionType === null) return {};
  const url = actionType === 'CALL' ? null : textOption(job, 'gbp_cta_url');
  return { callToAction: { actionType, ...(url === null ? {} : { url }) } };
}
