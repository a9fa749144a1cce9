import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { join } from 'node:path';

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
