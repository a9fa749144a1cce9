import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { parseJson } from '../model/json.ts';
import { HttpFailure, type Http, type HttpResponse } from '../net/http.ts';
import type { Brief } from './brief.ts';
import { ANSWER_NAME, answerSchema, MAX_TOKENS, promptFor } from './prompt.ts';
import { objectIn } from './read-answer.ts';
import { unavailable, unusable, type Writer } from './writer.ts';

export interface OpenAiSettings {
  /** With its version: `https://api.openai.com/v1`. */
  base_url: string;
  model: string;
}

/** How the model is held to the shape of its answer, the best first. Servers differ in what they know. */
type Format = 'json_schema' | 'json_object' | 'none';
const NEXT: Readonly<Record<Format, Format | null>> = {
  json_schema: 'json_object',
  json_object: 'none',
  none: null,
};

const TRIES = 4;
const FIRST_WAIT_MS = 300;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Answers after which the same request may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/**
 * Any server with OpenAI's chat completions. What it knows of formats is found out at the first request and remembered
 * for the container.
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
    write: async (brief, remark, timeoutMs) => {
      const ends = performance.now() + timeoutMs;
      const key = await readKey();
      for (;;) {
        const answer = await ask(http, settings, key, bodyOf(settings.model, brief, remark, format), ends);
        const next: Format | null = refusesFormat(answer) ? NEXT[format] : null;
        if (next === null) return answerOf(answer);
        format = next;
      }
    },
  };
}

function bodyOf(model: string, brief: Brief, remark: string | null, format: Format): string {
  const { system, user } = promptFor(brief, remark);
  const schema = answerSchema(brief);
  const told = `${system}\nAnswer with one JSON object of this schema and nothing else: ${JSON.stringify(schema)}`;
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: format === 'json_schema' ? system : told },
      { role: 'user', content: user },
    ],
    max_completion_tokens: MAX_TOKENS,
    ...formatOf(format, schema),
  });
}

function formatOf(format: Format, schema: object) {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: format } };
  return { response_format: { type: format, json_schema: { name: ANSWER_NAME, strict: true, schema } } };
}

/** Sends until there is an answer that stays; waits as the server says, else longer each time. */
async function ask(
  http: Http,
  { base_url }: OpenAiSettings,
  key: string | null,
  body: string,
  ends: number,
): Promise<HttpResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(http, base_url, key, body, ends);
    const passes = answer === null || (PASSING.has(answer.status) && !isOutOfCredit(answer));
    if (!passes) return answer;
    const wait = waitOf(answer, attempt);
    if (attempt === TRIES || performance.now() + wait >= ends) {
      throw unavailable(answer === null ? 'the provider cannot be reached' : `it answered ${answer.status}`);
    }
    await sleep(wait);
  }
}

/** Null where no answer came. Throws AiFailure when it would not come in time, or must not be asked for. */
async function send(
  http: Http,
  baseUrl: string,
  key: string | null,
  body: string,
  ends: number,
): Promise<HttpResponse | null> {
  const timeoutMs = Math.max(1, Math.round(ends - performance.now()));
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
      maxBytes: MAX_ANSWER_BYTES,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.reason === 'network') return null;
    if (error.reason === 'too_large') throw unusable('it was too large');
    throw unavailable(error.reason === 'timeout' ? 'it took too long' : 'its address is refused');
  }
}

function waitOf(answer: HttpResponse | null, attempt: number): number {
  const told = Number(answer?.headers['retry-after'] ?? Number.NaN);
  return told > 0 ? told * 1000 : FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
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

/** Nothing that passes by itself. */
const isOutOfCredit = (answer: HttpResponse) =>
  answer.status === 429 && errorOf(answer).code === 'insufficient_quota';

/** The server does not know the format, or the model does not support it. */
function refusesFormat(answer: HttpResponse): boolean {
  if (answer.status !== 400 && answer.status !== 422) return false;
  const { message, param } = errorOf(answer);
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

function answerOf(answer: HttpResponse): unknown {
  if (answer.status !== 200) throw unavailable(`it answered ${answer.status}`);
  const parsed = v.safeParse(Completion, parseJson(answer.body.toString()));
  const [choice] = parsed.success ? parsed.output.choices : [];
  if (!choice) throw unusable('it was no completion');
  if (choice.finish_reason === 'length') throw unusable('it was too long and broke off');
  if (choice.finish_reason === 'content_filter') throw unusable('it was filtered');
  if (choice.message.refusal !== null || choice.message.content === null) throw unusable('it was refused');
  return objectIn(choice.message.content);
}
