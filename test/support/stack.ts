import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Ready } from '../../local/ready.ts';
import { ENV } from '../../shared/aws/env.ts';
import { assertDocumented } from './openapi.ts';

/** What an answer holds: plain JSON, read by name. */
export type Json = ReturnType<typeof JSON.parse>;

/** The body is what the test says it is: a wrong name fails the test. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export interface TestStack extends Ready {
  /**
   * Calls the API below `/v1` with the owner's key; `headers` may replace what is sent. Fails where the OpenAPI document
   * does not know the answer.
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
  /** The parts behind the API: an endpoint that speaks as AWS does, and the names of the table and the bucket there. */
  aws: { endpoint: string; table: string; bucket: string };
  /** Moves the clock of the whole stack on. */
  advance: (seconds: number) => Promise<void>;
  /** Waits until the condition gives a value; fails with its name after the limit. */
  until: <T>(
    what: string,
    condition: () => Promise<T | null | false | undefined>,
    limitMs?: number,
  ) => Promise<T>;
  /** Ends the stack; with `SIGKILL` as a power cut would. */
  close: (signal?: NodeJS.Signals) => Promise<void>;
}

export interface StackOptions {
  /** Keeps the state in this folder; default: nothing is kept. */
  data?: string;
  /** More options of `npm start`. */
  args?: string[];
  env?: Record<string, string>;
}

const PROGRAM = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));
const START_LIMIT_MS = 120_000;

/** Starts the whole local stack in a process of its own, as `npm start` does. */
export async function startStack({ data, args = [], env = {} }: StackOptions = {}): Promise<TestStack> {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  const readyFile = join(folder, 'ready.json');
  const state = data === undefined ? ['--ephemeral'] : ['--data', data];
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      ...state,
      '--port',
      '0',
      '--scheduler-jitter',
      '0',
      '--ready-file',
      readyFile,
      '--quiet',
      ...args,
    ],
    // A database of its own: the stacks of two test files must not see each other's work.
    { stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, DYNAMODB_ENDPOINT: '', ...env } },
  );
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-4000)));
  const tellEnd = (code: number | null, signal: string | null) =>
    console.error(`The local stack ended by itself (${signal ?? code}): ${complaint}`);
  child.once('exit', tellEnd);
  // A test run that dies takes its stack along.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const ready = await readReady(readyFile, child, () => complaint).catch((error: unknown) => {
    child.off('exit', tellEnd);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });

  async function close(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    process.off('exit', killWithUs);
    child.off('exit', tellEnd);
    await end(child, signal);
    rmSync(folder, { recursive: true, force: true });
  }

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
    aws: readAws(data === undefined ? `${readyFile}.stack` : join(data, 'stack.json')),
    advance: async seconds => {
      await local('POST', '/_local/clock', { advance_seconds: seconds });
    },
    until,
    close,
  };
}

async function readReady(file: string, child: ChildProcess, complaint: () => string): Promise<Ready> {
  const limit = performance.now() + START_LIMIT_MS;
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`The local stack ended at its start: ${complaint()}`);
    if (performance.now() > limit) {
      await end(child, 'SIGKILL');
      throw new Error(`The local stack was not ready within ${START_LIMIT_MS / 1000} s: ${complaint()}`);
    }
    await sleep(50);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

function readAws(file: string): TestStack['aws'] {
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
  limitMs = 90_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > limit) throw new Error(`It did not happen within ${limitMs / 1000} s: ${what}`);
    await sleep(50);
  }
}
