import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { SandboxPlatform } from '../../shared/platforms/contract/sandbox.ts';
import type { Fault, Faults, Respond } from './faults.ts';
import type { Exchange, Traffic } from './traffic.ts';

/** Names the Lambda environment that sends a request. Ours, hence not for the platform's eyes. */
const ENVIRONMENT_HEADER = 'x-local-environment';
/** What belongs to one connection, and not to the request (RFC 9110, 7.6.1). */
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
  platforms: ReadonlyMap<PlatformId, SandboxPlatform>;
  faults: Faults;
  traffic: Traffic;
  /** Ends the Lambda environment of this name at once. */
  kill: (environment: string) => void | Promise<void>;
}

interface Answer {
  status: number;
  headers: [string, string][];
  body: Buffer;
}

/** Where a request goes: `/<platform>/<real host>/<path>?<query>`, path and query as raw as they came. */
interface Target {
  double: SandboxPlatform;
  host: string;
  path: string;
  query: string;
}

/**
 * Handles traffic to a platform: faults, the double, the record, the answer. False where the URL names no platform.
 */
export async function proxy(
  parts: ProxyParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const target = targetOf(parts.platforms, request.url ?? '/');
  if (!target) return false;
  const exchange = await exchangeOf(request, target, parts.now());
  if (!knowsHost(target.double.app, target.host)) {
    send(response, exchange.method, unknownHost(target, exchange, parts.traffic));
    return true;
  }

  const fault = parts.faults.take(exchange);
  const environment = request.headers[ENVIRONMENT_HEADER];
  const cut = async (when: 'before' | 'after'): Promise<boolean> => {
    if (fault?.kill !== when && fault?.drop !== when) return false;
    await sleep(fault.delay_ms);
    if (fault.kill === when && typeof environment === 'string') await parts.kill(environment);
    request.socket.destroy();
    return true;
  };

  if (fault?.kill === 'before' || fault?.drop === 'before') parts.traffic.record(exchange);
  if (await cut('before')) return true;
  const answer = await answerOf(parts.url, target, exchange, fault);
  parts.traffic.record({ ...exchange, answer: { ...answer, contentType: contentTypeOf(answer) } });
  if (await cut('after')) return true;
  if (fault) await sleep(fault.delay_ms);
  send(response, exchange.method, answer);
  return true;
}

function targetOf(platforms: ProxyParts['platforms'], url: string): Target | null {
  const [, platform = '', host = '', path = '', query = ''] =
    /^\/([^/?]+)(?:\/([^/?]*))?(\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? [];
  const double = [...platforms.values()].find(one => one.platform === platform);
  return double ? { double, host, path: path === '' ? '/' : path, query } : null;
}

async function exchangeOf(request: IncomingMessage, target: Target, at: number): Promise<Exchange> {
  const { host, path, query, double } = target;
  const method = request.method ?? 'GET';
  const headers = headersOf(request.rawHeaders, host);
  return {
    at,
    platform: double.platform,
    method,
    host,
    path,
    query,
    headers,
    body: await bodyOf(request),
    answer: null,
  };
}

/** Lower-case names, repeats joined, and the real host in the place of ours. */
function headersOf(raw: readonly string[], host: string): Record<string, string> {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index] ?? '', raw[index + 1] ?? '');
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  headers.set('host', host);
  return Object.fromEntries(headers);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    const bytes: unknown = chunk;
    if (Buffer.isBuffer(bytes)) chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** A double's routes tell which hosts it plays: the first segment of each, any where that is a parameter. */
function knowsHost(app: Hono, host: string): boolean {
  return hostsOf(app).some(known => known === host || known.startsWith(':'));
}

function hostsOf(app: Hono): string[] {
  return [...new Set(app.routes.map(({ path }) => path.split('/')[1] ?? ''))].filter(
    host => !['', '*'].includes(host),
  );
}

function unknownHost({ double, host }: Target, exchange: Exchange, traffic: Traffic): Answer {
  const known = hostsOf(double.app).join(', ');
  const error = `The sandbox of ${double.platform} plays no host '${host}'. It plays: ${known}`;
  const answer = jsonAnswer(404, { error });
  traffic.record({ ...exchange, answer: { ...answer, contentType: contentTypeOf(answer) } });
  return answer;
}

function jsonAnswer(status: number, body: unknown): Answer {
  return { status, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify(body)) };
}

async function answerOf(
  url: string,
  target: Target,
  exchange: Exchange,
  fault: Fault | null,
): Promise<Answer> {
  if (fault?.respond?.taken === false) return cannedAnswer(fault.respond);
  const answer = await answerOfDouble(url, target, exchange);
  return fault?.respond ? cannedAnswer(fault.respond) : answer;
}

async function answerOfDouble(
  url: string,
  { double, host, path, query }: Target,
  exchange: Exchange,
): Promise<Answer> {
  const bodiless = exchange.method === 'GET' || exchange.method === 'HEAD';
  const request = new Request(`${url}/${host}${path}${query === '' ? '' : `?${query}`}`, {
    method: exchange.method,
    headers: exchange.headers,
    body: bodiless ? null : new Uint8Array(exchange.body),
  });
  const response = await double.app.fetch(request);
  return {
    status: response.status,
    headers: [...response.headers],
    body: Buffer.from(await response.arrayBuffer()),
  };
}

function cannedAnswer({ status, headers, body }: Respond): Answer {
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

function contentTypeOf({ headers }: Answer): string {
  return headers.find(([name]) => name === 'content-type')?.[1] ?? '';
}

function send(response: ServerResponse, method: string, { status, headers, body }: Answer): void {
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
