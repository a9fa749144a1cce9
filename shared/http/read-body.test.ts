import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { servedApi, type ServedApi } from '../../test/support/served-api.ts';
import { route } from './define-route.ts';

const echo = route({
  method: 'POST',
  path: '/echo',
  operation_id: 'runTest1',
  summary: 'Echo',
  tag: 'Things',
  auth: 'key',
  body: { text: v.string() },
  responses: { 200: { description: 'The text', schema: v.object({ text: v.string() }) } },
  handler: ({ body }) => Promise.resolve({ status: 200 as const, body: { text: body.text } }),
});

let api: ServedApi;
beforeAll(async () => {
  api = await servedApi([echo], { documented: false });
});
afterAll(() => api.close());

const send = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
  const answer = await api.call('POST', '/echo', body, headers);
  return [answer.status, answer.body.text ?? answer.body.code ?? answer.body.error] as unknown[];
};
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf8 = (text: string) => Buffer.from(text, 'utf8');

/** The beginning of a character of several bytes. */
const truncatedCharacter = fc
  .tuple(fc.constantFrom('é', '€', '💒'), fc.integer({ min: 1, max: 3 }))
  .map(([character, length]) => utf8(character).subarray(0, Math.min(length, utf8(character).length - 1)));

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Sends bytes as the gateway passes on a JSON body: as text, with invalid bytes replaced. */
const sendThroughGateway = (bytes: Buffer) =>
  send(bytes.toString('utf8'), { 'content-length': String(bytes.byteLength) });

describe('a JSON body', () => {
  test.each([
    '{"text":"caf\xe9"}',
    '{"text":"\xff\xfe"}',
    '{"text":"\xc3"}',
    '{"text":"\xe2\x82"}',
    // Three bytes, which the gateway replaces by a character of three bytes.
    '{"text":"\xf0\x9f\x92"}',
    '{"text":"\xed\xa0\x80"}',
    '\xe9',
  ])('that is not UTF-8 answers 400 and is never changed: %j', async text => {
    expect(await send(latin1(text))).toEqual([400, 'INVALID_UTF8']);
    expect(await sendThroughGateway(latin1(text))).toEqual([400, 'INVALID_UTF8']);
  });

  test('that is malformed UTF-8 is refused, any other is not', async () => {
    const bytes = fc.uint8Array({ maxLength: 8 }).map(chosen => Buffer.from(chosen));
    const piece = fc.oneof(bytes, fc.string({ unit: 'binary', maxLength: 3 }).map(utf8), truncatedCharacter);
    await fc.assert(
      fc.asyncProperty(piece, async middle => {
        const body = Buffer.concat([Buffer.from('{"text":"'), middle, Buffer.from('"}')]);
        const expected = isUtf8(body) ? expect.not.stringMatching('INVALID_UTF8') : 'INVALID_UTF8';
        expect((await send(body))[1]).toEqual(expected);
        if (!isUtf8(body)) expect((await sendThroughGateway(body))[1]).toBe('INVALID_UTF8');
      }),
    );
  });

  test('can contain U+FFFD as an escape sequence only', async () => {
    expect(await sendThroughGateway(utf8('{"text":"\\ufffd"}'))).toEqual([200, '\ufffd']);
    expect(await sendThroughGateway(utf8('{"text":"\ufffd"}'))).toEqual([400, 'INVALID_UTF8']);
  });

  test.each(['café', '🚀', ''])('in UTF-8 arrives as it was sent: %j', async text => {
    const bytes = Buffer.from(JSON.stringify({ text }));
    expect(await send(bytes)).toEqual([200, text]);
    expect(await sendThroughGateway(bytes)).toEqual([200, text]);
  });

  test.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['application/vnd.acme+json; charset=utf-8', 200],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset=utf-16', 415],
    ['text/json', 415],
  ])('of type %s answers %i', async (type, status) => {
    expect((await send('{"text":"x"}', { 'content-type': type }))[0]).toBe(status);
  });

  test.each([
    '{',
    '{"text":"x",}',
    "{'text':'x'}",
    'text',
    '\ufeff{"text":"x"}',
    '{"text":"x"} {}',
    '{"text":NaN}',
  ])('that is malformed answers 400 with one message, however it is sent: %s', async text => {
    for (const body of [text, Buffer.from(text)]) {
      expect(await send(body)).toEqual([400, 'Malformed JSON body']);
    }
  });
});

test('every response forbids caching and content sniffing', async () => {
  const answers = [
    await api.call('POST', '/echo', { text: 'x' }),
    await api.call('POST', '/echo', {}),
    await api.call('POST', '/echo', {}, { authorization: 'none' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  }
});
