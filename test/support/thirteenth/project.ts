import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PLATFORM = fileURLToPath(new URL('noticeboard', import.meta.url));

/** What the stack is made of; tests are left out. */
const PARTS = ['bin', 'functions', 'lib', 'local', 'shared', 'workers'];
const FILES = ['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json', '.prettierrc.json'];

export interface ProjectCopy {
  root: string;
  /** Runs a program of the copy and returns its output. Throws the output if it fails. */
  run: (...args: string[]) => Promise<string>;
  remove: () => void;
}

/**
 * Copies the project to a temporary folder and adds the Noticeboard platform as CONTRIBUTING.md says: one folder in
 * `shared/platforms/` and one line in `PLATFORM_IDS`.
 */
export function copyWithThirteenthPlatform(): ProjectCopy {
  const root = mkdtempSync(join(tmpdir(), 'thirteenth-'));
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: path => basename(path) !== 'node_modules' && !path.endsWith('.test.ts'),
    });
  }
  for (const file of FILES) cpSync(join(ROOT, file), join(root, file));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  cpSync(PLATFORM, join(root, 'shared', 'platforms', 'noticeboard'), { recursive: true });
  addId(join(root, 'shared', 'model', 'platform.ts'));
  return {
    root,
    run: (...args) => run(root, args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function addId(file: string): void {
  const text = readFileSync(file, 'utf8');
  const changed = text.replace("  'telegram',\n] as const;", "  'telegram',\n  'noticeboard',\n] as const;");
  if (changed === text) throw new Error(`${file} does not end PLATFORM_IDS with 'telegram'`);
  writeFileSync(file, changed);
}

async function run(cwd: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise(resolve => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')}:\n${output}`);
  return output;
}
