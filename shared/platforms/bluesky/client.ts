import * as v from 'valibot';
import { JsonObjectSchema, parseJson, type JsonObject } from '../../model/json.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { sendRequest } from '../kit/wire.ts';
import { toPlatformError, type ErrorResponse } from './errors.ts';

/** Result of a call: the value, or an error response that the caller may be able to handle. */
export type Result<T> = { ok: true; value: T } | { ok: false; errorResponse: ErrorResponse };

/** The user chooses the server: no string of it that is stored or shown may be longer. Tokens have about 1,000 characters. */
const MAX_LENGTH = 5000;
const text = v.pipe(v.string(), v.maxLength(MAX_LENGTH));
const token = v.pipe(text, v.nonEmpty());

const SessionSchema = v.object({
  accessJwt: token,
  refreshJwt: token,
  did: text,
  handle: text,
  active: v.optional(v.boolean(), true),
  status: v.optional(text),
});
export type Session = v.InferOutput<typeof SessionSchema>;

/** A reference to uploaded bytes; used in a record unchanged. */
export const BlobSchema = v.object({
  $type: v.literal('blob'),
  ref: v.object({ $link: text }),
  mimeType: text,
  size: v.number(),
});
export type Blob = v.InferOutput<typeof BlobSchema>;

const UploadSchema = v.object({ blob: BlobSchema });
const WrittenSchema = v.object({ uri: text, cid: text });
const RecordSchema = v.object({ uri: text, value: JsonObjectSchema });
const HandleSchema = v.object({ did: text });
const ProfileSchema = v.object({ displayName: v.optional(text), avatar: v.optional(text) });

const count = v.optional(v.number(), 0);
const CountsSchema = v.object({
  posts: v.array(
    v.object({
      uri: v.string(),
      likeCount: count,
      replyCount: count,
      repostCount: count,
      quoteCount: count,
    }),
  ),
});

/** The body of the response is not used. */
const Ignored = v.pipe(
  v.unknown(),
  v.transform(() => null),
);

const COLLECTION = 'app.bsky.feed.post';
const CALL_MS = 15_000;
const UPLOAD_MS = 40_000;
const LOOKUP_MS = 8_000;

export interface Server {
  http: HttpClient;
  /** Base URL of the account's server (PDS), such as `https://morel.us-east.host.bsky.network`. */
  url: string;
}

/** com.atproto.server.createSession. Limited to 30 calls in 5 minutes per account, shared by all its clients. */
export function createSession(server: Server, identifier: string, password: string) {
  return post(server, 'com.atproto.server.createSession', SessionSchema, json({ identifier, password }));
}

/** com.atproto.server.refreshSession: the refresh token is sent in the header, without a body. */
export function refreshSession(server: Server, refreshJwt: string) {
  return post(server, 'com.atproto.server.refreshSession', SessionSchema, { headers: bearer(refreshJwt) });
}

export function deleteSession(server: Server, refreshJwt: string) {
  return post(server, 'com.atproto.server.deleteSession', Ignored, { headers: bearer(refreshJwt) });
}

/** com.atproto.repo.uploadBlob: idempotent. The size limit is enforced when a record uses the blob. */
export function uploadBlob(server: Server, accessJwt: string, bytes: Uint8Array, type: string) {
  return post(server, 'com.atproto.repo.uploadBlob', UploadSchema, {
    headers: { ...bearer(accessJwt), 'content-type': type },
    body: bytes,
    timeoutMs: UPLOAD_MS,
  });
}

export interface PostRecord {
  repo: string;
  rkey: string;
  record: JsonObject;
}

/**
 * com.atproto.repo.putRecord with `swapRecord: null`: creates the record. Repeating it with the identical record succeeds
 * again; with another record it is refused with `InvalidSwap`.
 */
export function putPost(server: Server, accessJwt: string, { repo, rkey, record }: PostRecord) {
  const { headers, body } = json({ repo, collection: COLLECTION, rkey, record, swapRecord: null });
  return post(server, 'com.atproto.repo.putRecord', WrittenSchema, {
    headers: { ...headers, ...bearer(accessJwt) },
    body,
  });
}

export function getPost(server: Server, repo: string, rkey: string) {
  return get(server, 'com.atproto.repo.getRecord', { repo, collection: COLLECTION, rkey }, RecordSchema);
}

export function getProfile(server: Server, accessJwt: string, actor: string) {
  return get(server, 'app.bsky.actor.getProfile', { actor }, ProfileSchema, bearer(accessJwt));
}

/** app.bsky.feed.getPosts: at most 25. Posts that were deleted or are not indexed yet are missing. */
export function getPostCounts(server: Server, uris: readonly string[]) {
  const parameters = uris.map((uri): [string, string] => ['uris', uri]);
  return get(server, 'app.bsky.feed.getPosts', parameters, CountsSchema);
}

export function resolveHandle(server: Server, handle: string) {
  return get(server, 'com.atproto.identity.resolveHandle', { handle }, HandleSchema);
}

/**
 * Fetches a JSON document outside of XRPC, such as a DID document; null when it does not exist. Throws PlatformError
 * when the server does not answer.
 */
export async function getDocument(http: HttpClient, url: string): Promise<unknown> {
  const response = await sendRequest(http, { method: 'GET', url, timeoutMs: LOOKUP_MS }, 'The DID lookup');
  if (response.status >= 500 || response.status === 429) {
    throw new PlatformError({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: `The DID lookup: ${new URL(url).host} answered with status ${response.status}`,
    });
  }
  return response.status === 200 ? parseJson(response.body.toString()) : null;
}

/** Returns the value of a success. Throws PlatformError for an error response. */
export function valueOf<T>(answer: Result<T>): T {
  if (answer.ok) return answer.value;
  throw toPlatformError(answer.errorResponse);
}

interface Outgoing {
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs?: number;
}

function post<T>(
  server: Server,
  name: string,
  schema: v.GenericSchema<unknown, T>,
  { headers = {}, body, timeoutMs = CALL_MS }: Outgoing,
): Promise<Result<T>> {
  const request = { method: 'POST', url: xrpcUrl(server, name), headers, timeoutMs } as const;
  return call(server, name, schema, body === undefined ? request : { ...request, body });
}

function get<T>(
  server: Server,
  name: string,
  parameters: Record<string, string> | readonly [string, string][],
  schema: v.GenericSchema<unknown, T>,
  headers: Record<string, string> = {},
): Promise<Result<T>> {
  const url = `${xrpcUrl(server, name)}?${new URLSearchParams(parameters).toString()}`;
  return call(server, name, schema, { method: 'GET', url, headers, timeoutMs: LOOKUP_MS });
}

async function call<T>(
  server: Server,
  name: string,
  schema: v.GenericSchema<unknown, T>,
  request: HttpRequest,
): Promise<Result<T>> {
  const response = await sendRequest(server.http, request, name);
  const body = parseJson(response.body.toString());
  if (response.status < 200 || response.status > 299) {
    return { ok: false, errorResponse: errorResponseOf(name, response, body) };
  }
  const parsed = v.safeParse(schema, body);
  if (parsed.success) return { ok: true, value: parsed.output };
  throw new PlatformError({
    kind: 'transient',
    code: 'PLATFORM_UNAVAILABLE',
    message: `${name}: the response does not match its lexicon`,
    outcomeUnknown: true,
  });
}

const shortened = v.pipe(
  v.string(),
  v.transform(message => message.slice(0, 1000)),
);
const ErrorBody = v.fallback(
  v.object({ error: v.fallback(shortened, ''), message: v.fallback(shortened, '') }),
  { error: '', message: '' },
);

function errorResponseOf(call: string, { status, headers }: HttpResponse, body: unknown): ErrorResponse {
  return { call, status, headers, ...v.parse(ErrorBody, body) };
}

function xrpcUrl({ url }: Server, name: string): string {
  return `${url.replace(/\/+$/, '')}/xrpc/${name}`;
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

function json(value: JsonObject) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
