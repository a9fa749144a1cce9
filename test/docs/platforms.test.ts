import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { platformsPage } from '../../bin/docs/platforms.ts';
import { RULES } from '../../shared/platforms/registry.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'platforms.md'), 'utf8');

describe('docs/platforms.md', () => {
  test('is what the rules say; `npm run docs` writes it anew', async () => {
    expect(page).toBe(await platformsPage());
  });

  test('has every platform and every field', () => {
    for (const { display_name, options } of Object.values(RULES)) {
      expect(page).toContain(display_name);
      for (const name of Object.keys(options)) expect(page).toContain(`\`${name}\``);
    }
  });
});
