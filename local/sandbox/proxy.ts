import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBody } from '../http.ts';
import type { Fault, Faults, Respond } from './faults.ts';
import { playsHost, type PlayedPlatform, type PlayedPlatforms } from './played.ts';
import type { Exchange, Traffic } from './traffic.ts';

/** Names the Lambda environment that sends the request. Not part of the platform's traffic. */
const ENVIRONMENT_HEADER = 'x-local-environment';
/** Headers of the connection, not of the request (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'upgrade',
  'expect',
  ENVIRONMENT_HEADER,
];
const NO_BODY = [204, 304];

export interface ProxyParts {
  url: string;
  now: () => number;
  platforms: PlayedPlatforms;
  faults: Faults;
  traffic: Traffic;
  /** Terminates a Lambda environment. */
  kill: (environment: string) => void | Promise<void>;
}

interface ProxiedResponse {
  status: number;
  headers: [string, string][];
  body: Buffer;
}

/** Parts of `/<platform>/<real host>/<path>?<query>`; path and query are not decoded. */
interface Target {
  platform: PlayedPlatform;
  host: string;
  path: string;
  query: string;
}

/**
 * Handles a request to a platform: applies faults, calls the fake server, records the traffic and responds. Returns false
 * if the URL names no platform.
 */
export async function proxy(
  parts: ProxyParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const target = targetOf(parts.platforms, request.url ?? '/');
  if (!target) return false;
  const exchange = await exchangeOf(request, target, parts.now());
  if (!playsHost(target.platform, target.host)) {
    send(response, exchange.method, unknownHost(target, exchange, parts.traffic));
    return true;
  }

  const fault = parts.faults.take(exchange);
  const environment = environmentOf(request);
  const interrupt = async (when: 'before' | 'after'): Promise<boolean> => {
    if (fault?.kill !== when && fault?.drop !== when) return false;
    await sleep(fault.delay_ms);
    if (fault.kill === when && environment !== null) await parts.kill(environment);
    request.socket.destroy();
    return true;
  };

  if (fault?.kill === 'before' || fault?.drop === 'before') parts.traffic.record(exchange);
  if (await interrupt('before')) return true;
  const result = await respond(parts.url, target, exchange, fault);
  parts.traffic.record({ ...exchange, response: { ...result, contentType: contentTypeOf(result) } });
  if (await interrupt('after')) return true;
  if (fault) await sleep(fault.delay_ms);
  send(response, exchange.method, result);
  return true;
}

function targetOf(platforms: ProxyParts['platforms'], url: string): Target | null {
  const [, id = '', host = '', path = '', query = ''] =
    /^\/([^/?]+)(?:\/([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? [];
  const platform = [...platforms.values()].find(({ definition }) => definition.platform === id);
  return platform ? { platform, host, path: path === '' ? '/' : path, query } : null;
}

async function exchangeOf(request: IncomingMessage, target: Target, at: number): Promise<Exchange> {
  const { host, path, query, platform } = target;
  const method = request.method ?? 'GET';
  const headers = headersOf(request.rawHeaders, host);
  return {
    at,
    platform: platform.definition.platform,
    method,
    host,
    path,
    query,
    headers,
    body: await readBody(request),
    caller: environmentOf(request)?.replace(/:\d+$/, '') ?? null,
    response: null,
  };
}

function environmentOf({ headers }: IncomingMessage): string | null {
  const environment = headers[ENVIRONMENT_HEADER];
  return typeof environment === 'string' ? environment : null;
}

/** Headers by lower-case name, repeated ones joined, with the platform's host in place of the sandbox's. */
function headersOf(raw: readonly string[], host: string): Record<string, string> {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? '', raw[index + 1] ?? '');
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  headers.set('host', host);
  return Object.fromEntries(headers);
}

function unknownHost({ platform, host }: Target, exchange: Exchange, traffic: Traffic): ProxiedResponse {
  const { definition } = platform;
  const error = `The sandbox of ${definition.platform} does not play the host '${host}', only ${definition.hosts.join(', ')}`;
  const result = jsonResponse(404, { error });
  traffic.record({ ...exchange, response: { ...result, contentType: contentTypeOf(result) } });
  return result;
}

function jsonResponse(status: number, body: unknown): ProxiedResponse {
  return { status, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify(body)) };
}

async function respond(
  url: string,
  target: Target,
  exchange: Exchange,
  fault: Fault | null,
): Promise<ProxiedResponse> {
  if (fault?.respond?.taken === false) return injectedResponse(fault.respond);
  const result = await callPlatform(url, target, exchange);
  return fault?.respond ? injectedResponse(fault.respond) : result;
}

async function callPlatform(
  url: string,
  { platform, host, path, query }: Target,
  exchange: Exchange,
): Promise<ProxiedResponse> {
  const bodiless = exchange.method === 'GET' || exchange.method === 'HEAD';
  const request = new Request(`${url}/${host}${path}${query === '' ? '' : `?${query}`}`, {
    method: exchange.method,
    headers: exchange.headers,
    body: bodiless ? null : new Uint8Array(exchange.body),
  });
  const response = await platform.app.fetch(request);
  return {
    status: response.status,
    headers: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()),
  };
}

function injectedResponse({ status, headers, body }: Respond): ProxiedResponse {
  const isText = typeof body === 'string';
  const looksJson = !isText || /^\s*[[{]/.test(body);
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  const typed = body === undefined || given.some(([name]) => name === 'content-type');
  const type: [string, string] = [
    'content-type',
    looksJson ? 'application/json' : 'text/plain; charset=utf-8',
  ];
  return {
    status,
    headers: typed ? given : [...given, type],
    body: Buffer.from(body === undefined ? '' : isText ? body : JSON.stringify(body)),
  };
}

function contentTypeOf({ headers }: ProxiedResponse): string {
  return headers.find(([name]) => name === 'content-type')?.[1] ?? '';
}

function send(response: ServerResponse, method: string, { status, headers, body }: ProxiedResponse): void {
  response.statusCode = status;
  for (const [name, value] of headers) {
    if (!['content-length', ...CONNECTION_HEADERS].includes(name)) response.appendHeader(name, value);
  }
  if (NO_BODY.includes(status)) {
    response.end();
  } else {
    if (method !== 'HEAD') response.setHeader('content-length', body.length);
    response.end(method === 'HEAD' ? undefined : body);
  }
}
