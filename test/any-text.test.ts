import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { fakeQueues, fakeSchedules } from './support/queue-messages.ts';
import { DispatchMessageSchema, PublishMessageSchema } from '../shared/delivery/messages.ts';
import { deliveryHeaders, newSecret } from '../shared/events/signature.ts';
import { EventMessageSchema } from '../shared/events/messages.ts';
import { HousekeepingMessageSchema } from '../shared/housekeeping/messages.ts';
import { MediaMessageSchema } from '../shared/media/messages.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { describeError, log } from '../shared/runtime/log.ts';
import { asciiJson } from '../shared/aws/ascii-json.ts';
import { sendMessage } from '../shared/aws/queue.ts';
import { createSchedule } from '../shared/aws/schedule.ts';

/** Any text: astral characters, lone surrogates, noncharacters, controls, line separators. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map(units => String.fromCharCode(...units)),
  fc.constantFrom(
    'Zoë \u2028 🚀',
    '\ufffe\uffff',
    '\ud800',
    '\udc00 \ud83d',
    '\u0000\u007f\u0085',
    '"\\u0041',
  ),
);

const platform = fc.constantFrom(...PLATFORM_IDS);
const ids = { workspace_id: anyText, post_id: anyText };
/** Messages of every queue with any text in every field that may hold one. */
const messages = fc.oneof(
  fc.record({ ...ids, platform, version: fc.nat(), hops: fc.nat(), weight: fc.integer({ min: 1 }) }),
  fc.record(ids),
  fc.record({
    kind: fc.constant('events'),
    workspace_id: anyText,
    events: fc.array(
      fc.record({
        event: fc.constant('post.failed'),
        id: anyText,
        timestamp: anyText,
        data: fc.dictionary(anyText, fc.oneof(anyText, fc.record({ code: anyText, message: anyText }))),
      }),
      { maxLength: 2 },
    ),
  }),
  fc.record({ kind: fc.constant('delivery'), webhook_id: anyText, delivery_id: anyText }),
  fc.record({ kind: fc.constant('upload'), workspace_id: anyText, upload_id: anyText }),
  fc.record({ kind: fc.constant('copy'), ...ids, url_hash: anyText }),
  fc.record({ kind: fc.constant('erase-profile'), workspace_id: anyText, profile_id: anyText }),
  fc.record({ kind: fc.constant('probe-assets'), workspace_id: anyText, asset_ids: fc.array(anyText) }),
  fc.record({ kind: fc.constant('renew-account'), workspace_id: anyText, profile_id: anyText, platform }),
);
const schemas = [
  PublishMessageSchema,
  DispatchMessageSchema,
  EventMessageSchema,
  HousekeepingMessageSchema,
  MediaMessageSchema,
];

const target = { queueUrl: 'https://sqs.example/queue', group: 'group' };
/** What SQS accepts, and the emulators with it. */
const ASCII = /^[\u0020-\u007e]*$/;

describe('a queue message', () => {
  test('of every kind arrives unchanged as ASCII, whatever text it holds', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async body => {
        expect(schemas.some(schema => v.is(schema, body))).toBe(true);
        const { sqs, take } = fakeQueues();
        await sendMessage(sqs, { ...target, body });
        const [sent] = take();
        expect(sent!.text).toMatch(ASCII);
        expect(sent!.body).toEqual(body);
      }),
      { numRuns: 500 },
    );
  });

  test('of every kind is in the input of a schedule as ASCII, whatever text it holds', async () => {
    await fc.assert(
      fc.asyncProperty(messages, async body => {
        const { scheduler, take } = fakeSchedules(() => 0);
        await createSchedule(scheduler, {
          name: 'name',
          scheduleGroup: 'group',
          roleArn: 'arn:aws:iam::123456789012:role/r',
          at: 1_796_000_000_000,
          message: { ...target, body },
        });
        const [sent] = take();
        expect(sent!.text).toMatch(ASCII);
        expect(sent!.body).toEqual(body);
      }),
      { numRuns: 500 },
    );
  });
});

test('asciiJson escapes only what is not printable ASCII', () => {
  expect(asciiJson({ a: 'plain "text"', b: 'Zoë 🚀\uffff' })).toBe(
    '{"a":"plain \\"text\\"","b":"Zo\\u00eb \\ud83d\\ude80\\uffff"}',
  );
});

test('the headers of a webhook delivery are valid, whatever text its body holds', () => {
  fc.assert(
    fc.property(anyText, name => {
      const body = JSON.stringify({ profile_name: name });
      const secrets = { current: newSecret(), previous: newSecret() };
      const headers = deliveryHeaders({ body, event: 'post.failed', event_id: 'id' }, secrets, 1);
      for (const [header, value] of Object.entries(headers)) new Headers().set(header, value);
      for (const value of Object.values(headers)) expect(value).toMatch(ASCII);
    }),
  );
});

test('a log line is one line of JSON, whatever text an error holds', () => {
  const lines: string[] = [];
  const write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  const spies = [process.stdout, process.stderr].map(stream =>
    jest.spyOn(stream, 'write').mockImplementation(write),
  );
  try {
    fc.assert(
      fc.property(
        anyText.filter(text => text !== ''),
        text => {
          lines.length = 0;
          log.error('Attempt failed', { post_id: text, ...describeError(new Error(text)) });
          const [line] = lines;
          expect(lines).toHaveLength(1);
          expect(line!.trimEnd()).not.toContain('\n');
          expect(JSON.parse(line!)).toMatchObject({ post_id: text, error_message: text });
        },
      ),
    );
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
});
