import { beforeAll, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../lib/bundle.ts';
import { bundleFolder } from '../../lib/dist.ts';
import { mapText } from './map-text.ts';

beforeAll(() => void bundleFunctions());

/** The place of a text in the bundle of a function. */
function placeOf(bundle: string, text: string): string {
  const folder = bundleFolder(bundle);
  const contents = (file: string) => readFileSync(join(folder, file), 'utf8');
  const file = readdirSync(folder).find(name => name.endsWith('.js') && contents(name).includes(text))!;
  const lines = contents(file).split(text)[0]!.split('\n');
  return `file:///var/task/${file}:${lines.length}:${lines.at(-1)!.length + 1}`;
}

test('replaces places in a bundle by those in the sources', () => {
  const place = placeOf('publisher', 'The service failed on every attempt');
  const line = `{"service":"publisher-x","stack":"Error: no\\n    at a (${place})\\n    at b (node:fs:1:2)"}`;
  expect(mapText(line)).toMatch(/at a \(shared\/delivery\/[\w-]+\.ts:\d+:\d+\)\\n {4}at b \(node:fs:1:2\)/);
  expect(mapText(`    at a (${place})`, 'publisher')).toMatch(/^ {4}at a \(shared\/delivery\//);
  expect(mapText(`    at a (${place})`)).toBe(`    at a (${place})`);
});
