import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const eslint = new ESLint({
  cwd: ROOT,
  // The floors alone, on files that need not exist: rules that ask for types have nothing to ask here.
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId === 'import-x/no-restricted-paths',
});

/** What the floors say to a file that imports another. */
async function verdict(file: string, imported: string): Promise<string[]> {
  const [result] = await eslint.lintText(`import '${imported}';\n`, { filePath: join(ROOT, file) });
  return result!.messages.map(({ message }) => message);
}

describe('the floors', () => {
  test.each([
    ['shared/model/a.ts', '../store/table.ts'],
    ['shared/aws/a.ts', '../platforms/rules.ts'],
    ['shared/platforms/a.ts', '../delivery/deliver.ts'],
    ['shared/store/a.ts', '../http/route.ts'],
    ['shared/http/a.ts', '../../functions/routes.ts'],
    ['shared/runtime/a.ts', '../../lib/table.ts'],
    ['functions/posts/a.ts', '../../lib/bundle.ts'],
    ['functions/posts/a.ts', '../../local/clock.ts'],
    ['lib/a.ts', '../bin/app.ts'],
  ])('%s must not import %s, which stands above it', async (file, imported) => {
    expect(await verdict(file, imported)).toEqual([
      expect.stringContaining('Imports go down the floors only'),
    ]);
  });

  test.each([
    ['shared/platforms/a.ts', '../store/table.ts', 'A platform knows no table'],
    ['shared/store/a.ts', '../platforms/rules.ts', 'The store knows no platform'],
  ])('%s must not import %s, its neighbour', async (file, imported, why) => {
    expect(await verdict(file, imported)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['shared/store/a.ts', '../model/post.ts'],
    ['functions/posts/a.ts', '../../shared/http/route.ts'],
    ['lib/a.ts', '../functions/routes.ts'],
    ['bin/a.ts', '../lib/table.ts'],
  ])('%s may import %s', async (file, imported) => {
    expect(await verdict(file, imported)).toEqual([]);
  });
});

describe('folders of one floor', () => {
  test('import each other in no circle', () => {
    const circles = [...imports.keys()].filter(folder => reach(folder).has(folder));
    expect(circles).toEqual([]);
  });

  /** The folders of `shared/` that each of them imports. */
  const imports = new Map(
    readdirSync(join(ROOT, 'shared')).map(folder => [folder, new Set(importedBy(folder))] as const),
  );

  function importedBy(folder: string): string[] {
    const files = globSync('**/*.ts', { cwd: join(ROOT, 'shared', folder) });
    return files
      .filter(file => !/\.test\.ts$|sandbox/.test(file))
      .flatMap(file => {
        const path = join(ROOT, 'shared', folder, file);
        const named = readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g);
        return [...named].map(([, name = '']) => relative(join(ROOT, 'shared'), join(dirname(path), name)));
      })
      .map(path => path.split(sep)[0] ?? '')
      .filter(other => other !== folder && other !== '..');
  }

  /** Every folder that can be come to from one. */
  function reach(folder: string): Set<string> {
    const found = new Set<string>();
    const left = [folder];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const other of imports.get(next) ?? []) {
        if (found.has(other)) continue;
        found.add(other);
        left.push(other);
      }
    }
    return found;
  }
});
