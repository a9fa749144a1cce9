import { expect, test } from '@jest/globals';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { patternOf, SLOW_SUITES, SUITE_NAMES } from './suites.ts';

const ROOT = join(import.meta.dirname, '..');
const paths = SUITE_NAMES.flatMap(name => SLOW_SUITES[name].paths);

test('slow suites name existing files and folders, each once', () => {
  expect(paths.filter(path => globSync(path, { cwd: ROOT }).length === 0)).toEqual([]);
  expect(new Set(paths).size).toBe(paths.length);
});

test('a pattern matches a file or everything below a folder, and nothing else', () => {
  const file = new RegExp(patternOf('/a/', 'lib/docs.test.ts'));
  expect(file.test('/a/lib/docs.test.ts')).toBe(true);
  expect(file.test('/a/lib/docs-test.ts')).toBe(false);
  expect(file.test('/b/a/lib/docs.test.ts')).toBe(false);
  const folder = new RegExp(patternOf('/a/', 'test/e2e/'));
  expect(folder.test('/a/test/e2e/kill.test.ts')).toBe(true);
  expect(folder.test('/a/test/e2e.test.ts')).toBe(false);
  const each = new RegExp(patternOf('/a/', 'shared/*/publish.test.ts'));
  expect(each.test('/a/shared/x/publish.test.ts')).toBe(true);
  expect(each.test('/a/shared/x/y/publish.test.ts')).toBe(false);
});
