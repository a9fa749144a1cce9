import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { openCollection } from '../../local/sandbox/collections.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { createHttpClient, type HttpClient } from '../../shared/net/http.ts';
import { platformHttp } from '../../shared/net/platform-http.ts';
import type { NetSettings } from '../../shared/net/settings.ts';
import type {
  SandboxDefinition,
  SandboxHost,
  SandboxPlatform,
  SandboxPost,
} from '../../shared/platforms/contract/sandbox.ts';
import { trafficFile } from './record-traffic.ts';
import { memoryStorage, serveMedia } from './sandbox-files.ts';
import { PATIENT } from './server.ts';

/** A request as the fake server received it, with the platform's real URL. */
export interface Recorded {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Status of the response; 0 if the connection was dropped. */
  status: number;
  response: string;
}

/** A fault for the next request whose real URL matches. */
export interface Fault {
  match?: RegExp;
  method?: string;
  /** Number of matching requests; default 1. */
  times?: number;
  /** Response in place of the fake server's. */
  respond?: { status: number; headers?: Record<string, string>; body?: string };
  /** Drops the connection before or after the fake server processes the request. */
  drop?: 'before' | 'after';
}

type Processing = ReturnType<SandboxHost['processing']>;

export interface TestSandbox {
  url: string;
  platform: SandboxPlatform;
  /** Sends requests for the platform's real URLs to the fake server. */
  http: HttpClient;
  /** Sends requests to media URLs; loopback is allowed. */
  media: HttpClient;
  settings: NetSettings;
  posts: () => readonly SandboxPost[];
  traffic: Recorded[];
  now: () => number;
  advance: (ms: number) => void;
  failNext: (fault: Fault) => void;
  /** Serves bytes and returns their URL. */
  addMedia: (name: string, bytes: Uint8Array) => string;
  setProcessing: (processing: Partial<Processing>) => void;
  setLimit: (limit: JsonObject | null) => void;
  setMetrics: (platformPostId: string, metrics: JsonObject) => void;
  close: () => Promise<void>;
}

export interface TestSandboxOptions {
  /** Initial time, epoch milliseconds. */
  now?: number;
  /** Keeps what the platform receives; in memory by default. */
  storage?: Pick<SandboxHost, 'storeMedia' | 'openUpload'>;
  /** Passes requests on to the platform, in place of faults and the record of the traffic. */
  passOn?: (
    request: Request,
    forward: (body: Request['body'] | Buffer) => Promise<Response>,
  ) => Promise<Response>;
}

const START = Date.parse('2026-03-02T10:00:00Z');

/** Runs the fake server of one platform on a free loopback port, with faults and a clock of its own. */
export async function startSandboxHost(
  definition: SandboxDefinition,
  options: TestSandboxOptions = {},
): Promise<TestSandbox> {
  let clock = options.now ?? START;
  let processing: Processing = { seconds: 0, outcome: 'ok', error: null };
  let limit: JsonObject | null = null;
  let posts: SandboxPost[] = [];
  const metrics = new Map<string, JsonObject>();
  const files = new Map<string, Uint8Array>();
  const received = new Map<string, Uint8Array>();
  const storage = options.storage ?? memoryStorage(received);
  const faults: Fault[] = [];
  const traffic: Recorded[] = [];
  const recording = trafficFile(definition);

  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    overrideGlobalObjects: false,
    serverOptions: PATIENT,
    fetch: (request, env) => respond(request, env as { incoming: IncomingMessage; outgoing: ServerResponse }),
  }) as Server;
  await new Promise(resolve => server.once('listening', resolve));
  // A test that fails before it closes the server must not keep the process alive.
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings: NetSettings = { sandboxUrl: url, allowLoopback: true };
  const media = createHttpClient(settings);

  const platform = definition.start({
    url,
    now: () => clock,
    publish: post => void (posts = [...posts, post]),
    unpublish: (_, id) => void (posts = posts.filter(post => post.platform_post_id !== id)),
    posts: () => posts,
    processing: () => processing,
    limit: () => limit,
    metrics: (_, id) => metrics.get(id) ?? null,
    ...storage,
    readMedia: sha256 => received.get(sha256) ?? null,
    collection: (name, schema) => openCollection(null, name, schema),
    http: media,
  });

  async function respond(
    request: Request,
    env: { incoming: IncomingMessage; outgoing: ServerResponse },
  ): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const [, first = '', host = '', ...rest] = pathname.split('/');
    if (first === '_media')
      return serveMedia(files.get([host, ...rest].join('/')), request.headers.get('range'));
    if (first !== definition.platform) return new Response('Not found', { status: 404 });

    const path = `/${rest.join('/')}`;
    const { passOn } = options;
    if (passOn) {
      const target = `${url}/${host}${path}${search}`;
      return passOn(request, body => Promise.resolve(platform.app.fetch(forwarded(request, target, body))));
    }
    const recorded: Recorded = {
      method: request.method,
      url: `https://${host}${path}${search}`,
      headers: Object.fromEntries(request.headers),
      body: Buffer.from(await request.arrayBuffer()),
      status: 0,
      response: '',
    };
    traffic.push(recorded);
    const fault = takeFault(recorded);
    if (fault?.drop === 'before') return drop(env.outgoing);
    const response = fault?.respond
      ? new Response(fault.respond.body ?? '', fault.respond)
      : await platform.app.fetch(forwarded(request, `${url}/${host}${path}${search}`, recorded.body));
    await recording?.add(clock, recorded, fault?.respond ? null : response.clone());
    if (fault?.drop === 'after') return drop(env.outgoing);
    recorded.status = response.status;
    recorded.response = await response.clone().text();
    return response;
  }

  function takeFault({ url: real, method }: Recorded): Fault | undefined {
    const index = faults.findIndex(
      fault => (fault.match?.test(real) ?? true) && (fault.method ?? method) === method,
    );
    const fault = faults[index];
    if (!fault) return undefined;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times === 0) faults.splice(index, 1);
    return fault;
  }

  return {
    url,
    platform,
    http: platformHttp(definition.platform, media, settings),
    media,
    settings,
    posts: () => posts,
    traffic,
    now: () => clock,
    advance: ms => void (clock += ms),
    failNext: fault => void faults.push({ ...fault }),
    addMedia: (name, bytes) => {
      files.set(name, bytes);
      return `${url}/_media/${name}`;
    },
    setProcessing: change => void (processing = { ...processing, ...change }),
    setLimit: value => void (limit = value),
    setMetrics: (id, value) => void metrics.set(id, value),
    close: () => {
      recording?.save();
      media.close();
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

function forwarded(request: Request, url: string, body: Request['body'] | Buffer): Request {
  const bodiless = request.method === 'GET' || request.method === 'HEAD';
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    body: bodiless ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  });
}

function drop(outgoing: ServerResponse): Response {
  outgoing.socket?.destroy();
  return new Response(null, { status: 500 });
}
