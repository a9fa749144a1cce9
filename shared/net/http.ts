import { lookup } from 'node:dns/promises';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPublicAddress } from './address.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | { stream: Readable; length: number };
  /** Limits the whole exchange, from the DNS lookup to the last byte of the response. Milliseconds. */
  timeoutMs: number;
  /** A longer response fails. Bytes, default 4 MiB. */
  maxBytes?: number;
}

export interface HttpResponse {
  status: number;
  /** Lower-case names; repeated headers are joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Sends one request and reads the whole response. Never follows a redirect. Throws HttpFailure without a response. */
export type Http = (request: HttpRequest) => Promise<HttpResponse>;

export interface OpenResponse {
  status: number;
  headers: Record<string, string>;
  stream: IncomingMessage;
}

/** Thrown without a response. `sent`: the whole request was written, so the server may have acted on it. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly reason: 'blocked' | 'network' | 'timeout' | 'too_large';
  readonly sent: boolean;
  constructor(reason: HttpFailure['reason'], message: string, sent: boolean) {
    super(message);
    this.reason = reason;
    this.sent = sent;
  }
}

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

const resolveAll: Resolve = host => lookup(host, { all: true });

export interface HttpClient {
  send: Http;
  /** Like `send`, but returns the body as a stream, which the time-out limits too. */
  open(request: HttpRequest): Promise<OpenResponse>;
  /** Closes idle connections. They do not survive the freeze between two Lambda invocations. */
  close(): void;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Creates the client for all outgoing requests. It checks every address after the DNS lookup and connects to exactly
 * that address, so neither a private IP literal nor DNS rebinding gets through.
 */
export function createHttpClient(
  settings: NetSettings = readNetSettings(),
  resolve: Resolve = resolveAll,
): HttpClient {
  const guarded = guardedLookup(settings, deduplicated(resolve));
  const agents = {
    // Unlimited connections: a queued request would wait for the response to another one.
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };

  function open(request: HttpRequest): Promise<OpenResponse> {
    const url = checkedUrl(request.url, settings);
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const { promise, resolve: answer, reject } = Promise.withResolvers<OpenResponse>();
    const outgoing = start(url, {
      method: request.method,
      headers: { ...contentLength(request.body), ...request.headers },
      agent: url.protocol === 'https:' ? agents['https:'] : agents['http:'],
      lookup: guarded,
      signal: AbortSignal.timeout(request.timeoutMs),
    });
    outgoing.once('error', error => reject(toHttpFailure(error, outgoing.writableFinished)));
    outgoing.once('response', stream =>
      answer({ status: stream.statusCode ?? 0, headers: flatHeaders(stream), stream }),
    );
    writeBody(outgoing, request.body);
    return promise;
  }

  async function send(request: HttpRequest): Promise<HttpResponse> {
    const { status, headers, stream } = await open(request);
    return { status, headers, body: await readAll(stream, request.maxBytes ?? DEFAULT_MAX_BYTES) };
  }

  function close(): void {
    agents['http:'].destroy();
    agents['https:'].destroy();
  }

  return { send, open, close };
}

/** Reads a stream to its end. Throws HttpFailure `too_large` beyond `maxBytes`, `network` or `timeout` when it breaks. */
export async function readAll(stream: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { bytes, ended, failure } = await readUpTo(stream, maxBytes);
  if (failure) throw failure;
  if (!ended) throw new HttpFailure('too_large', `The response is larger than ${maxBytes} bytes`, true);
  return bytes;
}

/** The beginning of a stream. `ended`: it was complete; `failure`: why it broke off, null if it did not. */
export interface StreamStart {
  bytes: Buffer;
  ended: boolean;
  failure: HttpFailure | null;
}

/** Reads at most `limit` bytes, then closes the connection. Never throws: what arrived before a failure is returned. */
export async function readUpTo(stream: IncomingMessage, limit: number): Promise<StreamStart> {
  const chunks: Buffer[] = [];
  let size = 0;
  let failure: HttpFailure | null = null;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      chunks.push(bytes);
      size += bytes.length;
      if (size > limit) break;
    }
  } catch (error) {
    failure = toHttpFailure(error, true);
  } finally {
    stream.destroy();
  }
  return {
    bytes: Buffer.concat(chunks).subarray(0, limit),
    ended: failure === null && size <= limit,
    failure,
  };
}

/** Returns what is wrong with a URL before its host name is resolved; null for nothing. */
export function urlProblem(text: string, settings: NetSettings = readNetSettings()): string | null {
  try {
    checkedUrl(text, settings);
    return null;
  } catch (error) {
    if (error instanceof HttpFailure) return error.message;
    throw error;
  }
}

/** Throws HttpFailure `blocked` unless the URL is plain http(s) to an address that may be reached. */
function checkedUrl(text: string, settings: NetSettings): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HttpFailure('blocked', 'Must be an http or https URL', false);
  }
  if (url.username || url.password) {
    throw new HttpFailure('blocked', 'Must not contain a user name or password', false);
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !mayReach(host, settings)) {
    throw new HttpFailure('blocked', `The address ${host} is not public`, false);
  }
  return url;
}

function mayReach(address: string, { allowLoopback, allowPrivate }: NetSettings): boolean {
  return isPublicAddress(address, allowLoopback, allowPrivate);
}

function guardedLookup(settings: NetSettings, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then(addresses => {
        const refused = addresses.find(({ address }) => !mayReach(address, settings));
        const first = addresses[0];
        if (refused || !first) {
          throw new HttpFailure('blocked', `${hostname} resolves to an address that is not public`, false);
        }
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      })
      .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''));
  };
}

/** Shares one lookup between all requests that wait for the same name: each one blocks a thread meanwhile. */
function deduplicated(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return host => {
    const known = running.get(host);
    if (known) return known;
    const lookup = resolve(host).finally(() => running.delete(host));
    running.set(host, lookup);
    return lookup;
  };
}

/** Time-out of a lookup that no request's time-out limits. */
const LOOKUP_LIMIT_MS = 5_000;

/** Checks a URL's address as a connection would, without connecting. Throws HttpFailure. */
export async function assertPublicUrl(
  text: string,
  settings: NetSettings = readNetSettings(),
  resolve: Resolve = resolveAll,
  limitMs = LOOKUP_LIMIT_MS,
): Promise<void> {
  const url = checkedUrl(text, settings);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return;
  const timeout = sleep(limitMs, null, { ref: false });
  const addresses = await Promise.race([resolve(host).catch(() => []), timeout]);
  if (addresses === null) throw new HttpFailure('timeout', `The DNS lookup of ${host} timed out`, false);
  if (addresses.length === 0) throw new HttpFailure('network', `${host} does not resolve`, false);
  if (addresses.some(({ address }) => !mayReach(address, settings))) {
    throw new HttpFailure('blocked', `${host} resolves to an address that is not public`, false);
  }
}

function contentLength(body: HttpRequest['body']): Record<string, string> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { 'content-length': String(Buffer.byteLength(body)) };
  return { 'content-length': String(body instanceof Uint8Array ? body.byteLength : body.length) };
}

function writeBody(outgoing: ClientRequest, body: HttpRequest['body']): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  // `pipeline` aborts the request without the stream's error, and ends the stream with the request.
  body.stream.once('error', error => outgoing.destroy(error));
  pipeline(body.stream, outgoing, () => undefined);
}

function flatHeaders(stream: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(stream.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function toHttpFailure(error: unknown, sent: boolean): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (cause.cause instanceof HttpFailure) return cause.cause;
  // Compared by text: in a test runner, errors come from another realm with other classes.
  const timedOut = /^(?:Timeout|Abort)Error\b/.test(String(error));
  return new HttpFailure(timedOut ? 'timeout' : 'network', cause.message, sent);
}
