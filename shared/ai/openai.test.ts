import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { aiServer, completion, openAiError, POSTS, type AiServer } from '../../test/support/ai-server.ts';
import { createHttpClient, type HttpClient } from '../net/http.ts';
import { readBrief } from './brief.ts';
import { generate } from './generate.ts';
import { openAiWriter } from './openai.ts';
import type { Writer } from './writer.ts';

const BRIEF = readBrief({ type: 'caption', topic: 'Coffee', platforms: ['instagram', 'x'] });
const KEY = 'sk-test-0123456789';
const NONE: ReadonlySet<string> = new Set();

let server: AiServer;
let http: HttpClient;
let writer: Writer;
beforeAll(async () => {
  server = await aiServer();
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
});
afterAll(async () => {
  http.close();
  await server.close();
});
/** It remembers which formats its server knows. */
const writerWith = (key: string | null, { url } = server) =>
  openAiWriter(http.send, { base_url: `${url}/v1/`, model: 'gpt-test' }, () => Promise.resolve(key));
beforeEach(() => {
  writer = writerWith(KEY);
});

const write = (patienceMs?: number) => generate(writer, BRIEF, NONE, patienceMs);
const formats = () => server.asked.map(({ body }) => body.response_format?.type);

describe('a server with chat completions', () => {
  test('is asked once for all platforms, held to a strict schema', async () => {
    server.answer(completion(POSTS));
    expect(await write()).toEqual({
      instagram: { caption: 'Fresh coffee, fresh start.', hashtags: '#coffee #morning' },
      x: { caption: 'Coffee first.', hashtags: '#coffee' },
    });
    expect(server.asked).toHaveLength(1);
    const { method, path, headers, body } = server.asked[0]!;
    expect([method, path]).toEqual(['POST', '/v1/chat/completions']);
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body.model).toBe('gpt-test');
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    expect(body.response_format.json_schema).toMatchObject({
      strict: true,
      schema: { required: ['instagram', 'x'], additionalProperties: false },
    });
  });

  test('needs no key where none is set', async () => {
    writer = writerWith(null);
    server.answer(completion(POSTS));
    await write();
    expect(server.asked[0]!.headers).not.toHaveProperty('authorization');
  });

  test('that knows no schemas is asked for JSON, and that is remembered', async () => {
    const refusal = openAiError(400, null, "Invalid parameter: 'response_format' of type 'json_schema'");
    server.answer(refusal, completion(POSTS));
    await write();
    expect(formats()).toEqual(['json_schema', 'json_object']);
    expect(server.asked[1]!.body.messages[0].content).toContain('"required":["instagram","x"]');
    server.answer(completion(POSTS));
    await write();
    expect(formats()).toEqual(['json_object']);
  });

  test('that knows no formats at all is asked in words', async () => {
    server.answer(
      openAiError(422, null, 'Unknown', 'response_format'),
      openAiError(400, 'unknown_parameter', 'response_format is not supported'),
      completion(`Sure!\n${JSON.stringify(POSTS)}`),
    );
    expect((await write()).x?.caption).toBe('Coffee first.');
    expect(formats()).toEqual(['json_schema', 'json_object', undefined]);
  });

  test.each([429, 500, 502, 503, 504])('is asked again after %i', async status => {
    server.answer(openAiError(status, 'rate_limit_exceeded'), completion(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.asked).toHaveLength(2);
  });

  test('is asked no more when its Retry-After is beyond the patience', async () => {
    server.answer(openAiError(429, 'rate_limit_exceeded', 'Slow down', null, { 'retry-after': '60' }));
    await expect(write()).rejects.toThrow('429');
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    [401, 'invalid_api_key'],
    [403, 'unsupported_country'],
    [404, 'model_not_found'],
    [400, 'context_length_exceeded'],
    [429, 'insufficient_quota'],
  ])('is asked just once when it answers %i %s', async (status, code) => {
    server.answer(openAiError(status, code));
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure', again: false });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['broke off', completion('{"instagram":{"caption":"Fre', 'length'), /broke off/],
    ['was filtered', completion('', 'content_filter'), /filtered/],
    ['refused', completion(null, 'stop', 'I cannot help with that.'), /refused/],
    ['is no JSON', completion('Fresh coffee!'), /no JSON/],
    ['forgot a platform', completion({ x: POSTS.x }), /shape/],
    ['is no completion', { body: { choices: [] } }, /no completion/],
    ['is a page', { body: '<html>Bad gateway</html>' }, /no completion/],
  ])('whose answer %s is asked once more, and told why', async (_, bad, why) => {
    server.answer(bad, completion(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.asked[1]!.body.messages[0].content).toMatch(why);
    server.answer(bad);
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure' });
    expect(server.asked).toHaveLength(2);
  });

  test('whose answer is beyond all measure is not read to its end', async () => {
    server.answer(completion('x'.repeat(2_000_000)));
    await expect(write()).rejects.toThrow('too large');
  });

  test('that is too slow is given up', async () => {
    // What is given up may reach its server late: with a server of its own it comes into no other test.
    const slow = await aiServer();
    slow.answer({ silent: true });
    writer = writerWith(KEY, slow);
    await expect(write(200)).rejects.toThrow('took too long');
    await slow.close();
  });

  test.each(['before', 'within'] as const)(
    'whose connection ends %s its answer is asked again',
    async cut => {
      server.answer({ ...completion(POSTS), cut }, completion(POSTS));
      expect(Object.keys(await write())).toEqual(['instagram', 'x']);
      expect(server.asked).toHaveLength(2);
    },
  );

  test('must not be on a private network', async () => {
    const inside = createHttpClient({ sandboxUrl: null, allowLoopback: false });
    const settings = { base_url: 'http://169.254.169.254/v1', model: 'm' };
    const blocked = openAiWriter(inside.send, settings, () => Promise.resolve(KEY));
    await expect(generate(blocked, BRIEF, NONE)).rejects.toThrow('address is refused');
  });
});
