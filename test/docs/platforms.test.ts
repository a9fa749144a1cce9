import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { generatedPages } from '../../bin/docs/pages.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const pages = await generatedPages();

test.each(Object.entries(pages))('%s is current (npm run docs updates it)', (path, text) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

test('docs/platforms.md has every platform and every field', () => {
  for (const { display_name, options } of Object.values(RULES)) {
    expect(pages['docs/platforms.md']).toContain(display_name);
    for (const name of Object.keys(options)) expect(pages['docs/platforms.md']).toContain(`\`${name}\``);
  }
});
