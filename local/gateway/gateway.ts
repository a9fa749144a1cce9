import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { listen, readBody, stop } from '../http.ts';
import { CDN_PATH, type Cdn } from '../s3/cdn.ts';
import type { InvocationResult } from '../lambda/environment.ts';
import type { ApiRoute } from '../template/resources.ts';
import {
  MAX_BODY_BYTES,
  notFound,
  starting,
  gatewayTimeout,
  toResponse,
  tooLarge,
  type GatewayResponse,
} from './response.ts';
import { toEvent } from './event.ts';
import { createRouter } from './routes.ts';

export interface GatewayParts {
  routes: readonly ApiRoute[];
  invoke: (functionName: string, event: unknown) => Promise<InvocationResult>;
  now: () => number;
  /** Serves `/_local`. */
  local: Hono;
  /** Serves `/_cdn`. */
  cdn: Cdn;
}

export interface Gateway {
  /** Origin, without a path. */
  url: string;
  /** Connects the routes; earlier requests get 503. */
  open: (parts: GatewayParts) => void;
  close: () => Promise<void>;
}

/** Integration timeout of API Gateway; the functions' timeouts are shorter. */
const INTEGRATION_TIMEOUT_MS = 30_000;
/** Longer than clients keep idle connections, so that none is closed while a request is sent. */
const KEEP_ALIVE_MS = 75_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts the HTTP API. It listens before it is opened, so that the functions can be given its address. */
export async function startGateway(port: number): Promise<Gateway> {
  let handle: Handler = (request, response) => {
    send(response, request.method ?? 'GET', starting());
    return Promise.resolve();
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  return {
    url: await listen(server, port),
    open: parts => void (handle = createHandler(parts)),
    close: () => stop(server),
  };
}

function createHandler({ routes, invoke, now, local, cdn }: GatewayParts): Handler {
  const route = createRouter(routes);
  const handleLocal = getRequestListener(new Hono().route('/_local', local).fetch, {
    overrideGlobalObjects: false,
  });

  async function respond(request: IncomingMessage): Promise<GatewayResponse> {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const match = route(method, url.pathname);
    if (!match) return notFound();
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!body) return tooLarge(url);
    const { headers, socket } = request;
    const sourceIp = socket.remoteAddress ?? '127.0.0.1';
    const event = toEvent({ method, url, headers, sourceIp, body, now: now() }, match);
    return withTimeout(invoke(match.route.function, event).then(toResponse));
  }

  return async (request, response) => {
    if (request.url?.startsWith('/_local/')) await handleLocal(request, response);
    else if (request.url?.startsWith(`${CDN_PATH}/`)) await cdn(request, response);
    else send(response, request.method ?? 'GET', await respond(request));
  };
}

async function withTimeout(result: Promise<GatewayResponse>): Promise<GatewayResponse> {
  const cancel = new AbortController();
  const limit = sleep(INTEGRATION_TIMEOUT_MS, gatewayTimeout(), { signal: cancel.signal }).catch(
    gatewayTimeout,
  );
  const first = await Promise.race([result, limit]);
  cancel.abort();
  return first;
}

function send(response: ServerResponse, method: string, result: GatewayResponse): void {
  response.statusCode = result.status;
  for (const [name, value] of Object.entries(result.headers)) {
    if (name !== 'content-length') response.setHeader(name, value);
  }
  if (result.cookies.length > 0) response.setHeader('set-cookie', result.cookies);
  const bodiless = result.status === 204 || result.status === 304;
  if (!bodiless) response.setHeader('content-length', result.body.length);
  // The rest of the body was not read, so the connection cannot be reused.
  if (result.status === 413) response.setHeader('connection', 'close');
  response.end(bodiless || method === 'HEAD' ? undefined : result.body);
}
