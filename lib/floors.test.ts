import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import FLOORS from '../floors.json' with { type: 'json' };
import { cyclesOf, groupedGraph, importGraph, ROOT, sourceFiles } from '../test/support/import-graph.ts';

/*
 * The import rules of docs/architecture.md: what ESLint reports while somebody writes, and the graph of all imports, type
 * imports included.
 */

const graph = importGraph(sourceFiles());
const isTest = (file: string) => file.endsWith('.test.ts') || file.startsWith('test/');
const production = new Map([...graph].filter(([file]) => !isTest(file)));

const folders = FLOORS.flatMap((names, floor) => names.map(name => ({ name, floor })));
const folderOf = (file: string) => folders.find(({ name }) => file.startsWith(`${name}/`)) ?? null;

describe('imports', () => {
  test('form no cycle of files', () => {
    expect(cyclesOf(graph)).toEqual([]);
  });

  test('form no cycle of folders on one floor', () => {
    expect(cyclesOf(groupedGraph(production, file => folderOf(file)?.name ?? null))).toEqual([]);
  });

  test('form no cycle of functions, and no function imports another', () => {
    const functionOf = (file: string) => /^functions\/[^/]+(?=\/)/.exec(file)?.[0] ?? null;
    const edges = [...groupedGraph(production, functionOf)].flatMap(([from, targets]) =>
      [...targets].map(to => `${from} -> ${to}`),
    );
    expect(edges).toEqual([]);
  });

  test('of a platform reach no other platform', () => {
    const SHARED = ['contract', 'kit', 'families', 'registry'];
    const platformOf = (file: string) => {
      const name = /^shared\/platforms\/([^/]+)\//.exec(file)?.[1];
      return name === undefined || SHARED.includes(name) ? null : name;
    };
    const edges = [...groupedGraph(production, platformOf)].flatMap(([from, targets]) =>
      [...targets].map(to => `${from} -> ${to}`),
    );
    expect(edges).toEqual([]);
  });

  test('never go up a floor', () => {
    const upward = [...production].flatMap(([file, targets]) =>
      [...targets].filter(target => floorOf(target) > floorOf(file)).map(target => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test('of production code never reach test code', () => {
    const tested = [...production].flatMap(([file, targets]) =>
      [...targets].filter(isTest).map(target => `${file} -> ${target}`),
    );
    expect(tested).toEqual([]);
  });

  function floorOf(file: string): number {
    const folder = folderOf(file);
    if (folder === null) throw new Error(`floors.json has no floor for ${file}`);
    return folder.floor;
  }
});

test('every folder of shared/ is on a floor', () => {
  const missing = readdirSync(join(ROOT, 'shared')).filter(
    name => !folders.some(folder => folder.name === `shared/${name}`),
  );
  expect(missing).toEqual([]);
});

describe('ESLint', () => {
  const eslint = new ESLint({
    cwd: ROOT,
    // The files below need not exist, so rules that need type information cannot run.
    overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    ruleFilter: ({ ruleId }) => ruleId === 'import-x/no-restricted-paths',
  });

  async function messagesFor(file: string, imported: string): Promise<string[]> {
    const [result] = await eslint.lintText(`import '${imported}';\n`, { filePath: join(ROOT, file) });
    return result!.messages.map(({ message }) => message);
  }

  test.each([
    ['shared/model/a.ts', '../store/table.ts'],
    ['shared/aws/a.ts', '../platforms/registry/rules.ts'],
    ['shared/platforms/a.ts', '../delivery/deliver.ts'],
    ['shared/store/a.ts', '../http/route.ts'],
    ['shared/http/a.ts', '../../functions/routes.ts'],
    ['shared/runtime/a.ts', '../../lib/table.ts'],
    ['functions/posts/a.ts', '../../lib/bundle.ts'],
    ['functions/posts/a.ts', '../../local/clock.ts'],
    ['lib/a.ts', '../bin/app.ts'],
  ])('reports that %s imports %s from a higher floor', async (file, imported) => {
    expect(await messagesFor(file, imported)).toEqual([
      expect.stringContaining('Import from the same floor or below only'),
    ]);
  });

  test.each([
    ['shared/platforms/a.ts', '../store/table.ts', 'Platforms must not use the store'],
    ['shared/store/a.ts', '../platforms/registry/rules.ts', 'The store must not use platforms'],
    ['functions/posts/a.ts', '../../shared/platforms/x/sandbox/server.ts', 'Only local/ and tests'],
  ])('reports that %s imports %s', async (file, imported, message) => {
    expect(await messagesFor(file, imported)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['shared/store/a.ts', '../model/post.ts'],
    ['functions/posts/a.ts', '../../shared/http/route.ts'],
    ['lib/a.ts', '../functions/routes.ts'],
    ['bin/a.ts', '../lib/table.ts'],
  ])('accepts that %s imports %s', async (file, imported) => {
    expect(await messagesFor(file, imported)).toEqual([]);
  });
});
