import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUN = new URL('run.mjs', import.meta.url);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'run-'));
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
  copyFileSync(RUN, join(root, 'bin', 'run.mjs'));
  writeFileSync(
    join(root, 'bin', 'hello.ts'),
    'const text: string = process.argv.slice(2).join(); console.log(text);',
  );
  // Makes the process that loads it believe in an older version.
  writeFileSync(
    join(root, 'old.cjs'),
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });" +
      "Object.defineProperty(process, 'version', { value: 'v20.19.0' });",
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function run({ old }: { old: boolean }) {
  const options = old ? ['--require', join(root, 'old.cjs')] : [];
  const args = [...options, join(root, 'bin', 'run.mjs'), 'hello', 'a', 'b'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout: stdout.trim(), stderr };
}

test('runs the TypeScript file with its arguments', () => {
  expect(run({ old: false })).toMatchObject({ status: 0, stdout: 'a,b' });
});

test('on an older Node.js, runs it with the one that npm installed', () => {
  symlinkSync(process.execPath, join(root, 'node_modules', '.bin', 'node'));
  expect(run({ old: true })).toMatchObject({ status: 0, stdout: 'a,b' });
});

test('without that, as on macOS, says in one sentence which version is needed and how to get it', () => {
  const { status, stderr } = run({ old: true });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^This needs Node\.js 24 or newer, but .* is v20\.19\.0\..*macOS.*brew install node@24/,
  );
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
