import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { ENV } from '../shared/aws/env.ts';
import { DEFAULT_DATA, type LocalOptions } from './options.ts';
import type { Seed } from './demo.ts';
import type { LocalStack } from './stack.ts';

/** Content of the ready file, by which tools find a running stack. */
export interface Ready {
  /** Base URL of the API, version included. */
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

export interface ReadyFiles {
  /** For every tool. */
  ready: string;
  /**
   * For `npm run admin`, which works on the services behind the API: in the data folder, and beside a ready file of its own,
   * by which several stacks can be told apart.
   */
  stacks: readonly string[];
}

export function readyFiles({ data, readyFile }: Pick<LocalOptions, 'data' | 'readyFile'>): ReadyFiles {
  const ready = readyFile ?? join(data ?? DEFAULT_DATA, 'local.json');
  const inFolder = data !== null || readyFile === null ? [stackFileIn(data ?? DEFAULT_DATA)] : [];
  return { ready, stacks: [...inFolder, ...(readyFile === null ? [] : [stackFileBeside(readyFile)])] };
}

export const stackFileIn = (folder: string) => join(folder, 'stack.json');
export const stackFileBeside = (readyFile: string) => `${readyFile}.stack`;

export function writeReady(files: ReadyFiles, ready: Ready, stack: LocalStack): void {
  for (const file of files.stacks) {
    writeJson(file, {
      aws_endpoint: stack.awsUrl,
      table: stack.settings[ENV.table],
      parameter_prefix: stack.settings[ENV.parameterPrefix],
      environment: stack.settings,
      pid: process.pid,
    });
  }
  // Written last: its existence means that the stack is ready.
  writeJson(files.ready, ready);
}

export function removeReady({ ready, stacks }: ReadyFiles): void {
  for (const file of [ready, ...stacks]) if (pidIn(file) === process.pid) rmSync(file, { force: true });
}

/** Throws if a running stack uses the same data folder. */
export function assertFolderUnused({ data }: LocalOptions): void {
  if (data === null) return;
  const stack = stackFileIn(data);
  const pid = pidIn(stack);
  if (pid === null || pid === process.pid || !isAlive(pid)) return;
  throw new Error(
    `A local stack (process ${pid}) already uses ${dirname(stack)}. Stop it, or choose another --data. ` +
      `If that process is another program, delete ${stack}.`,
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

/** Writes a JSON file atomically, readable by its owner only because it holds the API key. */
function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
