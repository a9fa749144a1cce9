import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '../../net/http.ts';
import { fromHttpFailure, PlatformError } from '../contract/error.ts';
import { refusalError, type Purpose } from './errors.ts';

/* How API v2 is called: whatever is no success is a PlatformError. */

const API = 'https://api.x.com/2';
const TIMEOUT_MS = 15_000;

/** Who calls, and when. */
export interface Caller {
  http: HttpClient;
  /** User access token. */
  token: string;
  now: () => number;
}

/** One call of the API; `what` names it in errors. */
export interface Call extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  what: string;
  purpose: Purpose;
  path: string;
  json?: Json;
  timeoutMs?: number;
}

/** Sends a call, whatever the answer to it. Throws PlatformError where there is none. */
export async function answerOf(caller: Caller, call: Call): Promise<HttpResponse> {
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  try {
    return await caller.http.send({
      method: call.method,
      url: `${API}${call.path}`,
      headers: {
        authorization: `Bearer ${caller.token}`,
        accept: 'application/json',
        ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
    });
  } catch (error) {
    throw error instanceof HttpFailure ? fromHttpFailure(error, call.what) : error;
  }
}

/** The answer's JSON as the schema has it. A success without it (a proxy's page) is no success. */
export function resultOf<T>(
  response: HttpResponse,
  { what, purpose }: Call,
  schema: v.GenericSchema<unknown, T>,
  now: number,
): T {
  if (response.status < 200 || response.status > 299) throw refusalError(response, purpose, what, now);
  const text = response.body.toString('utf8');
  const parsed = v.safeParse(schema, text === '' ? {} : parseJson(text));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: X answered ${response.status} without a usable body`,
    outcomeUnknown: true,
  });
}

/** Sends a call and reads its answer. */
export async function send<T>(caller: Caller, call: Call, schema: v.GenericSchema<unknown, T>): Promise<T> {
  return resultOf(await answerOf(caller, call), call, schema, caller.now());
}

/** A yes without more to it; the page of a proxy is none. */
export const Acknowledged = v.looseObject({});

/** Identifiers stay strings: they have more digits than a number keeps. */
export const Id = v.pipe(v.string(), v.regex(/^\d{1,19}$/));
