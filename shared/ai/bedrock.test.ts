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
const writerWith = (own: BedrockRuntimeClient) => bedrockWriter(own, 'amazon.nova-lite-v1:0');
const write = () => generate(writer, BRIEF, NONE);

describe('a model of Bedrock', () => {
  test('is asked once for all platforms, by a tool whose schema has them all', async () => {
    server.answer(converseAnswer(POSTS));
    expect(await write()).toEqual({
      instagram: { caption: 'Fresh coffee, fresh start.', hashtags: '#coffee #morning' },
      x: { caption: 'Coffee first.', hashtags: '#coffee' },
    });
    expect(server.asked).toHaveLength(1);
    const [{ method, path, headers, body }] = server.asked as [(typeof server.asked)[0]];
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
  ])('is asked again after %s', async (name, status) => {
    server.answer(bedrockError(status, name), bedrockError(status, name), converseAnswer(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.asked).toHaveLength(3);
  });

  test.each([
    ['AccessDeniedException', 403],
    ['ValidationException', 400],
    ['ResourceNotFoundException', 404],
  ])('is asked just once when it answers %s', async (name, status) => {
    server.answer(bedrockError(status, name));
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure', again: false });
    expect(server.asked).toHaveLength(1);
  });

  test('is asked no more after four throttled answers', async () => {
    server.answer(bedrockError(429, 'ThrottlingException'));
    await expect(write()).rejects.toThrow('ThrottlingException');
    expect(server.asked).toHaveLength(4);
  });

  test.each([
    ['broke off', converseAnswer({ instagram: { caption: 'Fresh' } }, 'max_tokens'), /broke off/],
    ['was filtered', converseText('', 'content_filtered'), /filtered/],
    ['was stopped by a guardrail', converseText('Sorry, no.', 'guardrail_intervened'), /guardrail/],
    ['refused in words', converseText('I cannot help with that.'), /no JSON/],
    ['forgot a platform', converseAnswer({ instagram: POSTS.instagram }), /shape/],
    [
      'called another tool',
      { body: { output: { message: { content: [] } }, stopReason: 'tool_use' } },
      /no JSON/,
    ],
  ])('that %s is asked once more, and told why', async (_, bad, why) => {
    server.answer(bad, converseAnswer(POSTS));
    expect(Object.keys(await write())).toEqual(['instagram', 'x']);
    expect(server.asked).toHaveLength(2);
    expect(server.asked[1]!.body.system[0].text).toMatch(why);
    server.answer(bad);
    await expect(write()).rejects.toMatchObject({ name: 'AiFailure' });
    expect(server.asked).toHaveLength(2);
  });

  test('may answer in words, when they hold the object', async () => {
    server.answer(converseText(`Here you are:\n\`\`\`json\n${JSON.stringify(POSTS)}\n\`\`\``));
    expect((await write()).x).toEqual({ caption: 'Coffee first.', hashtags: '#coffee' });
    expect(server.asked).toHaveLength(1);
  });

  test('that is too slow is given up', async () => {
    // What is given up may reach its server late: with a server of its own it comes into no other test.
    const slow = await aiServer();
    slow.answer({ silent: true });
    const own = clientOf(slow);
    await expect(generate(writerWith(own), BRIEF, NONE, 200)).rejects.toMatchObject({ again: false });
    own.destroy();
    await slow.close();
  });

  test.each(['before', 'within'] as const)('may lose its connection %s its answer', async cut => {
    server.answer({ ...converseAnswer(POSTS), cut }, converseAnswer(POSTS));
    const outcome = await write().catch((error: unknown) => error);
    // Which broken connections the SDK asks again after is its own affair.
    expect(outcome).toEqual(
      outcome instanceof Error
        ? expect.objectContaining({ name: 'AiFailure' })
        : expect.objectContaining({ x: expect.anything() }),
    );
  });
});
