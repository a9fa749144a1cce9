import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expectLinear } from '../../test/support/growth.ts';
import { AI_PLATFORMS, LANGUAGES, readBrief, TONES, type Brief } from './brief.ts';
import { cleanText } from './clean.ts';
import { keywordsOf, sentencesOf } from './offline/keywords.ts';
import { polish, polishHeadline } from './offline/polish.ts';
import { offlineWriter, writeOffline } from './offline/writer.ts';
import { parseOutput } from './parse-output.ts';
import { changeUnprotected, protect } from './protect.ts';
import { AiFailure } from './writer.ts';

const NONE: ReadonlySet<string> = new Set();

/** Returns all captions of the offline writer. */
function captionsOf(brief: Brief): string[] {
  const result = parseOutput(brief, writeOffline(brief), NONE, offlineWriter);
  return brief.platforms.map(platform => result[platform]!.caption);
}

const linksIn = (text: string) =>
  (text.match(/https?:\/\/\S+|\bwww\.\S+/gu) ?? []).map(link => link.replace(/[.,!…]+$/u, ''));

describe.each(LANGUAGES)('a link in %s', language => {
  test.each([
    'https://www.youtube.com/watch?v=abc',
    'www.example.com/a?bcd',
    'https://example.com/path,thing',
    'https://example.com/a_very_long/path?q=!important',
    'https://example.com/__init__/a**b**c',
    'https://en.wikipedia.org/wiki/Foo_(bar)',
    'https://example.com/?a=1&amp;b=2#größe',
  ])('stays as it is when a text is repurposed or improved: %s', link => {
    for (const type of ['repurpose', 'improve'] as const) {
      const text = `Watch ${link} now. It is good.`;
      for (const caption of captionsOf(readBrief({ type, text, language, platforms: ['x', 'facebook'] }))) {
        expect(linksIn(caption)).toEqual([link]);
      }
    }
  });
});

describe('cleanText', () => {
  test.each([
    [
      'Contact <jane@example.com> or <https://example.com/x>.',
      'Contact jane@example.com or https://example.com/x.',
    ],
    ['Docs: https://example.com/__init__/a', 'Docs: https://example.com/__init__/a'],
    ['https://example.com/a**b**c', 'https://example.com/a**b**c'],
    ['x <b and c> y', 'x <b and c> y'],
    ['a < b > c', 'a < b > c'],
    [
      '<b>bold</b> and <a href="https://example.com/a?b=c">a link</a>',
      'bold and a link https://example.com/a?b=c',
    ],
    ['Fish &amp; Chips, 5 &lt; 6', 'Fish & Chips, 5 < 6'],
    [
      '[Foo](https://en.wikipedia.org/wiki/Foo_(bar)) here',
      'Foo https://en.wikipedia.org/wiki/Foo_(bar) here',
    ],
    ['**bold** __too__ **https://example.com/a**', 'bold too https://example.com/a'],
    ['@some__name__here #a__b__c', '@some__name__here #a__b__c'],
    ['<script>alert(1)</script>', 'alert(1)'],
  ])('of %j is %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});

describe('polish', () => {
  test.each([
    ['iPhone and eBay. macOS too', 'iPhone and eBay. macOS too.'],
    ['we open at 8 a.m. in Berlin', 'We open at 8 a.m. in Berlin.'],
    ['come by on May 3. and 4. or later', 'Come by on May 3. and 4. or later.'],
    ['jane@example.com answers', 'jane@example.com answers.'],
    ['hello ,world!! nice', 'Hello, world! Nice.'],
    ['write to www.example.com/a?bcd', 'Write to www.example.com/a?bcd'],
    ['fish &amp; chips', 'Fish & chips.'],
    ['news from NVIDIA and ADIDAS', 'News from NVIDIA and ADIDAS.'],
    ['🎉 we are open.. come in', '🎉 We are open. Come in.'],
  ])('of %j is %j', (text, polished) => {
    expect(polish(text, 'en')).toBe(polished);
  });

  test.each([
    ['fr', 'venez nous voir!! vous aimez le pain?', 'Venez nous voir\u00a0! Vous aimez le pain\u00a0?'],
    ['es', '¿qué pan? ¡ven ya!', '¿Qué pan? ¡Ven ya!'],
    ['de', 'alles für 10 € bei IKEA', 'Alles für 10 € bei IKEA.'],
    ['tr', 'kahve sever misiniz', 'Kahve sever misiniz?'],
    ['ja', '新しいお店です。最初の日は日曜日', '新しいお店です。最初の日は日曜日。'],
    ['ja', 'スタッフ募集中', 'スタッフ募集中'],
    ['zh', '你喜欢面包吗', '你喜欢面包吗？'],
    ['ar', 'هل تحبون الخبز', 'هل تحبون الخبز؟'],
    ['ko', '빵을 좋아하시나요', '빵을 좋아하시나요?'],
  ] as const)('in %s of %j is %j', (language, text, polished) => {
    expect(polish(text, language)).toBe(polished);
  });

  test('gives a headline no full stop and no trailing colon', () => {
    expect(polishHeadline(' our new  roastery :', 'en')).toBe('Our new roastery');
    expect(polishHeadline('ışık', 'tr')).toBe('Işık');
  });
});

test('keywords are never parts of links, mail addresses or HTML entities', () => {
  const text = 'Coffee &amp; cake at https://www.example.com/roastery, www.acme.org and jane@mail.example';
  expect(keywordsOf(text, 'en')).toEqual(['coffee', 'cake']);
});

/** Links as users write them, with everything that a sentence splitter or a markup remover may misread. */
const links = fc
  .record({
    scheme: fc.constantFrom('https://', 'http://'),
    host: fc.constantFrom('example.com', 'www.youtube.com', 'sub.example.co.uk', 'bücher.example'),
    path: fc.stringMatching(/^(?:\/[A-Za-z0-9_~*!$&+,;=:@%.()-]{1,12}){0,4}$/),
    query: fc.stringMatching(/^(?:\?[A-Za-z0-9_*!$&+,;=:@%./?-]{1,20}[A-Za-z0-9])?$/),
    hash: fc.stringMatching(/^(?:#[A-Za-z0-9]{1,8})?$/),
  })
  .map(({ scheme, host, path, query, hash }) => `${scheme}${host}${path}${query}${hash}`)
  .filter(link => /[\p{L}\p{N}]$/u.test(link));
const words = fc.constantFrom(
  'now.',
  'It is good!',
  'Really?',
  'UNBELIEVABLE',
  'e.g. this,',
  '**bold**',
  '<b>x</b>',
  '&amp;',
  '#größe',
  '@someone',
  '$AAPL',
  'コーヒー。',
  'قهوة،',
  '😀',
);
const pieces = fc.array(fc.oneof({ weight: 2, arbitrary: links }, { weight: 5, arbitrary: words }), {
  minLength: 1,
  maxLength: 25,
});

describe('every link of the input that is in the output', () => {
  const requests = fc.record({
    type: fc.constantFrom('caption' as const, 'repurpose' as const, 'improve' as const),
    language: fc.constantFrom(...LANGUAGES),
    tone: fc.constantFrom(...TONES),
    platforms: fc.subarray([...AI_PLATFORMS], { minLength: 1, maxLength: 5 }),
  });

  function expectUnchanged(source: readonly string[], captions: readonly string[]): void {
    const known = new Set(source.filter(piece => piece.startsWith('http')));
    for (const caption of captions) {
      for (const link of caption.match(/https?:\/\/\S+/gu) ?? []) {
        const found = [...known].some(
          each => link === each || link === `${each}…` || /^[.,!?]$/u.test(link.slice(each.length)),
        );
        expect({ link, known: [...known], found: found || known.has(link) }).toMatchObject({ found: true });
      }
    }
  }

  test('is unchanged when the offline writer writes it', () => {
    fc.assert(
      fc.property(requests, pieces, (request, parts) => {
        const text = parts.join(' ').slice(0, 3000);
        fc.pre(parts.join(' ').length <= 490);
        const brief = readBrief({ ...request, topic: text, text });
        expectUnchanged(parts, captionsOf(brief));
      }),
      { numRuns: 300 },
    );
  });

  test('is unchanged when any provider returns it', () => {
    fc.assert(
      fc.property(requests, pieces, (request, parts) => {
        const brief = readBrief({ ...request, topic: 'x', text: 'x' });
        const output = Object.fromEntries(
          brief.platforms.map(platform => [platform, { caption: parts.join(' '), hashtags: ['#größe'] }]),
        );
        try {
          const result = parseOutput(brief, output, new Set(['größe']), offlineWriter);
          expectUnchanged(
            parts,
            brief.platforms.map(platform => result[platform]!.caption),
          );
        } catch (error) {
          if (!(error instanceof AiFailure)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('protect', () => {
  test('restores any text but characters of private use', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          pieces.map(parts => parts.join(' ')),
        ),
        text => {
          const { text: replaced, restore } = protect(text);
          expect(restore(replaced)).toBe(
            text.replace(/[\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}]/gu, ''),
          );
        },
      ),
    );
  });

  test('takes time linear in the text', async () => {
    const hostile = [
      'a-',
      'a.',
      'a@',
      '@a',
      '#',
      '#a',
      'https://',
      'https://a(',
      ')',
      '<a href="',
      "<b x='",
      '[',
      '](',
      '**',
      '__',
      '`',
      '&amp;',
      'z.B. ',
      '!?',
      ' ',
      '\n',
      '#1',
      'a_',
      'ß',
      '👩‍👩‍👧‍👦',
    ];
    const operations = [
      cleanText,
      (text: string) => polish(text, 'de'),
      (text: string) => sentencesOf(text, 'en').join(''),
      (text: string) => changeUnprotected(text, piece => piece),
      (text: string) => keywordsOf(text, 'en').join(''),
    ];
    const texts = [
      ...hostile.map(piece => (size: number) => piece.repeat(Math.floor(size / piece.length))),
      (size: number) => `https://a.example/${')'.repeat(size)}`,
    ];
    for (const sized of texts)
      for (const operation of operations) await expectLinear(operation, sized, 15_000);
  });
});
