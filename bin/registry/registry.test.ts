import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY_FOLDER, renderRegistry } from './render.ts';

test('the generated modules are up to date (npm run registry)', async () => {
  for (const [file, code] of Object.entries(await renderRegistry())) {
    expect(readFileSync(join(REGISTRY_FOLDER, file), 'utf8')).toBe(code);
  }
});

describe('renderRegistry', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'platforms-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function add(platform: string, ...files: string[]): void {
    mkdirSync(join(folder, platform, 'sandbox'), { recursive: true });
    for (const file of files) writeFileSync(join(folder, platform, file), '');
  }

  test('lists the files of each folder in the order of the platforms', async () => {
    add('a', 'basics.ts', 'rules.ts');
    add('b', 'basics.ts', 'rules.ts', 'publish.ts', 'sandbox/server.ts');
    add('kit', 'draft.ts');
    const written = await renderRegistry(folder, ['b', 'a']);
    expect(written['rules.ts']).toContain("import { rules as b } from '../b/rules.ts';");
    expect(written['rules.ts']).toMatch(/RULES: Readonly<Record<PlatformId, PlatformRules>> = \{\s+b,\s+a,/);
    expect(written['published.ts']).toContain("PUBLISHED_PLATFORMS: readonly PlatformId[] = ['b']");
    expect(written['load-publisher.ts']).toContain(
      "b: async () => (await import('../b/publish.ts')).publisher,",
    );
    expect(written['connectors.ts']).toMatch(/CONNECTORS: Readonly<Partial<.+>> = \{\s*\};/);
    expect(written['sandboxes.ts']).toContain("import { sandbox as b } from '../b/sandbox/server.ts';");
  });

  test('throws for a platform without rules', async () => {
    add('a', 'basics.ts', 'publish.ts');
    await expect(renderRegistry(folder, ['a'])).rejects.toThrow('shared/platforms/a/rules.ts does not exist');
  });

  test('throws for a folder that is not in PLATFORM_IDS', async () => {
    add('a', 'basics.ts', 'rules.ts');
    add('b', 'basics.ts', 'rules.ts');
    await expect(renderRegistry(folder, ['a'])).rejects.toThrow("Add 'b' to PLATFORM_IDS");
  });
});
