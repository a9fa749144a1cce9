import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { parseJson } from '../model/json.ts';
import { HttpFailure, type Http, type HttpResponse } from '../net/http.ts';
import type { Brief } from './brief.ts';
import { parseEmbeddedJson } from './parse-output.ts';
import { buildPrompt, MAX_TOKENS, OUTPUT_NAME, outputSchema } from './prompt.ts';
import { unavailable, unusable, type Writer } from './writer.ts';

export interface OpenAiSettings {
  /** Version included: `https://api.openai.com/v1`. */
  base_url: string;
  model: string;
}

/** How the shape of the output is enforced, the strictest first. Servers differ in what they support. */
type Format = 'json_schema' | 'json_object' | 'none';
const FALLBACK: Readonly<Record<Format, Format | null>> = {
  json_schema: 'json_object',
  json_object: 'none',
  none: null,
};

const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 300;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Statuses after which the same request may succeed. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/**
 * Writes with any server that implements OpenAI's chat completions. Which output formats the server supports is found out
 * at the first request and remembered by the writer.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export function openAiWriter(
  http: Http,
  settings: OpenAiSettings,
  readKey: () => Promise<string | null>,
): Writer {
  let format: Format = 'json_schema';
  return {
    name: 'openai',
    translates: true,
    write: async (brief, feedback, timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      const key = await readKey();
      for (;;) {
        const tried: Format = format;
        const body = requestBody(settings.model, brief, feedback, tried);
        const response = await sendWithRetries(http, settings, key, body, deadline);
        const fallback = isFormatError(response) ? FALLBACK[tried] : null;
        if (fallback === null) return outputOf(response);
        format = fallback;
      }
    },
  };
}

function requestBody(model: string, brief: Brief, feedback: string | null, format: Format): string {
  const { system, user } = buildPrompt(brief, feedback);
  const schema = outputSchema(brief);
  const systemWithSchema = `${system}\nAnswer with one JSON object of this schema and nothing else: ${JSON.stringify(schema)}`;
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: format === 'json_schema' ? system : systemWithSchema },
      { role: 'user', content: user },
    ],
    max_completion_tokens: MAX_TOKENS,
    ...responseFormat(format, schema),
  });
}

function responseFormat(format: Format, schema: object) {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: format } };
  return { response_format: { type: format, json_schema: { name: OUTPUT_NAME, strict: true, schema } } };
}

/** Sends with retries of transient failures; waits as `Retry-After` says, else with exponential backoff. */
async function sendWithRetries(
  http: Http,
  { base_url }: OpenAiSettings,
  key: string | null,
  body: string,
  deadline: number,
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(http, base_url, key, body, deadline);
    const isTransient = response === null || (TRANSIENT.has(response.status) && !isOutOfCredit(response));
    if (!isTransient) return response;
    const delayMs = retryDelay(response, attempt);
    if (attempt === MAX_ATTEMPTS || performance.now() + delayMs >= deadline) {
      throw unavailable(
        response === null ? 'the provider cannot be reached' : `the provider answered ${response.status}`,
      );
    }
    await sleep(delayMs);
  }
}

/** Returns null when the connection failed. Throws AiFailure on a timeout, a blocked address or an oversized response. */
async function send(
  http: Http,
  baseUrl: string,
  key: string | null,
  body: string,
  deadline: number,
): Promise<HttpResponse | null> {
  const timeoutMs = Math.max(1, Math.round(deadline - performance.now()));
  try {
    return await http({
      method: 'POST',
      url: `${baseUrl.replace(/\/$/, '')}/chat/completions`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
      timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.reason === 'network') return null;
    if (error.reason === 'too_large') throw unusable('it was too large');
    throw unavailable(
      error.reason === 'timeout' ? 'the request timed out' : 'the address of the provider is not allowed',
    );
  }
}

/** Milliseconds until the next attempt. */
function retryDelay(response: HttpResponse | null, attempt: number): number {
  const seconds = Number(response?.headers['retry-after'] ?? Number.NaN);
  return seconds > 0 ? seconds * 1000 : FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

const ErrorBody = v.object({
  error: v.object({
    message: v.fallback(v.string(), ''),
    code: v.fallback(v.string(), ''),
    param: v.fallback(v.string(), ''),
  }),
});

function errorOf({ body }: HttpResponse) {
  const parsed = v.safeParse(ErrorBody, parseJson(body.toString()));
  return parsed.success ? parsed.output.error : { message: '', code: '', param: '' };
}

/** A 429 that no retry can mend. */
const isOutOfCredit = (response: HttpResponse) =>
  response.status === 429 && errorOf(response).code === 'insufficient_quota';

/** True when the server or the model does not support the requested output format. */
function isFormatError(response: HttpResponse): boolean {
  if (response.status !== 400 && response.status !== 422) return false;
  const { message, param } = errorOf(response);
  return /response_format|json_schema|json_object|json mode/i.test(`${param} ${message}`);
}

const Completion = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        finish_reason: v.nullish(v.string(), 'stop'),
        message: v.object({ content: v.nullish(v.string(), null), refusal: v.nullish(v.string(), null) }),
      }),
    ),
    v.minLength(1),
  ),
});

function outputOf(response: HttpResponse): unknown {
  if (response.status !== 200) throw unavailable(`the provider answered ${response.status}`);
  const parsed = v.safeParse(Completion, parseJson(response.body.toString()));
  const [choice] = parsed.success ? parsed.output.choices : [];
  if (!choice) throw unusable('it was not a chat completion');
  if (choice.finish_reason === 'length') throw unusable('it was too long and was cut off');
  if (choice.finish_reason === 'content_filter') throw unusable('it was filtered');
  if (choice.message.refusal !== null || choice.message.content === null) throw unusable('it was refused');
  return parseEmbeddedJson(choice.message.content);
}
