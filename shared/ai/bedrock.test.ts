import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import {
  aiServer,
  bedrockError,
  converseAnswer,
  converseText,
  POSTS,
  type AiServer,
} from '../../test/support/ai-server.ts';
import { bedrockClient, bedrockWriter } from './bedrock.ts';
import { readBrief } from './brief.ts';
import { generate } from './generate.ts';
import type { Writer } from './writer.ts';

const BRIEF = readBrief({ type: 'caption', topic: 'Coffee', platforms: ['instagram', 'x'] });
const NONE: ReadonlySet<string> = new Set();

let server: AiServer;
let client: BedrockRuntimeClient;
let writer: Writer;
beforeAll(async () => {
  server = await aiServer();
  client = clientOf(server);
  writer = writerWith(client);
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

const clientOf = ({ url }: AiServer) =>
  bedrockClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
const writerWith = (bedrock: BedrockRuntimeClient) => bedrockWriter(bedrock, 'amazon.nova-lite-v1:0');
const write = () => generate(writer, BRIEF, NONE);

describe('the Bedrock writer', () => {
  test('sends one request for all platforms, with a tool whose schema has them all', async () => {
    server.respondWith(converseAnswer(POSTS));
    expect(await write()).toEqual({
      instagram: { caption: 'Fresh coffee, fresh start.', hashtags: '#coffee #morning' },
      x: { caption: 'Coffee first.', hashtags: '#coffee' },
    });
    expect(server.requests).toHaveLength(1);
    const [{ method, path, headers, body }] = server.requests as [(typeof server.requests)[0]];
    expect([method, path]).toEqual(['POST', '/model/amazon.nova-lite-v1%3A0/converse']);
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 .*\/us-east-1\/bedrock\/aws4_request/);
    expect(body.toolConfig.toolChoice).toEqual({ tool: { name: 'deliver_posts' } });
    expect(body.toolConfig.tools[0].toolSpec.inputSchema.json).toMatchObject({
      type: 'object',
      required: ['instagram', 'x'],
      additionalProperties: false,
    });
    expect(body.inferenceConfig.maxTokens).toBeGreaterThan(1000);
  });

  test.each([
    ['ThrottlingException', 429],
    ['ModelNotReadyException', 429],
    ['ServiceUnavailableException', 503],
    ['InternalServerException', 500],
  ])('retries after %s', async (name, status) => {
    server.respondWith(bedrockError(status, name), bedrockError(status, name), converseAnswer(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ['AccessDeniedException', 403],
    ['ValidationException', 400],
    ['ResourceNotFoundException', 404],
  ])('does not retry after %s', async (name, status) => {
    server.respondWith(bedrockError(status, name));
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test('gives up after four throttled requests', async () => {
    server.respondWith(bedrockError(429, 'ThrottlingException'));
    await expect(write()).rejects.toThrow('ThrottlingException');
    expect(server.requests).toHaveLength(4);
  });

  test.each([
    ['is cut off', converseAnswer({ instagram: { caption: 'Fresh' } }, 'max_tokens'), /cut off/],
    ['is filtered', converseText('', 'content_filtered'), /filtered/],
    ['is stopped by a guardrail', converseText('Sorry, no.', 'guardrail_intervened'), /guardrail/],
    ['is a refusal in words', converseText('I cannot help with that.'), /not JSON/],
    ['lacks a platform', converseAnswer({ instagram: POSTS.instagram }), /schema/],
    [
      'calls another tool',
      { body: { output: { message: { content: [] } }, stopReason: 'tool_use' } },
      /not JSON/,
    ],
  ])('retries once with the reason when the output %s', async (_, bad, reason) => {
    server.respondWith(bad, converseAnswer(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]!.body.system[0].text).toMatch(reason);
    server.respondWith(bad);
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure' });
    expect(server.requests).toHaveLength(2);
  });

  test('accepts JSON embedded in text', async () => {
    server.respondWith(converseText(`Here you are:\n\`\`\`json\n${JSON.stringify(POSTS)}\n\`\`\``));
    expect((await write()).x).toEqual({ caption: 'Coffee first.', hashtags: '#coffee' });
    expect(server.requests).toHaveLength(1);
  });

  test('fails when the model does not answer in time', async () => {
    // An aborted request may arrive late: a server of its own keeps it out of other tests.
    const slow = await aiServer();
    slow.respondWith({ silent: true });
    const slowClient = clientOf(slow);
    await expect(generate(writerWith(slowClient), BRIEF, NONE, 200)).rejects.toMatchObject({
      retryable: false,
    });
    slowClient.destroy();
    await slow.close();
  });

  test.each(['before', 'within'] as const)(
    'fails with AiFailure or succeeds when the connection ends %s the answer',
    async cut => {
      server.respondWith({ ...converseAnswer(POSTS), cut }, converseAnswer(POSTS));
      const outcome = await write().catch((error: unknown) => error);
      // The SDK decides which lost connections it retries.
      expect(outcome).toEqual(
        outcome instanceof Error
          ? expect.objectContaining({ name: 'AiFailure' })
          : expect.objectContaining({ x: expect.anything() }),
      );
    },
  );
});
