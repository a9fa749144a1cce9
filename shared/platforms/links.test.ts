import { describe, expect, test } from '@jest/globals';
import { detectFacets } from './bluesky/facets.ts';
import { linkSpans } from './x/text.ts';
import { findLinks } from '../text/links.ts';
import { findSpans } from '../text/truncate.ts';

/** `{}` stands for the link, beside the punctuation and letters of many scripts. */
const AROUND_A_LINK = [
  '{}',
  '({})',
  '[{}]',
  '<{}>',
  '{{}}',
  '"{}"',
  "'{}'",
  '“{}”',
  '‘{}’',
  '„{}“',
  '«{}»',
  '‹{}›',
  '「{}」',
  '『{}』',
  '【{}】',
  '〈{}〉',
  '《{}》',
  '（{}）',
  '［{}］',
  '｛{}｝',
  '〔{}〕',
  '{}.',
  '{},',
  '{};',
  '{}:',
  '{}!',
  '{}?',
  '{}…',
  '{}...',
  '{}。',
  '{}、',
  '{}，',
  '{}．',
  '{}！',
  '{}？',
  '{}；',
  '{}：',
  '{}・',
  '{}～',
  '{}؟',
  '{}،',
  '{}؛',
  '{}۔',
  '{}।',
  '{}॥',
  '{}՞',
  '{}፧',
  '{}።',
  '{}၊',
  '{}។',
  '{}༎',
  '{}׃',
  '{}·',
  '{}—and',
  '*{}*',
  '`{}`',
  '¿{}?',
  '¡{}!',
  'в{}',
  '日本{}',
  '{}を見て',
  '{}에서',
  'см.{}',
  '({}).',
  '({}),',
  '[x]({})',
  '{}\u3000次',
  '{}\u00a0x',
  '👉{}',
  '{}👈',
  '{}’s',
  '\u200b{}',
  '\u200f{}\u200f',
  '{}،و',
  'هنا{}',
  'ดู{}',
  '{}ครับ',
  '<a href="{}">',
];

/** No link is found here. */
const NO_LINK = ['@{}', '#{}', '$＠{}'];

const LINKS = ['https://example.com/t', 'example.com', 'https://example.com/a_(b)?c=d'];

const cases = (templates: readonly string[], links: readonly string[]) =>
  templates.flatMap(template => links.map(link => [template.replace('{}', () => link), link] as const));

const shown = (text: string, spans: readonly { start: number; end: number }[]) =>
  spans.map(({ start, end }) => text.slice(start, end));

/** Links as X finds them: of its entities, those that are neither mentions nor tags. */
const onX = (text: string) => shown(text, linkSpans(text)).filter(part => !/^[@#$＠＃]/.test(part));

async function onBluesky(text: string): Promise<string[]> {
  const bytes = Buffer.from(text);
  const facets = await detectFacets(text, () => Promise.resolve(null));
  return facets
    .filter(({ features }) => features[0]?.$type === 'app.bsky.richtext.facet#link')
    .map(({ index }) => bytes.subarray(index.byteStart, index.byteEnd).toString());
}

/** Telegram finds links itself; a truncated text must contain them whole. */
const keptWhole = (text: string) => shown(text, findSpans(text)).filter(part => !/^[@#$＠＃]/.test(part));

async function expectLinks(text: string, links: readonly string[]): Promise<void> {
  const found = { own: shown(text, findLinks(text)), x: onX(text), bluesky: await onBluesky(text) };
  expect({ text, ...found }).toEqual({ text, own: links, x: links, bluesky: links });
  expect(keptWhole(text)).toEqual(expect.arrayContaining([...links]));
}

describe('X, Bluesky and Telegram find the same links', () => {
  test.each(cases(AROUND_A_LINK, LINKS))('in %s', async (text, link) => {
    await expectLinks(text, [link]);
  });

  test.each(cases(NO_LINK, ['https://example.com/t', 'example.com']))('and none in %s', async text => {
    await expectLinks(text, []);
  });

  test.each([
    ['ahttps://example.com/t', []],
    ['1https://example.com/t', []],
    ['https://example.com@x', []],
    ['https://example.com-', []],
    ['mail me@example.com', []],
    ['version 1.2.3', []],
    ['end.Then', []],
    ['foo.notatld', []],
    ['see...example.com', []],
    ['example.com...next', ['example.com']],
    ['x_example.com', []],
    ['http://bücher.example.com/x', ['http://bücher.example.com/x']],
    ['http://пример.рф/x', ['http://пример.рф/x']],
    ['https://ru.wikipedia.org/wiki/Привет', ['https://ru.wikipedia.org/wiki/Привет']],
    ['a.com,b.com;https://c.com', ['a.com', 'b.com', 'https://c.com']],
    ['https://e.com/a(b', ['https://e.com/a']],
  ])('also in %s', async (text, links) => {
    await expectLinks(text, links);
  });
});

describe('platforms that receive links explicitly get more than X finds', () => {
  test.each([
    ['https://ja.wikipedia.org/wiki/日本。', 'https://ja.wikipedia.org/wiki/日本'],
    ['https://ar.wikipedia.org/wiki/مرحبا،', 'https://ar.wikipedia.org/wiki/مرحبا'],
    ['https://intranet.notatld/x', 'https://intranet.notatld/x'],
    ['http://localhost:3000/a', 'http://localhost:3000/a'],
    ['my-site.dev:8080 is up', 'my-site.dev:8080'],
  ])('in %s', (text, link) => {
    expect(shown(text, findLinks(text))).toEqual([link]);
  });
});
