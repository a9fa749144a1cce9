import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../bin/admin/run-command.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));

export interface AdminRun {
  status: number | null;
  output: string;
  errors: string;
}

/** Runs a command in this process: each one of its own takes seconds to load. */
export async function runHere(words: readonly string[]): Promise<AdminRun> {
  try {
    return { status: 0, output: `${await runCommand(words)}\n`, errors: '' };
  } catch (error) {
    return { status: 1, output: '', errors: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}

/** Runs `npm run admin -- …` in a process of its own, with this standard input. */
export async function runAdmin(
  words: readonly string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<AdminRun> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { env: { ...process.env, ...env } });
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  child.stdin.end(input);
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { status, output, errors };
}
