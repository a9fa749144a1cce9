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
import { parseEmbeddedJson } from './parse-output.ts';
import { buildPrompt, MAX_TOKENS, OUTPUT_NAME, outputSchema } from './prompt.ts';
import { AiFailure, unavailable, unusable, type Writer } from './writer.ts';

/** Creates a Bedrock client over HTTP/1.1, which the fake server of the local stack speaks. */
export function bedrockClient(config: BedrockRuntimeClientConfig = {}): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    requestHandler: new NodeHttpHandler({ connectionTimeout: 3000 }),
    // The SDK retries throttling, overload and lost connections with backoff.
    maxAttempts: 4,
    ...config,
  });
}

/** Writes with a model of Amazon Bedrock through the Converse operation. The model calls a tool; its input is the result. */
export function bedrockWriter(client: BedrockRuntimeClient, model: string): Writer {
  return {
    name: 'bedrock',
    translates: true,
    write: async (brief, feedback, timeoutMs) => {
      const command = new ConverseCommand(converseInput(model, brief, feedback));
      try {
        return outputOf(await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) }));
      } catch (error) {
        if (error instanceof AiFailure) throw error;
        throw unavailable(`Bedrock failed with ${error instanceof Error ? error.name : 'an unknown error'}`);
      }
    },
  };
}

function converseInput(model: string, brief: Brief, feedback: string | null): ConverseCommandInput {
  const { system, user } = buildPrompt(brief, feedback);
  const json = v.parse(JsonObjectSchema, outputSchema(brief));
  const description = 'Returns the finished posts, one per platform';
  return {
    modelId: model,
    system: [{ text: system }],
    messages: [{ role: 'user', content: [{ text: user }] }],
    inferenceConfig: { maxTokens: MAX_TOKENS, temperature: 0.7 },
    toolConfig: {
      tools: [{ toolSpec: { name: OUTPUT_NAME, description, inputSchema: { json } } }],
      toolChoice: { tool: { name: OUTPUT_NAME } },
    },
  };
}

/** Stop reasons of output that is incomplete or withheld, with the reason to tell the model. */
const INCOMPLETE: Readonly<Record<string, string>> = {
  max_tokens: 'it was too long and was cut off',
  model_context_window_exceeded: 'it was too long and was cut off',
  content_filtered: 'it was filtered',
  guardrail_intervened: 'a guardrail stopped it',
  malformed_model_output: 'it was malformed',
  malformed_tool_use: 'it was malformed',
};

function outputOf({ output, stopReason }: ConverseCommandOutput): unknown {
  const reason = INCOMPLETE[stopReason ?? ''];
  if (reason !== undefined) throw unusable(reason);
  const content = output?.message?.content ?? [];
  const call = content.find(({ toolUse }) => toolUse?.name === OUTPUT_NAME)?.toolUse;
  if (call) return call.input;
  return parseEmbeddedJson(content.map(({ text }) => text ?? '').join(''));
}
