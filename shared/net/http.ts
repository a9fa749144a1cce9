import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { HttpFailure, toHttpFailure } from './failure.ts';
import { keepPace, PACE, type Pace } from './pace.ts';
import { checkedUrl, mayReach } from './public-url.ts';
import { resolveHost, type Resolve } from './resolve.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

export { HttpFailure } from './failure.ts';
export type { Resolve } from './resolve.ts';

/** Not by `import`, which reads every export of the module: that of `WebSocket` loads Undici, at 25 ms of each cold start. */
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

export interface HttpRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array | { stream: Readable; length: number };
  /** Limits the whole exchange, from the DNS lookup to the last byte of the response. Milliseconds. */
  timeoutMs: number;
  /** A longer response fails. Bytes, default 4 MiB. */
  maxBytes?: number;
  /** For a host that a user chose: when the response must begin, in milliseconds from now, and then keep a pace. */
  answerMs?: number;
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
  resolve: Resolve = resolveHost,
  pace: Pace = PACE,
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
    outgoing.once('response', stream => {
      if (request.answerMs !== undefined) keepPace(stream, pace);
      answer({ status: stream.statusCode ?? 0, headers: flatHeaders(stream), stream });
    });
    if (request.answerMs !== undefined) limitAnswer(outgoing, request.answerMs);
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

/** Shares one lookup between all requests that wait for the same name. */
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

function limitAnswer(outgoing: ClientRequest, ms: number): void {
  const failure = () =>
    new HttpFailure('timeout', 'The host did not answer in time', outgoing.writableFinished);
  const timer = setTimeout(() => outgoing.destroy(failure()), ms);
  outgoing.once('response', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
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
