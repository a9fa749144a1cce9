import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import type { Quota } from '../contract/quota.ts';
import { sendRequest } from '../kit/wire.ts';
import { isUploadBucket, toYoutubeError, YoutubeError, type Refused } from './errors.ts';

/* Transport of the Data API v3: every response other than a success is thrown as a PlatformError. */

export const API = 'https://www.googleapis.com/youtube/v3';
export const UPLOAD = 'https://www.googleapis.com/upload/youtube/v3';
const TIMEOUT_MS = 20_000;

/** Client, access token and clock of a call. */
export interface Caller {
  http: HttpClient;
  token: string;
  now: () => number;
  /** Null where there is none to count in: while an account is connected, and for metrics. */
  quota: Quota | null;
  /** Id of the reservation that units are taken from first: the post's. */
  reservation?: string;
}

/** One API call; `what` names it in error messages. */
export interface Call extends Pick<HttpRequest, 'method' | 'headers' | 'body'>, Refused {
  url: string;
  query?: Readonly<Record<string, string>>;
  json?: JsonObject;
  /** Units that it costs; 0 for the parts of an upload. */
  units: number;
  timeoutMs?: number;
}

/** Counts the units of a call, sends it and returns the response whatever its status. Throws PlatformError without one. */
export async function fetchResponse(caller: Caller, call: Call): Promise<HttpResponse> {
  const { http, token, quota, reservation } = caller;
  if (quota && call.units > 0) await quota.spend('units', call.units, reservation);
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  const query = new URLSearchParams(call.query).toString();
  const request: HttpRequest = {
    method: call.method,
    url: query === '' ? call.url : `${call.url}?${query}`,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(call.json === undefined ? {} : { 'content-type': 'application/json; charset=UTF-8' }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
    timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
  };
  return sendRequest(http, request, call.what);
}

/** Returns the error of a refused call; a quota that YouTube calls exhausted is corrected in the ledger. */
export async function refusalOf(caller: Caller, call: Call, response: HttpResponse): Promise<YoutubeError> {
  const error = toYoutubeError(response, call, caller.now());
  if (error.code === 'QUOTA_EXHAUSTED') {
    await caller.quota?.exhausted(isUploadBucket(error) ? 'video_uploads' : 'units');
  }
  return error;
}

/** Sends a call and parses the body of its success. Throws PlatformError for other statuses and bodies that do not fit. */
export async function send<T>(caller: Caller, call: Call, schema: v.GenericSchema<unknown, T>): Promise<T> {
  const response = await fetchResponse(caller, call);
  if (response.status < 200 || response.status > 299) throw await refusalOf(caller, call, response);
  return parseBody(call, response, schema);
}

/** Parses the body of a success. Throws PlatformError of unknown outcome for one that does not fit. */
export function parseBody<T>(
  { what }: Pick<Call, 'what'>,
  response: HttpResponse,
  schema: v.GenericSchema<unknown, T>,
): T {
  const parsed = v.safeParse(schema, parseJson(response.body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: YouTube answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

/** Returns the value of `part` for a body: exactly the objects that it has, or YouTube refuses or resets some. */
export function partOf(body: JsonObject): string {
  return Object.entries(body)
    .filter(([, value]) => typeof value === 'object' && value !== null)
    .map(([name]) => name)
    .join(',');
}

/** The items of a list; YouTube leaves the member out where there are none. */
export const itemsOf = <T>(item: v.GenericSchema<unknown, T>) =>
  v.object({ items: v.optional(v.array(item), []) });

/** A video id. */
export const VideoId = v.pipe(v.string(), v.regex(/^[\w-]{11}$/));
