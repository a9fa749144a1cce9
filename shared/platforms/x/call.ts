import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { toPlatformError, type Purpose } from './errors.ts';

/* Transport of API v2: every response other than a success is thrown as a PlatformError. */

const API = 'https://api.x.com/2';
const TIMEOUT_MS = 15_000;

/** Client, user access token and clock of a call. */
export interface Caller {
  http: HttpClient;
  token: string;
  now: () => number;
}

/** One API call; `what` names it in error messages. */
export interface Call extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  what: string;
  purpose: Purpose;
  path: string;
  json?: Json;
  timeoutMs?: number;
}

/** Sends a call and returns the response whatever its status. Throws PlatformError when there is no response. */
export async function fetchResponse(caller: Caller, call: Call): Promise<HttpResponse> {
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  const request: HttpRequest = {
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
  };
  return sendRequest(caller.http, request, call.what);
}

/** Parses the body of a success by the schema. Throws PlatformError for other statuses and for bodies that do not fit. */
export function parseResponse<T>(
  response: HttpResponse,
  { what, purpose }: Call,
  schema: v.GenericSchema<unknown, T>,
  now: number,
): T {
  if (response.status < 200 || response.status > 299) throw toPlatformError(response, purpose, what, now);
  const text = response.body.toString('utf8');
  const parsed = v.safeParse(schema, text === '' ? {} : parseJson(text));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: X answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

/** Sends a call and parses the body of its success. */
export async function send<T>(caller: Caller, call: Call, schema: v.GenericSchema<unknown, T>): Promise<T> {
  return parseResponse(await fetchResponse(caller, call), call, schema, caller.now());
}

/** Any JSON object: the call succeeded, its body is not used. An HTML page of a proxy does not pass. */
export const Acknowledged = v.looseObject({});

/** Ids stay strings: they exceed the safe integers. */
export const Id = v.pipe(v.string(), v.regex(/^\d{1,19}$/));
