import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { listen, readBody, stop } from '../http.ts';
import { CDN_PATH, type Cdn } from '../s3/cdn.ts';
import type { Outcome } from '../lambda/environment.ts';
import type { ApiRoute } from '../template/resources.ts';
import {
  MAX_BODY_BYTES,
  notFound,
  starting,
  timedOut,
  toAnswer,
  tooLarge,
  type GatewayAnswer,
} from './answer.ts';
import { toEvent } from './event.ts';
import { createRouter } from './routes.ts';

export interface GatewayParts {
  routes: readonly ApiRoute[];
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
  now: () => number;
  /** Answers below `/_local`. */
  local: Hono;
  /** Answers below `/_cdn`. */
  cdn: Cdn;
}

export interface Gateway {
  /** Origin, without a path. */
  url: string;
  /** What stands behind it; requests before that are told to wait. */
  open: (parts: GatewayParts) => void;
  close: () => Promise<void>;
}

/** The gateway's own patience; the functions' time-outs are shorter. */
const TIME_LIMIT_MS = 30_000;
/** Longer than clients keep an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 75_000;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The HTTP API of the template. Listens at once, so that its address can be told to the functions. */
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
  const answerLocal = getRequestListener(new Hono().route('/_local', local).fetch, {
    overrideGlobalObjects: false,
  });

  async function answer(request: IncomingMessage): Promise<GatewayAnswer> {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
    const match = route(method, url.pathname);
    if (!match) return notFound();
    const body = await readBody(request, MAX_BODY_BYTES);
    if (!body) return tooLarge(url);
    const { headers, socket } = request;
    const sourceIp = socket.remoteAddress ?? '127.0.0.1';
    const event = toEvent({ method, url, headers, sourceIp, body, now: now() }, match);
    return withinLimit(invoke(match.route.function, event).then(toAnswer));
  }

  return async (request, response) => {
    if (request.url?.startsWith('/_local/')) await answerLocal(request, response);
    else if (request.url?.startsWith(`${CDN_PATH}/`)) await cdn(request, response);
    else send(response, request.method ?? 'GET', await answer(request));
  };
}

async function withinLimit(answer: Promise<GatewayAnswer>): Promise<GatewayAnswer> {
  const cancel = new AbortController();
  const limit = sleep(TIME_LIMIT_MS, timedOut(), { signal: cancel.signal }).catch(timedOut);
  const first = await Promise.race([answer, limit]);
  cancel.abort();
  return first;
}

function send(response: ServerResponse, method: string, answer: GatewayAnswer): void {
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) {
    if (name !== 'content-length') response.setHeader(name, value);
  }
  if (answer.cookies.length > 0) response.setHeader('set-cookie', answer.cookies);
  const bodiless = answer.status === 204 || answer.status === 304;
  if (!bodiless) response.setHeader('content-length', answer.body.length);
  // A body that was not read to its end cannot be followed by another request on the connection.
  if (answer.status === 413) response.setHeader('connection', 'close');
  response.end(bodiless || method === 'HEAD' ? undefined : answer.body);
}
