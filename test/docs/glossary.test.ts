import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { EXEMPT, FORBIDDEN_WORDS } from '../support/glossary-words.ts';
import { ROOT, sourceFiles } from '../support/import-graph.ts';

/* Holds code and documents to the words of docs/glossary.md. Strings are not checked: they may be data. */

interface Place {
  file: string;
  line: number;
  text: string;
}

const documents = globSync('{*.md,docs/*.md,docs/platforms/*.md}', { cwd: ROOT });

test.each(FORBIDDEN_WORDS.map(each => [each.word.source, each] as const))(
  'no identifier, comment or document has the word %s',
  (_, { word, instead, allowed = [] }) => {
    const isChecked = ({ file }: Place) => ![...EXEMPT, ...allowed].some(path => file.startsWith(path));
    const found = [...placesByWord].flatMap(([each, places]) =>
      word.test(each) ? places.filter(isChecked) : [],
    );
    expect({ instead, found: found.map(({ file, line, text }) => `${file}:${line} ${text.trim()}`) }).toEqual(
      {
        instead,
        found: [],
      },
    );
  },
);

/** Where each word is, in identifiers and comments of all sources, and in the lines of all documents. */
const placesByWord = new Map<string, Place[]>();
for (const place of [...sourceFiles().flatMap(placesInSource), ...documents.flatMap(linesOf)]) {
  for (const word of new Set(wordsOf(place.text))) {
    const places = placesByWord.get(word);
    if (places) places.push(place);
    else placesByWord.set(word, [place]);
  }
}

function placesInSource(file: string): Place[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Place[] = [];
  const lineAt = (position: number) => parsed.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map<number, Place>();

  function visit(node: ts.Node): void {
    if (ts.isIdentifier(node)) found.push({ file, line: lineAt(node.getStart()), text: node.text });
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []) {
      comments.set(pos, { file, line: lineAt(pos), text: source.slice(pos, end) });
    }
    ts.forEachChild(node, visit);
  }

  visit(parsed);
  return [...found, ...comments.values()];
}

function linesOf(file: string): Place[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .map((text, index) => ({ file, line: index + 1, text }));
}

/** Splits a text into lower-case words: `openLanes`, `open_lanes` and `open lanes` are the same two. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z]+/);
}
