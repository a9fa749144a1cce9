import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'conformance.md'), 'utf8');

interface Reference {
  sentence: string;
  file: string;
  /** Words of the test's title; `…` stands for anything. */
  titles: string[];
}

/** The tests that a row names: `file`: title, title; `file`. */
function referencesOf(row: string): Reference[] {
  const [, sentence = '', tests = ''] = row.split(/(?<!\\)\|/).map(cell => cell.trim());
  return tests.split(';').map(part => {
    const [, file = '', titles = ''] = /`([^`]+)`(?::(.*))?/.exec(part) ?? [];
    return { sentence, file, titles: titles.split(',').map(title => title.trim()) };
  });
}

const rows = page
  .split('\n')
  .filter(line => line.startsWith('|') && !/^\|[ -]+\|[ -]+\|$|^\| Sentence/.test(line));
const named = rows.flatMap(referencesOf);
/** What only a benchmark shows names its command. */
const references = named.filter(({ file }) => !file.startsWith('npm run '));
const sourceOf = (file: string) => join(ROOT, `${file}.test.ts`);

describe('docs/conformance.md', () => {
  test('names a test for every sentence', () => {
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter(({ file }) => file === '')).toEqual([]);
  });

  test('names commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const commands = named
      .map(({ file }) => /^npm run (\S+)/.exec(file)?.[1])
      .filter(each => each !== undefined);
    expect(commands.filter(each => !Object.hasOwn(scripts, each))).toEqual([]);
  });

  test('names files that exist', () => {
    expect(
      [...new Set(references.map(({ file }) => file))].filter(file => !existsSync(sourceOf(file))),
    ).toEqual([]);
  });

  test('names tests that are in them', () => {
    const missing = references.flatMap(({ file, titles }) => {
      const source = readFileSync(sourceOf(file), 'utf8').replaceAll("\\'", "'").toLowerCase();
      const has = (title: string) =>
        title
          .toLowerCase()
          .split('…')
          .every(words => source.includes(words.trim()));
      return titles.filter(title => !has(title)).map(title => ({ file, title }));
    });
    expect(missing).toEqual([]);
  });

  test('names each sentence once', () => {
    const sentences = rows.map(row => row.split('|')[1]?.trim());
    expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) < index)).toEqual([]);
  });
});
