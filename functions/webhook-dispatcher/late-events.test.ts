import { expect, test } from '@jest/globals';
import type { SQSRecord } from 'aws-lambda';
import { MINUTE } from '../../shared/time/instant.ts';
import { lateEvents } from './late-events.ts';

const NOW = 1_800_000_000_000;

test.each([
  ['new events that waited for six minutes', 'events', 6, 1, 1],
  ['new events that waited for four', 'events', 4, 1, 0],
  ['events whose first delivery failed', 'events', 60, 2, 0],
  ['a delivery, which waits as planned', 'delivery', 15, 1, 0],
])('counts %s: %#', (_, kind, minutes, receives, expected) => {
  const attributes = {
    SentTimestamp: `${NOW - minutes * MINUTE}`,
    ApproximateReceiveCount: `${receives}`,
  } as SQSRecord['attributes'];
  expect(lateEvents([{ body: JSON.stringify({ kind }), attributes }], NOW)).toBe(expected);
});
