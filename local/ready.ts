import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { ENV } from '../shared/aws/env.ts';
import { DEFAULT_DATA, type LocalOptions } from './options.ts';
import type { Seed } from './seed.ts';
import type { LocalStack } from './stack.ts';

/** What tools read to find a running stack. */
export interface Ready {
  /** Root of the API with its version. */
  base_url: string;
  api_key: string;
  workspace_id: string;
  sandbox_url: string;
  docs_url: string;
  pid: number;
}

export function describeReady(stack: LocalStack, { api_key, workspace_id }: Seed): Ready {
  return {
    base_url: `${stack.url}/v1`,
    api_key,
    workspace_id,
    sandbox_url: stack.sandbox.url,
    docs_url: `${stack.url}/v1/docs`,
    pid: process.pid,
  };
}

/**
 * `ready`: for every tool. `stack`: for `npm run admin`, which works on the parts behind the API; beside the ready file
 * where nothing is kept, so that such stacks do not meet.
 */
export function readyFiles({ data, readyFile }: LocalOptions): { ready: string; stack: string } {
  const ready = readyFile ?? join(data ?? DEFAULT_DATA, 'local.json');
  const isOwnPlace = data === null && readyFile !== null;
  return { ready, stack: isOwnPlace ? `${ready}.stack` : join(data ?? DEFAULT_DATA, 'stack.json') };
}

export function writeReady(files: { ready: string; stack: string }, ready: Ready, stack: LocalStack): void {
  writeJson(files.stack, {
    aws_endpoint: stack.awsUrl,
    table: stack.settings[ENV.table],
    parameter_prefix: stack.settings[ENV.parameterPrefix],
    environment: stack.settings,
    pid: process.pid,
  });
  // Last: whoever sees it finds all the rest.
  writeJson(files.ready, ready);
}

export function removeReady(files: { ready: string; stack: string }): void {
  for (const file of Object.values(files)) if (pidIn(file) === process.pid) rmSync(file, { force: true });
}

/** Throws when a stack that runs keeps its state in the same folder. */
export function refuseSecond({ data }: LocalOptions, { stack }: { stack: string }): void {
  const pid = data === null ? null : pidIn(stack);
  if (pid === null || pid === process.pid || !isAlive(pid)) return;
  throw new Error(
    `A local stack (process ${pid}) already uses ${dirname(stack)}. Stop it, or choose another --data. ` +
      `If that process is something else, delete ${stack}.`,
  );
}

function pidIn(file: string): number | null {
  if (!existsSync(file)) return null;
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return v.parse(v.object({ pid: v.number() }), json).pid;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** In one move, so that nobody reads half a file. The key in it is for its owner alone. */
function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
