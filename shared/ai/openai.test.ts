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
/** A new writer: each remembers which formats its server supports. */
const writerWith = (key: string | null, { url } = server) =>
  openAiWriter(http.send, { base_url: `${url}/v1/`, model: 'gpt-test' }, () => Promise.resolve(key));
beforeEach(() => {
  writer = writerWith(KEY);
});

const write = (timeoutMs?: number) => generate(writer, BRIEF, NONE, timeoutMs);
const formats = () => server.requests.map(({ body }) => body.response_format?.type);

describe('the OpenAI writer', () => {
  test('sends one request for all platforms with a strict schema', async () => {
    server.respondWith(completion(POSTS));
    expect(await write()).toEqual({
      instagram: { caption: 'Fresh coffee, fresh start.', hashtags: '#coffee #morning' },
      x: { caption: 'Coffee first.', hashtags: '#coffee' },
    });
    expect(server.requests).toHaveLength(1);
    const { method, path, headers, body } = server.requests[0]!;
    expect([method, path]).toEqual(['POST', '/v1/chat/completions']);
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(body.model).toBe('gpt-test');
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    expect(body.response_format.json_schema).toMatchObject({
      strict: true,
      schema: { required: ['instagram', 'x'], additionalProperties: false },
    });
  });

  test('sends no authorization without a key', async () => {
    writer = writerWith(null);
    server.respondWith(completion(POSTS));
    await write();
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
  });

  test('falls back to JSON without a schema and remembers that', async () => {
    const refusal = openAiError(400, null, "Invalid parameter: 'response_format' of type 'json_schema'");
    server.respondWith(refusal, completion(POSTS));
    await write();
    expect(formats()).toEqual(['json_schema', 'json_object']);
    expect(server.requests[1]!.body.messages[0].content).toContain('"required":["instagram","x"]');
    server.respondWith(completion(POSTS));
    await write();
    expect(formats()).toEqual(['json_object']);
  });

  test('falls back once for concurrent requests', async () => {
    const refusal = openAiError(400, null, "Invalid parameter: 'response_format' of type 'json_schema'");
    server.respondWith(refusal, refusal, completion(POSTS));
    await Promise.all([write(), write()]);
    expect(formats()).toEqual(['json_schema', 'json_schema', 'json_object', 'json_object']);
  });

  test('falls back to plain text when the server supports no formats', async () => {
    server.respondWith(
      openAiError(422, null, 'Unknown', 'response_format'),
      openAiError(400, 'unknown_parameter', 'response_format is not supported'),
      completion(`Sure!\n${JSON.stringify(POSTS)}`),
    );
    expect((await write()).x?.caption).toBe('Coffee first.');
    expect(formats()).toEqual(['json_schema', 'json_object', undefined]);
  });

  test.each([429, 500, 502, 503, 504])('retries after %i', async status => {
    server.respondWith(openAiError(status, 'rate_limit_exceeded'), completion(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.requests).toHaveLength(2);
  });

  test('does not retry when Retry-After is beyond the timeout', async () => {
    server.respondWith(openAiError(429, 'rate_limit_exceeded', 'Slow down', null, { 'retry-after': '60' }));
    await expect(write()).rejects.toThrow('429');
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [401, 'invalid_api_key'],
    [403, 'unsupported_country'],
    [404, 'model_not_found'],
    [400, 'context_length_exceeded'],
    [429, 'insufficient_quota'],
  ])('does not retry after %i %s', async (status, code) => {
    server.respondWith(openAiError(status, code));
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['is cut off', completion('{"instagram":{"caption":"Fre', 'length'), /cut off/],
    ['is filtered', completion('', 'content_filter'), /filtered/],
    ['is a refusal', completion(null, 'stop', 'I cannot help with that.'), /refused/],
    ['is not JSON', completion('Fresh coffee!'), /not JSON/],
    ['lacks a platform', completion({ x: POSTS.x }), /schema/],
    ['is not a completion', { body: { choices: [] } }, /not a chat completion/],
    ['is an HTML page', { body: '<html>Bad gateway</html>' }, /not a chat completion/],
  ])('retries once with the reason when the output %s', async (_, bad, reason) => {
    server.respondWith(bad, completion(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.requests[1]!.body.messages[0].content).toMatch(reason);
    server.respondWith(bad);
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure' });
    expect(server.requests).toHaveLength(2);
  });

  test('stops reading a response over the size limit', async () => {
    server.respondWith(completion('x'.repeat(2_000_000)));
    await expect(write()).rejects.toThrow('too large');
  });

  test('fails when the server does not answer in time', async () => {
    // An aborted request may arrive late: a server of its own keeps it out of other tests.
    const slow = await aiServer();
    slow.respondWith({ silent: true });
    writer = writerWith(KEY, slow);
    await expect(write(200)).rejects.toThrow('timed out');
    await slow.close();
  });

  test.each(['before', 'within'] as const)('retries when the connection ends %s the answer', async cut => {
    server.respondWith({ ...completion(POSTS), cut }, completion(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.requests).toHaveLength(2);
  });

  test('does not connect to a private network', async () => {
    const guarded = createHttpClient({ sandboxUrl: null, allowLoopback: false });
    const settings = { base_url: 'http://169.254.169.254/v1', model: 'm' };
    const blocked = openAiWriter(guarded.send, settings, () => Promise.resolve(KEY));
    await expect(generate(blocked, BRIEF, NONE)).rejects.toThrow('address of the provider is not allowed');
  });
});
