import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeStack } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/** AI generation through the whole local stack: gateway, function, table and the configured provider. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const FIVE = ['instagram', 'x', 'youtube', 'threads', 'bluesky'];

const bedrockCalls = async (stack: TestStack): Promise<Json[]> => {
  const { body } = await stack.local('GET', '/_local/calls');
  return body.calls.filter(({ service }: Json) => service === 'bedrock');
};
const usage = async (stack: TestStack) => (await stack.api('GET', '/workspace')).body.usage.ai_requests;

describe('the offline writer', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await sharedStack(['x', 'bluesky', 'threads']);
  }, START_MS);
  afterAll(() => closeStack(stack), TEST_MS);

  test(
    'writes texts that pass validation and counts the request',
    async () => {
      const body = { type: 'caption', topic: 'Our new espresso', platforms: FIVE };
      const answer = await stack.api('POST', '/ai/generate', body);
      expect([answer.status, answer.headers.get('x-ai-provider')]).toEqual([200, 'offline']);
      expect(Object.keys(answer.body.result)).toEqual(FIVE);
      expect(await usage(stack)).toMatchObject({ used: 1, limit: 1000 });
      for (const platform of ['x', 'bluesky', 'threads']) {
        const { caption, hashtags } = answer.body.result[platform];
        const post = await stack.api('POST', '/posts/validate', {
          profile_name: 'Demo',
          post_type: 'text',
          platforms: [platform],
          description: `${caption}\n\n${hashtags}`,
        });
        expect([platform, post.body.errors]).toEqual([platform, []]);
      }
      expect(await bedrockCalls(stack)).toEqual([]);
    },
    TEST_MS,
  );
});

describe('a Bedrock model', () => {
  let stack: TestStack;
  beforeAll(async () => {
    const AI_PROVIDER = JSON.stringify({ provider: 'bedrock', model: 'amazon.nova-lite-v1:0' });
    stack = await startStack({ env: { AI_PROVIDER } });
  }, START_MS);
  afterAll(() => closeStack(stack), TEST_MS);

  test(
    'is called once for five platforms by the deployed bundle',
    async () => {
      const body = { type: 'caption', topic: '新しいエスプレッソ', platforms: FIVE, language: 'ja' };
      const { status, headers, body: answer } = await stack.api('POST', '/ai/generate', body);
      expect([status, headers.get('x-ai-provider')]).toEqual([200, 'bedrock']);
      expect(Object.keys(answer.result)).toEqual(FIVE);
      expect(await bedrockCalls(stack)).toMatchObject([{ operation: 'Converse', count: 1 }]);
      expect(await usage(stack)).toMatchObject({ used: 1 });
    },
    TEST_MS,
  );
});
