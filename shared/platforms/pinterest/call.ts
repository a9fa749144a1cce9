import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import type { HttpClient, HttpResponse } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { toPlatformError } from './errors.ts';

/* Transport of API v5: every response other than a success is thrown as a PlatformError. */

const TIMEOUT_MS = 20 * SECOND;

export interface Caller {
  http: HttpClient;
  /** `apiRoot` of the app. */
  root: string;
  token: string;
}

/** One API call; `what` names it in error messages. */
export interface Call {
  what: string;
  method: 'GET' | 'POST';
  path: string;
  query?: Readonly<Record<string, string>>;
  json?: JsonObject;
  timeoutMs?: number;
}

/** Sends a call and parses the body of its success. Throws PlatformError. */
export async function send<T>(
  { http, root, token }: Caller,
  call: Call,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const { what, method, path, query = {}, json, timeoutMs = TIMEOUT_MS } = call;
  const search = new URLSearchParams(query).toString();
  const response = await sendRequest(
    http,
    {
      method,
      url: `${root}${path}${search === '' ? '' : `?${search}`}`,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      timeoutMs,
    },
    what,
  );
  return parseResponse(response, what, schema);
}

/** Parses the body of a success. Throws PlatformError for other statuses and for bodies that do not fit. */
export function parseResponse<T>(
  response: HttpResponse,
  what: string,
  schema: v.GenericSchema<unknown, T>,
): T {
  if (response.status < 200 || response.status > 299) throw toPlatformError(response, what);
  const parsed = v.safeParse(schema, parseJson(response.body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: Pinterest answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

/** Ids stay strings: they exceed the safe integers. */
export const Id = v.pipe(v.string(), v.regex(/^\d+$/));
