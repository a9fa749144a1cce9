import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import type { Json } from '../../../model/json.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../net/http.ts';
import { SECOND } from '../../../time/instant.ts';
import { PlatformError } from '../../contract/error.ts';
import { sendRequest } from '../../kit/wire.ts';
import { appSecretProof } from './app.ts';
import type { ErrorRow, Purpose } from './error-row.ts';
import { toGraphFailure } from './errors.ts';
import { parseLongIntegers } from '../../kit/long-integers.ts';
import { createBudgets, pauseMs, readUsage, type Budgets } from './usage.ts';

const TIMEOUT_MS = 20 * SECOND;

/** One of Meta's Graph APIs, as a platform uses it. */
export interface GraphApi {
  /** The platform as users know it, for messages. */
  platform: string;
  /** URL before the path, with the version: `https://graph.facebook.com/v26.0`. */
  root: string;
  /** The platform's own errors: they are looked at before the general ones. */
  errors: readonly ErrorRow[];
}

export interface GraphClientOptions {
  http: HttpClient;
  now: () => number;
  api: GraphApi;
  /** Of a Page, a user or the app. */
  token: string;
  /** Key of `appsecret_proof`; null where the API knows none. */
  appSecret: string | null;
  /** Waits before a call where a budget is nearly used up. */
  pause?: (ms: number) => Promise<unknown>;
  /** What earlier calls told about the budgets; default: those of all clients in this process. */
  budgets?: Budgets;
}

/** A client lives for one step, the budgets of its token for longer. */
const BUDGETS = createBudgets();

export interface GraphCall {
  /** Names the request in error messages: `Publishing the post`. */
  what: string;
  purpose: Purpose;
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the root, with a leading slash. */
  path: string;
  /** In place of the API's: another host such as `https://graph-video.facebook.com/v26.0`. */
  root?: string;
  /** Sent in the query, whatever the method. */
  query?: Readonly<Record<string, string>>;
  /** Sent as a form. Structured values are JSON strings. */
  form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: Json;
  /** Any other body, with its headers. */
  body?: HttpRequest['body'];
  headers?: Readonly<Record<string, string>>;
  /** False for hosts that accept no parameters. Default: true. */
  proof?: boolean;
  /** Scheme of the authorization header. Default: Bearer. */
  scheme?: 'Bearer' | 'OAuth';
  timeoutMs?: number;
}

/** A client of one Graph API with one token. It slows down and stops before Meta refuses calls. */
export interface GraphClient {
  /** Sends a call and parses the body of its success. Throws GraphFailure for an error, PlatformError without a response. */
  call: <T>(call: GraphCall, schema: v.GenericSchema<unknown, T>) => Promise<T>;
}

export function graphClient(options: GraphClientOptions): GraphClient {
  const { http, now, api, token, pause = sleep, budgets = BUDGETS } = options;
  const key = `${api.root} ${token}`;

  async function call<T>(each: GraphCall, schema: v.GenericSchema<unknown, T>): Promise<T> {
    const usage = budgets.get(key, now());
    const blockedMs = usage.at + usage.blockedMs - now();
    if (blockedMs > 0) throw budgetUsedUp(api, each, blockedMs);
    if (pauseMs(usage) > 0) await pause(pauseMs(usage));
    const response = await sendRequest(http, requestOf(each, options), each.what);
    budgets.set(key, { ...readUsage(response.headers), at: now() });
    return parseGraphResponse(response, { ...each, token }, api, schema);
  }
  return { call };
}

function requestOf(call: GraphCall, { api, token, appSecret }: GraphClientOptions): HttpRequest {
  const { method, root = api.root, path, query = {}, scheme = 'Bearer', timeoutMs = TIMEOUT_MS } = call;
  const isProven = appSecret !== null && call.proof !== false;
  const proof = isProven ? { appsecret_proof: appSecretProof(token, appSecret) } : {};
  const search = new URLSearchParams({ ...query, ...proof }).toString();
  const { body, type } = bodyOf(call);
  return {
    method,
    url: `${root}${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      authorization: `${scheme} ${token}`,
      accept: 'application/json',
      ...(type === null ? {} : { 'content-type': type }),
      ...call.headers,
    },
    ...(body === undefined ? {} : { body }),
    timeoutMs,
  };
}

function bodyOf({ form, json, body }: GraphCall): { body: HttpRequest['body']; type: string | null } {
  if (form) return { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  return { body, type: null };
}

/** Parses a response. Throws GraphFailure for an error, PlatformError for a success with an unexpected body. */
export function parseGraphResponse<T>(
  response: HttpResponse,
  { what, purpose, token }: Pick<GraphCall, 'what' | 'purpose'> & { token: string },
  { platform, errors: rows }: Pick<GraphApi, 'platform' | 'errors'>,
  schema: v.GenericSchema<unknown, T>,
): T {
  const json = parseLongIntegers(response.body.toString('utf8'));
  // Some edges answer 200 with an error.
  const isError =
    response.status < 200 || response.status > 299 || v.is(v.object({ error: v.object({}) }), json);
  if (isError) throw toGraphFailure(response, { platform, rows, purpose, what, token });
  const parsed = v.safeParse(schema, json);
  if (parsed.success) return parsed.output;
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${what}: ${platform} answered ${response.status} with an unexpected body`,
    outcomeUnknown: true,
  });
}

function budgetUsedUp({ platform }: GraphApi, { what }: GraphCall, retryAfterMs: number): PlatformError {
  return new PlatformError({
    kind: 'rate_limited',
    code: 'PLATFORM_RATE_LIMIT',
    message: `${what}: ${platform} accepts no more calls for this account at the moment`,
    retryAfterMs,
  });
}
