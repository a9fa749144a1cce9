import { beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../lib/bundle.ts';
import { bundleFolder } from '../../lib/dist.ts';
import { mapText } from './map-text.ts';

beforeAll(() => bundleFunctions());

/** The place of a text in the bundle of a function. */
function placeOf(bundle: string, text: string): string {
  const before = readFileSync(join(bundleFolder(bundle), 'index.js'), 'utf8').split(text)[0]!;
  const lines = before.split('\n');
  return `/var/task/index.js:${lines.length}:${lines.at(-1)!.length + 1}`;
}

test('replaces places in a bundle by those in the sources', () => {
  const place = placeOf('publisher', 'The service failed on every attempt');
  const line = `{"service":"publisher-x","stack":"Error: no\\n    at a (${place})\\n    at b (node:fs:1:2)"}`;
  expect(mapText(line)).toMatch(/at a \(shared\/delivery\/[\w-]+\.ts:\d+:\d+\)\\n {4}at b \(node:fs:1:2\)/);
  expect(mapText(`    at a (${place})`, 'publisher')).toMatch(/^ {4}at a \(shared\/delivery\//);
  expect(mapText(`    at a (${place})`)).toBe(`    at a (${place})`);
});
