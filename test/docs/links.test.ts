import { expect, test } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/import-graph.ts';

interface Link {
  document: string;
  text: string;
  target: string;
}

const documents = globSync('{*.md,docs/*.md,docs/platforms/*.md}', { cwd: ROOT });

/** Links to files of the project. */
const links: readonly Link[] = documents.flatMap(document =>
  [...readFileSync(join(ROOT, document), 'utf8').matchAll(/\[([^\]]*)\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, text = '', target = '']) => ({ document, text, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
);
const fileOf = ({ document, target }: Link) => join(ROOT, dirname(document), target);

test('links of documents resolve', () => {
  expect(links.filter(link => !existsSync(fileOf(link)))).toEqual([]);
});

test('functions that a document links are exported by the linked file', () => {
  const named = links.filter(({ text, target }) => /^`\w+`$/.test(text) && target.endsWith('.ts'));
  expect(named.length).toBeGreaterThan(10);
  const isExported = (link: Link) =>
    new RegExp(`export (async )?(function|const) ${link.text.slice(1, -1)}\\b`).test(
      readFileSync(fileOf(link), 'utf8'),
    );
  expect(named.filter(link => existsSync(fileOf(link)) && !isExported(link))).toEqual([]);
});
