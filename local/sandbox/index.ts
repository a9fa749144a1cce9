import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import type {
  SandboxFactory,
  SandboxHost,
  SandboxPlatform,
} from '../../shared/platforms/contract/sandbox.ts';
import { controlApp, reset, type ControlParts } from './control.ts';
import { createFaults } from './faults.ts';
import { createHost } from './host.ts';
import { keptMedia } from './kept.ts';
import { makeFiles } from './media/files.ts';
import { mediaApp } from './media/serve.ts';
import { pageApp } from './page/page.ts';
import { DOUBLES } from './platforms.ts';
import { proxy } from './proxy.ts';
import { createReceivers } from './receivers.ts';
import { newState } from './state.ts';
import { createTraffic } from './traffic.ts';

export interface SandboxOptions {
  /** 0: any free port. */
  port: number;
  /** The stack's clock, epoch milliseconds. */
  now: () => number;
  /** Ends the Lambda environment that the header `x-local-environment` of a request names. */
  kill?: (environmentId: string) => void | Promise<void>;
  /** Mounted at `/_local`. */
  local?: Hono;
  /** Signing secrets of the webhooks that point to this URL. */
  secretsOf?: (url: string) => readonly string[];
  doubles?: Readonly<Partial<Record<PlatformId, SandboxFactory>>>;
}

export interface Sandbox {
  url: string;
  platforms: ReadonlyMap<PlatformId, SandboxPlatform>;
  /** What the control endpoints work on, for the process that runs the sandbox. */
  control: ControlParts & { reset: () => void };
  close: () => Promise<void>;
}

/** Longer than any client keeps an idle connection, so that none is closed under a request. */
const KEEP_ALIVE_MS = 620_000;

/** Starts the sandbox on 127.0.0.1: the platforms' doubles, their control, receivers, media and the page. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  const url = `http://127.0.0.1:${await listen(server, options.port)}`;
  const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  const state = newState();
  const kept = keptMedia();
  const platforms = openDoubles(
    options.doubles ?? DOUBLES,
    createHost({ url, now: options.now, state, kept, http }),
  );
  const control: ControlParts = {
    state,
    platforms,
    kept,
    faults: createFaults(),
    traffic: createTraffic(),
    receivers: createReceivers(
      options.now,
      name => options.secretsOf?.(`${url}/_receiver/${encodeURIComponent(name)}`) ?? [],
    ),
  };

  const own = getRequestListener(ownApp(control, options.local).fetch, { overrideGlobalObjects: false });
  const kill = options.kill ?? (() => undefined);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const taken = await proxy({ ...control, url, now: options.now, kill }, request, response);
    if (!taken) await own(request, response);
  };
  server.on('request', (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const clientLeft = !request.complete;
      if (!clientLeft) fail(response, error);
    });
  });

  return {
    url,
    platforms,
    control: { ...control, reset: () => reset(control) },
    close: () => {
      http.close();
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}

function openDoubles(
  doubles: Readonly<Partial<Record<PlatformId, SandboxFactory>>>,
  host: SandboxHost,
): ReadonlyMap<PlatformId, SandboxPlatform> {
  return new Map(
    PLATFORM_IDS.flatMap(id => {
      const open = doubles[id];
      return open ? [[id, open(host)]] : [];
    }),
  );
}

/** All that is the sandbox's own. */
function ownApp(control: ControlParts, local: Hono | undefined): Hono {
  const app = new Hono();
  app.route('/_control', controlApp(control));
  app.route('/_receiver', control.receivers.app);
  app.route('/_media', mediaApp(makeFiles()));
  if (local) app.route('/_local', local);
  app.route('/', pageApp(control));
  app.notFound(c => c.json({ error: `The sandbox has no ${c.req.path}. ${placesOf(control)}` }, 404));
  return app;
}

function placesOf({ platforms }: ControlParts): string {
  return `Platforms are below ${[...platforms.keys()].map(id => `/${id}/<host>`).join(', ')}`;
}

/** A double that breaks is a fault of ours, and must be seen as one. */
function fail(response: ServerResponse, error: unknown): void {
  console.error('sandbox:', error);
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"The sandbox broke"}');
}
