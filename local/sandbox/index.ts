import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import type { SandboxDefinition } from '../../shared/platforms/contract/sandbox.ts';
import { SANDBOXES } from '../../shared/platforms/registry/sandboxes.ts';
import { listen, stop } from '../http.ts';
import type { Overview } from '../overview.ts';
import type { LocalStore } from '../store.ts';
import { controlApp, reset, type ControlParts } from './control.ts';
import { openPlatformIngest, recordingsApp } from './live.ts';
import { createFaults } from './faults.ts';
import { createHost, type HostParts } from './host.ts';
import { makeFiles } from './media/files.ts';
import { mediaApp } from './media/serve.ts';
import { openMediaStore } from './media-store.ts';
import { pageApp } from './page/page.ts';
import type { PlayedPlatform, PlayedPlatforms } from './played.ts';
import { proxy } from './proxy.ts';
import { createReceivers } from './receivers.ts';
import { openState } from './state.ts';
import { createTraffic } from './traffic.ts';

export type SandboxDefinitions = Readonly<Partial<Record<PlatformId, SandboxDefinition>>>;

export interface SandboxOptions {
  /** 0 for any free port. */
  port: number;
  /** The stack's clock, epoch milliseconds. */
  now: () => number;
  /** Folder of the files that platforms receive; by default a temporary one. */
  folder?: string;
  /** Keeps accounts and published posts; null to keep nothing. */
  store?: LocalStore | null;
  /** Terminates the Lambda environment named by the header `x-local-environment` of a request. */
  kill?: (environmentId: string) => void | Promise<void>;
  /** Mounted at `/_local`. */
  local?: Hono;
  /** Signing secrets of the webhooks with this URL. */
  secretsOf?: (url: string) => readonly string[];
  /** The posts of the API, for the page. */
  overview?: () => Promise<Overview | null>;
  /** Port of the RTMP ingest; by default any free one. */
  ingestPort?: number;
  /** Platforms to play; all by default. */
  definitions?: SandboxDefinitions;
}

export interface Sandbox {
  url: string;
  platforms: PlayedPlatforms;
  /** What the control endpoints work on, for the process that runs the sandbox. */
  control: ControlParts & { reset: () => void };
  close: () => Promise<void>;
}

/** Longer than any client keeps an idle connection, so that none is closed while a request is sent. */
const KEEP_ALIVE_MS = 620_000;

/** Starts the sandbox on 127.0.0.1: fake platform servers, control API, webhook receivers, media files and the page. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { now, store = null, kill = () => undefined, definitions = SANDBOXES } = options;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  const url = await listen(server, options.port);
  const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sandbox-'));
  const state = openState(store);
  const mediaStore = openMediaStore(folder, store);
  const platforms = startPlatforms(definitions, { url, now, state, store, mediaStore, http });
  const ingest = await openPlatformIngest(platforms, join(folder, 'live'), options.ingestPort ?? 0);
  const control: ControlParts = {
    state,
    platforms,
    mediaStore,
    ingest,
    overview: options.overview ?? (() => Promise.resolve(null)),
    faults: createFaults(),
    traffic: createTraffic({ secretsOf: id => platforms.get(id)?.definition.secrets }),
    receivers: createReceivers(
      now,
      name => options.secretsOf?.(`${url}/_receiver/${encodeURIComponent(name)}`) ?? [],
    ),
  };

  const recordings = recordingsApp(platforms, ingest.record);
  const own = getRequestListener(ownApp(control, recordings, options.local).fetch, {
    overrideGlobalObjects: false,
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const handled = await proxy({ ...control, url, now, kill }, request, response);
    if (!handled) await own(request, response);
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
    close: async () => {
      http.close();
      await Promise.all([stop(server), ingest.close()]);
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function startPlatforms(definitions: SandboxDefinitions, parts: HostParts): PlayedPlatforms {
  return new Map(
    PLATFORM_IDS.flatMap((id): [PlatformId, PlayedPlatform][] => {
      const definition = definitions[id];
      return definition ? [[id, { definition, ...definition.start(createHost(id, parts)) }]] : [];
    }),
  );
}

/** Everything but the traffic of platforms. */
function ownApp(control: ControlParts, recordings: Hono, local: Hono | undefined): Hono {
  const app = new Hono();
  app.route('/_control', controlApp(control));
  app.route('/_receiver', control.receivers.app);
  app.route('/_media', mediaApp(makeFiles()));
  app.route('/_recordings', recordings);
  if (local) app.route('/_local', local);
  app.route('/', pageApp(control));
  const prefixes = [...control.platforms.keys()].map(id => `/${id}/<host>`).join(', ');
  app.notFound(c =>
    c.json({ error: `The sandbox has no ${c.req.path}. Platforms are below ${prefixes}` }, 404),
  );
  return app;
}

/** An exception of a fake server is a bug in the sandbox. */
function fail(response: ServerResponse, error: unknown): void {
  console.error('Unexpected error in the sandbox:', error);
  if (response.headersSent) response.destroy();
  else {
    response
      .writeHead(500, { 'content-type': 'application/json' })
      .end('{"error":"Unexpected error in the sandbox"}');
  }
}
