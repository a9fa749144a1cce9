import * as v from 'valibot';
import { parseJson, type Json } from '../../model/json.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { toPlatformError, type Purpose } from './errors.ts';

/* Transport of LinkedIn's API: every response other than a success is thrown as a PlatformError. */

const API = 'https://api.linkedin.com';
const TIMEOUT_MS = 15_000;

/** Client, access token, API version and clock of a call. */
export interface Caller {
  http: HttpClient;
  token: string;
  /** `LinkedIn-Version`. */
  version: string;
  now: () => number;
}

/** One API call; `what` names it in error messages. */
export interface Call {
  what: string;
  purpose: Purpose;
  method: HttpRequest['method'];
  /** Below the host, percent-encoded. */
  path: string;
  json?: Json;
  timeoutMs?: number;
}

/** Sends a call and returns the response of its success. Throws PlatformError. */
export async function send(caller: Caller, call: Call): Promise<HttpResponse> {
  const { http, token, version, now } = caller;
  const versioned = call.path.startsWith('/rest/');
  const request: HttpRequest = {
    method: call.method,
    url: `${API}${call.path}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(versioned && { 'linkedin-version': version, 'x-restli-protocol-version': '2.0.0' }),
      ...(call.json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(call.json !== undefined && { body: JSON.stringify(call.json) }),
    timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
  };
  const response = await sendRequest(http, request, call.what);
  if (response.status >= 200 && response.status <= 299) return response;
  throw toPlatformError(response, call.purpose, call.what, now());
}

/** Sends a call and parses the body of its success by the schema. Throws PlatformError. */
export async function read<T>(caller: Caller, call: Call, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const { status, body } = await send(caller, call);
  const parsed = v.safeParse(schema, parseJson(body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw unexpected(call.what, status);
}

/** A success that does not say what it must: the call may have had its effect. */
export function unexpected(what: string, status: number): PlatformError {
  return new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: LinkedIn answered ${status} with an unexpected response`,
    outcomeUnknown: true,
  });
}
