import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/import-graph.ts';

/** The snippets of docs/clients.md compile strictly against clients that two generators make of the document. */

const LIMIT_MS = 300_000;
const MODULES = join(ROOT, 'node_modules');
const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const [fetchSnippet = '', heySnippet = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code,
);

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(MODULES, '.clients-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function run(script: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(MODULES, script), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
}

test(
  'generated clients compile strictly with the snippets',
  () => {
    const document = join(ROOT, 'docs/openapi.json');
    run('openapi-typescript/bin/cli.js', document, '-o', 'social.ts');
    run('@hey-api/openapi-ts/bin/run.js', '-i', document, '-o', 'client', '-c', '@hey-api/client-fetch');
    writeFileSync(join(folder, 'fetch.ts'), fetchSnippet);
    writeFileSync(join(folder, 'hey.ts'), `declare const video: Uint8Array<ArrayBuffer>;\n${heySnippet}`);
    const compilerOptions = {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2024',
      lib: ['es2024', 'dom'],
      module: 'esnext',
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
      types: ['node'],
    };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['fetch.ts', 'hey.ts'] }),
    );
    run('typescript-7/bin/tsc', '-p', '.');
  },
  LIMIT_MS,
);
