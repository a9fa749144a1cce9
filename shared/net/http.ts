import { lookup } from 'node:dns/promises';
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPublicAddress } from './address.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | { stream: Readable; length: number };
  /** Ends the whole exchange, from the look-up to the last byte of the answer. Milliseconds. */
  timeoutMs: number;
  /** Largest answer that is read; more is a failure. Bytes, default 4 MiB. */
  maxBytes?: number;
}

export interface HttpResponse {
  status: number;
  /** Lower-case names; repeats joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Sends one request and reads the whole answer. Never follows a redirect. Throws HttpFailure when no answer came. */
export type Http = (request: HttpRequest) => Promise<HttpResponse>;

export interface OpenResponse {
  status: number;
  headers: Record<string, string>;
  stream: IncomingMessage;
}

/** No answer. `sent` tells whether the whole request had left, so that the other side may have acted on it. */
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

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

const resolveAll: Resolve = host => lookup(host, { all: true });

export interface HttpClient {
  send: Http;
  /** Like `send`, but gives the answer's body as a stream. The time-out then ends the reading too. */
  open(request: HttpRequest): Promise<OpenResponse>;
  /** Closes idle connections. A frozen Lambda must not keep any: they are dead when it thaws. */
  close(): void;
}

const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/**
 * The one way out. Each address is checked after the look-up and the connection goes to just that address, so neither
 * a private literal nor a name that changes its answer gets through.
 */
export function createHttpClient(
  settings: NetSettings = readNetSettings(),
  resolve: Resolve = resolveAll,
): HttpClient {
  const guarded = guardedLookup(settings, shared(resolve));
  const agents = {
    // As many connections as there are requests: one that waits for its turn would wait for another's answer.
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
    outgoing.once('error', error => reject(asFailure(error, outgoing.writableFinished)));
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

/** Reads a stream up to a limit. Throws HttpFailure `too_large` beyond it, `network` or `timeout` when it breaks. */
export async function readAll(stream: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      size += bytes.length;
      if (size > maxBytes) {
        stream.destroy();
        throw new HttpFailure('too_large', `The answer is larger than ${maxBytes} bytes`, true);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    throw error instanceof HttpFailure ? error : asFailure(error, true);
  }
  return Buffer.concat(chunks);
}

/** What is wrong with a URL as it is written, before anybody asks where its name leads; null for nothing. */
export function urlFault(text: string, settings: NetSettings = readNetSettings()): string | null {
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
    throw new HttpFailure('blocked', 'Only http and https URLs are fetched', false);
  }
  if (url.username || url.password) {
    throw new HttpFailure('blocked', 'A URL must not carry credentials', false);
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

/** Asks once for all who wait for the same name: each look-up holds a thread for as long as name servers take. */
function shared(resolve: Resolve): Resolve {
  const running = new Map<string, ReturnType<Resolve>>();
  return host => {
    const known = running.get(host);
    if (known) return known;
    const asked = resolve(host).finally(() => running.delete(host));
    running.set(host, asked);
    return asked;
  };
}

/** Longest time that a name may take to be looked up where nothing else limits it. */
const LOOKUP_LIMIT_MS = 5_000;

/** Checks a host name the way a connection would, without connecting. Throws HttpFailure. */
export async function assertPublicUrl(
  text: string,
  settings: NetSettings = readNetSettings(),
  resolve: Resolve = resolveAll,
  limitMs = LOOKUP_LIMIT_MS,
): Promise<void> {
  const url = checkedUrl(text, settings);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return;
  const late = sleep(limitMs, null, { ref: false });
  const addresses = await Promise.race([resolve(host).catch(() => []), late]);
  if (addresses === null) throw new HttpFailure('timeout', `${host} was not resolved in time`, false);
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
  body.stream.once('error', error => outgoing.destroy(error));
  body.stream.pipe(outgoing);
}

function flatHeaders(stream: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(stream.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function asFailure(error: unknown, sent: boolean): HttpFailure {
  if (error instanceof HttpFailure) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (cause.cause instanceof HttpFailure) return cause.cause;
  // By its text, not its class: the class of another realm (a test runner's) is not ours.
  const timedOut = /^(?:Timeout|Abort)Error\b/.test(String(error));
  return new HttpFailure(timedOut ? 'timeout' : 'network', cause.message, sent);
}
