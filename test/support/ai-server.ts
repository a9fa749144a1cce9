import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen, readBody, stop } from '../../local/http.ts';
import { PATIENT } from './server.ts';
import type { Json } from './stack.ts';

/** One answer of a provider's double, in the provider's own words. */
export interface Scripted {
  status?: number;
  headers?: Record<string, string>;
  /** JSON, or a text as it is. */
  body?: unknown;
  /** There is never any answer. */
  silent?: boolean;
  /** The connection ends: before any answer, or in the midst of it. */
  cut?: 'before' | 'within';
}

export interface AskedFor {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
}

/** A server that answers as its script says, one answer a request, the last one for ever. */
export async function aiServer() {
  const asked: AskedFor[] = [];
  let script: Scripted[] = [];
  const server = createServer(PATIENT, (request, response) => {
    void readBody(request).then(bytes => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, path: url, headers, body: JSON.parse(bytes.toString()) });
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
    asked,
    /** What comes next; forgets what was asked. */
    answer: (...answers: Scripted[]) => {
      script = answers;
      asked.length = 0;
    },
    close: () => stop(server),
  };
}

export type AiServer = Awaited<ReturnType<typeof aiServer>>;

/** What the tool, or the schema, asks for. */
export const POSTS = {
  instagram: { caption: 'Fresh coffee, fresh start.', hashtags: ['#coffee', '#morning'] },
  x: { caption: 'Coffee first.', hashtags: ['#coffee'] },
};

/** An answer of Bedrock's Converse in which the model calls the tool. */
export const converseAnswer = (input: unknown, stopReason = 'tool_use'): Scripted => ({
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

/** An answer in which the model just talks. */
export const converseText = (text: string, stopReason = 'end_turn'): Scripted => ({
  body: {
    metrics: { latencyMs: 500 },
    output: { message: { role: 'assistant', content: [{ text }] } },
    stopReason,
    usage: { inputTokens: 610, outputTokens: 20, totalTokens: 630 },
  },
});

/** A refusal of Bedrock: the name in a header, the words in the body. */
export const bedrockError = (status: number, name: string, message = 'No'): Scripted => ({
  status,
  headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  body: { message },
});

/** A chat completion. */
export const completion = (
  content: unknown,
  finish_reason = 'stop',
  refusal: string | null = null,
): Scripted => ({
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

/** A refusal in OpenAI's form. */
export const openAiError = (
  status: number,
  code: string | null,
  message = 'No',
  param: string | null = null,
  headers: Record<string, string> = {},
): Scripted => ({
  status,
  headers,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});
