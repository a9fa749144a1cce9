import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import type { HttpClient } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { parseLongIntegers } from '../kit/long-integers.ts';
import { sendRequest } from '../kit/wire.ts';
import { readError, toPlatformError } from './errors.ts';

/* Transport of API v2: every refusal, those with the status 200 included, is thrown as a PlatformError. */

export const API = 'https://open.tiktokapis.com';
const TIMEOUT_MS = 20 * SECOND;

export interface Caller {
  http: HttpClient;
  token: string;
}

/** One API call; `what` names it in error messages. */
export interface Call {
  what: string;
  method: 'GET' | 'POST';
  /** With its trailing slash, which TikTok demands. */
  path: string;
  /** Names of the fields that the response shall have. */
  fields?: readonly string[];
  json?: JsonObject;
}

/** Sends a call and parses the `data` of its success. Throws PlatformError. */
export async function send<T>(
  { http, token }: Caller,
  { what, method, path, fields, json }: Call,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const response = await sendRequest(
    http,
    {
      method,
      url: `${API}${path}${fields ? `?fields=${fields.join(',')}` : ''}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(method === 'POST' && { 'content-type': 'application/json; charset=UTF-8' }),
      },
      ...(method === 'POST' && { body: JSON.stringify(json ?? {}) }),
      timeoutMs: TIMEOUT_MS,
    },
    what,
  );
  const error = readError(response);
  if (response.status === 200 && (error.code === 'ok' || error.code === '')) {
    const parsed = v.safeParse(v.object({ data: schema }), parseLongIntegers(response.body.toString('utf8')));
    if (parsed.success && error.code === 'ok') return parsed.output.data;
    throw unexpected(what);
  }
  throw toPlatformError(error, what);
}

/** A success that does not say what it must: the call may have had its effect. */
const unexpected = (what: string) =>
  new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: TikTok sent an unexpected body`,
    outcomeUnknown: true,
  });
