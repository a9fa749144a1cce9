import type { SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { parseJson } from '../../shared/model/json.ts';
import { MINUTE } from '../../shared/time/instant.ts';

/** How long events may wait in their queue. */
const LATE_MS = 5 * MINUTE;

const NewEventsSchema = v.object({ kind: v.literal('events') });

/**
 * Returns how many of these messages with new events have waited too long. Deliveries wait for their receivers, and what is
 * received again has failed before, which makes it a dead letter in the end.
 */
export function lateEvents(records: readonly Pick<SQSRecord, 'attributes' | 'body'>[], now: number): number {
  return records.filter(
    ({ attributes: { SentTimestamp, ApproximateReceiveCount }, body }) =>
      Number(ApproximateReceiveCount) === 1 &&
      now - Number(SentTimestamp) > LATE_MS &&
      v.is(NewEventsSchema, parseJson(body)),
  ).length;
}
