import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stackFileBeside, stackFileIn, type Ready } from '../../local/ready.ts';
import { ENV } from '../../shared/aws/env.ts';
import { assertDocumented } from './openapi.ts';

/** Untyped JSON of a response. */
export type Json = ReturnType<typeof JSON.parse>;

/** A response whose body has the type that the test states: a wrong member name fails the test. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface TestStack extends Ready {
  /**
   * Calls the API below `/v1` with the owner's key; `headers` override the request's. Throws if the OpenAPI document does
   * not describe the response.
   */
  api: <T = Json>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>;
  /** Calls the sandbox: `/_control/…`, `/_receiver/…`. */
  control: <T = Json>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;
  /** Calls the stack itself: `/_local/…`. */
  local: <T = Json>(method: string, path: string, body?: unknown) => Promise<Answer<T>>;
  /** For `npm run admin`. */
  readyFile: string;
  /** The AWS endpoint of the stack and the names of its table and bucket. */
  aws: { endpoint: string; table: string; bucket: string };
  /** Time of the stack's clock. Epoch milliseconds. */
  now: () => Promise<number>;
  /** Advances the clock of the whole stack. */
  advance: (seconds: number) => Promise<void>;
  /** Waits until the condition returns a truthy value; throws with its description after the limit. */
  until: <T>(
    what: string,
    condition: () => Promise<T | null | false | undefined>,
    limitMs?: number,
  ) => Promise<T>;
  /** Stops the stack; `SIGKILL` simulates a power cut. */
  close: (signal?: NodeJS.Signals) => Promise<void>;
}

export interface StackOptions {
  /** Keeps the state in this folder; ephemeral by default. */
  data?: string;
  /** Further options of `npm start`. */
  args?: string[];
  env?: Record<string, string>;
  /** Root of the project; default: this one. */
  root?: string;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_LIMIT_MS = 300_000;
/** Functions stay warm for longer than by default: cold starts are most of the work of these tests. */
export const QUIET_ON_ANY_PORT = ['--port', '0', '--scheduler-jitter', '0', '--quiet', '--idle', '120'];

/** Starts the local stack in a process of its own, as `npm start` does. */
export async function startStack({
  data,
  args = [],
  env = {},
  root = ROOT,
}: StackOptions = {}): Promise<TestStack> {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  const readyFile = join(folder, 'ready.json');
  const state = data === undefined ? ['--ephemeral'] : ['--data', data];
  const child = spawn(
    process.execPath,
    [join(root, 'bin', 'local.ts'), ...state, ...QUIET_ON_ANY_PORT, '--ready-file', readyFile, ...args],
    { stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, ...databaseOf(data), ...env } },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-4000)));
  const logExit = (code: number | null, signal: string | null) =>
    console.error(`The local stack exited unexpectedly (${signal ?? code}): ${stderr}`);
  child.once('exit', logExit);
  // The stack must not outlive the test run.
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  const ready = await readReady(readyFile, child, () => stderr).catch((error: unknown) => {
    child.off('exit', logExit);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });

  async function close(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    process.off('exit', killChild);
    child.off('exit', logExit);
    await end(child, signal);
    rmSync(folder, { recursive: true, force: true });
  }

  const aws = readAws(data === undefined ? stackFileBeside(readyFile) : stackFileIn(data));
  return { ...clientOf(ready, aws), readyFile, close };
}

/**
 * Each stack has a database of its own, so that test files do not share data: in the emulator of the test run where that is
 * possible.
 */
export const databaseOf = (data?: string): Record<string, string> =>
  data === undefined && process.env['DYNAMODB_IS_SHARED'] === 'true'
    ? { DYNAMODB_ACCESS_KEY: randomUUID().replaceAll('-', '') }
    : { DYNAMODB_ENDPOINT: '' };

/** Calls a running stack with the key of `ready`. */
export function clientOf(ready: Ready, aws: TestStack['aws']): Omit<TestStack, 'close' | 'readyFile'> {
  const key = { authorization: `Bearer ${ready.api_key}` };
  const origin = new URL(ready.base_url).origin;
  const local: TestStack['local'] = (method, path, body) => call(origin + path, method, body, {});
  return {
    ...ready,
    api: async <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const answer = await call<T>(ready.base_url + path, method, body, { ...key, ...headers });
      assertDocumented(method, path, answer.status, answer.body);
      return answer;
    },
    control: (method, path, body) => call(ready.sandbox_url + path, method, body, {}),
    local,
    aws,
    now: async () => Date.parse((await local<{ now: string }>('GET', '/_local/clock')).body.now),
    advance: async seconds => {
      await local('POST', '/_local/clock', { advance_seconds: seconds });
    },
    until,
  };
}

/** Waits until the stack is ready. Throws if it exits before. */
export async function readReady(
  file: string,
  child: ChildProcess | null,
  stderr: () => string,
): Promise<Ready> {
  const limit = performance.now() + START_LIMIT_MS;
  while (!existsSync(file)) {
    if (child && child.exitCode !== null) throw new Error(`The local stack exited at start: ${stderr()}`);
    if (performance.now() > limit) {
      if (child) await end(child, 'SIGKILL');
      throw new Error(`The local stack was not ready within ${START_LIMIT_MS / 1000} s: ${stderr()}`);
    }
    await sleep(50);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

export function readAws(file: string): TestStack['aws'] {
  const { aws_endpoint, table, environment } = JSON.parse(readFileSync(file, 'utf8')) as {
    aws_endpoint: string;
    table: string;
    environment: Record<string, string>;
  };
  return { endpoint: aws_endpoint, table, bucket: environment[ENV.mediaBucket]! };
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

async function call<T>(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer<T>> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  const answer = await fetch(url, {
    method,
    headers: { ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? null : isRaw ? (body as RequestInit['body'] & {}) : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await answer.text();
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as T };
}

async function until<T>(
  what: string,
  condition: () => Promise<T | null | false | undefined>,
  limitMs = 300_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > limit) throw new Error(`Timed out after ${limitMs / 1000} s: ${what}`);
    await sleep(50);
  }
}
