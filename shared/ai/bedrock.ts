import {
  BedrockRuntimeClient,
  ConverseCommand,
  type BedrockRuntimeClientConfig,
  type ConverseCommandInput,
  type ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { JsonObjectSchema } from '../model/json.ts';
import * as v from 'valibot';
import type { Brief } from './brief.ts';
import { ANSWER_NAME, answerSchema, MAX_TOKENS, promptFor } from './prompt.ts';
import { objectIn } from './read-answer.ts';
import { AiFailure, unavailable, unusable, type Writer } from './writer.ts';

/** Amazon Bedrock over HTTP/1.1: one request at a time needs no more, and the local double speaks it. */
export function bedrockClient(config: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    requestHandler: new NodeHttpHandler({ connectionTimeout: 3000 }),
    // Throttling, overload and lost connections: the client waits, longer each time, and asks again.
    maxAttempts: 4,
    ...config,
  });
}

/** A model of Amazon Bedrock, through the Converse operation. It answers by calling a tool, whose input is the result. */
export function bedrockWriter(client: BedrockRuntimeClient, model: string): Writer {
  return {
    name: 'bedrock',
    translates: true,
    write: async (brief, remark, timeoutMs) => {
      const command = new ConverseCommand(converseInput(model, brief, remark));
      try {
        return answerOf(await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) }));
      } catch (error) {
        if (error instanceof AiFailure) throw error;
        throw unavailable(`Bedrock answered ${error instanceof Error ? error.name : 'nothing'}`);
      }
    },
  };
}

function converseInput(model: string, brief: Brief, remark: string | null): ConverseCommandInput {
  const { system, user } = promptFor(brief, remark);
  const json = v.parse(JsonObjectSchema, answerSchema(brief));
  const description = 'Delivers the finished posts, one for each platform';
  return {
    modelId: model,
    system: [{ text: system }],
    messages: [{ role: 'user', content: [{ text: user }] }],
    inferenceConfig: { maxTokens: MAX_TOKENS, temperature: 0.7 },
    toolConfig: {
      tools: [{ toolSpec: { name: ANSWER_NAME, description, inputSchema: { json } } }],
      toolChoice: { tool: { name: ANSWER_NAME } },
    },
  };
}

/** Reasons for which a model stops before it is done. */
const BROKEN_OFF: Readonly<Record<string, string>> = {
  max_tokens: 'it was too long and broke off',
  model_context_window_exceeded: 'it was too long and broke off',
  content_filtered: 'it was filtered',
  guardrail_intervened: 'a guardrail stopped it',
  malformed_model_output: 'it was malformed',
  malformed_tool_use: 'it was malformed',
};

function answerOf({ output, stopReason }: ConverseCommandOutput): unknown {
  const broken = BROKEN_OFF[stopReason ?? ''];
  if (broken !== undefined) throw unusable(broken);
  const content = output?.message?.content ?? [];
  const call = content.find(({ toolUse }) => toolUse?.name === ANSWER_NAME)?.toolUse;
  if (call) return call.input;
  return objectIn(content.map(({ text }) => text ?? '').join(''));
}
