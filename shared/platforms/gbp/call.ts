import * as v from 'valibot';
import { parseJson, type JsonObject } from '../../model/json.ts';
import type { HttpClient } from '../../net/http.ts';
import { SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { toGbpError, type Purpose } from './errors.ts';

/* Transport of the Business Profile APIs: every response other than a success is thrown as a PlatformError. */

/** The only API with posts and media. */
export const POSTS_API = 'https://mybusiness.googleapis.com/v4';
export const ACCOUNTS_API = 'https://mybusinessaccountmanagement.googleapis.com/v1';
export const LOCATIONS_API = 'https://mybusinessbusinessinformation.googleapis.com/v1';
export const STANDING_API = 'https://mybusinessverifications.googleapis.com/v1';
export const PERFORMANCE_API = 'https://businessprofileperformance.googleapis.com/v1';

const TIMEOUT_MS = 20 * SECOND;

export interface Caller {
  http: HttpClient;
  token: string;
  /** Returns the current time in epoch milliseconds. */
  now: () => number;
}

/** One API call; `what` names it in error messages. */
export interface Call {
  what: string;
  purpose: Purpose;
  method: 'GET' | 'POST';
  url: string;
  query?: Readonly<Record<string, string>> | URLSearchParams;
  json?: JsonObject;
  timeoutMs?: number;
}

/** Sends a call and parses the body of its success. Throws PlatformError. */
export async function send<T>(
  { http, token, now }: Caller,
  call: Call,
  schema: v.GenericSchema<unknown, T>,
): Promise<T> {
  const { what, method, url, query = {}, json, timeoutMs = TIMEOUT_MS } = call;
  const search = new URLSearchParams(query).toString();
  const response = await sendRequest(
    http,
    {
      method,
      url: search === '' ? url : `${url}?${search}`,
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
  if (response.status < 200 || response.status > 299) throw toGbpError(response, call, now());
  const parsed = v.safeParse(schema, parseJson(response.body.toString('utf8')));
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: Google answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

/** A page of a list; Google leaves out a member without a value. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/** Bounds a list that does not end. */
const MAX_PAGES = 100;

/** Reads the pages of a list until `isEnough` or its end. Throws PlatformError for a list that does not end. */
export async function readPages<T>(
  read: (pageToken: string | null) => Promise<Page<T>>,
  isEnough: (items: readonly T[], page: readonly T[]) => boolean = () => false,
): Promise<T[]> {
  const items: T[] = [];
  let pageToken: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: Page<T> = await read(pageToken);
    items.push(...answer.items);
    pageToken = answer.next;
    if (pageToken === null || isEnough(items, answer.items)) return items;
  }
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `Google's list has more than ${MAX_PAGES} pages`,
  });
}

/** The token of the next page, as the lists of all these APIs have it; null on the last page. */
export const NextPageToken = v.pipe(
  v.optional(v.string(), ''),
  v.transform(token => (token === '' ? null : token)),
);

export const withPageToken = (query: Readonly<Record<string, string>>, pageToken: string | null) =>
  pageToken === null ? query : { ...query, pageToken };
