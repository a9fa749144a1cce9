import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen, readBody, stop } from '../../local/http.ts';
import { PATIENT } from './server.ts';
import type { Json } from './stack.ts';

/** One scripted response of a fake AI provider. */
export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** A value to send as JSON, or a string to send as it is. */
  body?: unknown;
  /** Never answers. */
  silent?: boolean;
  /** Closes the connection before or within the response. */
  cut?: 'before' | 'within';
}

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
}

/** Starts a server that sends one scripted response per request; the last one repeats. */
export async function aiServer() {
  const requests: ReceivedRequest[] = [];
  let script: ScriptedResponse[] = [];
  const server = createServer(PATIENT, (request, response) => {
    void readBody(request).then(bytes => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, path: url, headers, body: JSON.parse(bytes.toString()) });
      const next = (script.length > 1 ? script.shift() : script[0]) ?? { status: 500 };
      if (next.silent) return undefined;
      const text = typeof next.body === 'string' ? next.body : JSON.stringify(next.body ?? {});
      if (next.cut === 'before') return request.socket.destroy();
      response.writeHead(next.status ?? 200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        ...next.headers,
      });
      if (next.cut !== 'within') return response.end(text);
      return response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
    });
  });
  return {
    url: await listen(server, 0),
    requests,
    /** Sets the script and clears the received requests. */
    respondWith: (...responses: ScriptedResponse[]) => {
      script = responses;
      requests.length = 0;
    },
    close: () => stop(server),
  };
}

export type AiServer = Awaited<ReturnType<typeof aiServer>>;

/** Output that matches the schema. */
export const POSTS = {
  instagram: { caption: 'Fresh coffee, fresh start.', hashtags: ['#coffee', '#morning'] },
  x: { caption: 'Coffee first.', hashtags: ['#coffee'] },
};

/** A response of Bedrock's Converse in which the model calls the tool. */
export const converseAnswer = (input: unknown, stopReason = 'tool_use'): ScriptedResponse => ({
  body: {
    metrics: { latencyMs: 812 },
    output: {
      message: {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'deliver_posts', input } }],
      },
    },
    stopReason,
    usage: { inputTokens: 610, outputTokens: 120, totalTokens: 730 },
  },
});

/** A response of Converse with text instead of a tool call. */
export const converseText = (text: string, stopReason = 'end_turn'): ScriptedResponse => ({
  body: {
    metrics: { latencyMs: 500 },
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason,
    usage: { inputTokens: 610, outputTokens: 20, totalTokens: 630 },
  },
});

/** An error of Bedrock: the name in a header, the message in the body. */
export const bedrockError = (status: number, name: string, message = 'No'): ScriptedResponse => ({
  status,
  headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: { message },
});

/** A chat completion. */
export const completion = (
  content: unknown,
  finish_reason = 'stop',
  refusal: string | null = null,
): ScriptedResponse => ({
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_796_000_000,
    model: 'gpt-test',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: typeof content === 'string' || content === null ? content : JSON.stringify(content),
          refusal,
        },
        finish_reason,
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 610, completion_tokens: 120, total_tokens: 730 },
  },
});

/** An error response in OpenAI's form. */
export const openAiError = (
  status: number,
  code: string | null,
  message = 'No',
  param: string | null = null,
  headers: Record<string, string> = {},
): ScriptedResponse => ({
  status,
  headers,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
