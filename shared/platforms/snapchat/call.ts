import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { HttpClient, HttpRequest } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { readAnswer } from './envelope.ts';
import { toPlatformError } from './errors.ts';

/* Transport of Snap's Public Profile API. Every answer that is not a success, also one with HTTP 200, is thrown. */

export const API = 'https://businessapi.snapchat.com';
const TIMEOUT_MS = 15 * SECOND;

export interface Caller {
  http: HttpClient;
  token: string;
}

/** One API call; `what` names it in error messages. */
export interface Call extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  what: string;
  /** With the query. */
  path: string;
  json?: JsonObject;
  timeoutMs?: number;
  /** A list of which some members may have failed. */
  partial?: true;
}

/** Sends a call and parses the body of its success. Throws PlatformError. */
export async function send<T>(
  { http, token }: Caller,
  call: Call,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const { what, method, path, json, timeoutMs = TIMEOUT_MS, partial = false } = call;
  const body = json === undefined ? call.body : JSON.stringify(json);
  const response = await sendRequest(
    http,
    {
      method,
      url: `${API}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs,
    },
    what,
  );
  const reading = readAnswer(response, partial);
  if (reading.type === 'error') throw toPlatformError(response, reading.error, what);
  const parsed = reading.type === 'success' ? v.safeParse(schema, reading.json) : null;
  if (parsed?.success === true) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: Snapchat answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

/** The schema of a success whose body is not used. */
export const Acknowledged = v.unknown();

/** Ids become part of paths. */
export const Id = v.pipe(v.string(), v.regex(/^[\w-]+$/));

export const optionalText = v.fallback(v.nullish(v.pipe(v.string(), v.nonEmpty()), null), null);
