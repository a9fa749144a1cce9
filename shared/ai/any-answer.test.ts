import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RULES } from '../platforms/registry.ts';
import { bannedFor } from '../posts/banned-hashtags.ts';
import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { fits } from '../text/measure.ts';
import { AI_PLATFORMS, AI_TYPES, LANGUAGES, readBrief, TONES, type Brief } from './brief.ts';
import { draftOf, hashtagLimit, joined, textRules } from './conventions.ts';
import { mayBeIn } from './language.ts';
import { offlineWriter, writeOffline } from './offline/writer.ts';
import { readAnswer, type Result } from './read-answer.ts';
import { AiFailure } from './writer.ts';

const BANNED = bannedFor({ added: ['größe'], allowed: [] });

/** What every answer of the API holds, whoever wrote it. */
function expectPublishable(brief: Brief, result: Result): void {
  expect(Object.keys(result)).toEqual(brief.platforms);
  for (const platform of brief.platforms) {
    const { caption, hashtags, ...rest } = result[platform]!;
    expect(rest).toEqual({});
    const whole = joined(caption, hashtags);
    expect(fits(whole, textRules(platform))).toBe(true);
    const faults = RULES[platform].check(draftOf(RULES[platform], whole));
    if (brief.type === 'hashtags') expect(caption).toBe('');
    else expect(faults.filter(({ field }) => field === 'description')).toEqual([]);
    expect(whole.isWellFormed()).toBe(true);
    expect(whole).not.toMatch(/[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u);
    const tags = hashtags === '' ? [] : hashtags.split(' ');
    expect(hashtagsOf(hashtags)).toEqual(tags);
    expect(tags.length).toBeLessThanOrEqual(hashtagLimit(brief, platform));
    expect(new Set(tags.map(foldHashtag)).size).toBe(tags.length);
    for (const tag of hashtagsOf(whole)) expect(BANNED.has(foldHashtag(tag))).toBe(false);
  }
}

const briefs: fc.Arbitrary<Brief> = fc
  .record({
    type: fc.constantFrom(...AI_TYPES),
    topic: fc.string({ minLength: 1, maxLength: 250, unit: 'grapheme' }),
    text: fc.string({ minLength: 1, maxLength: 400, unit: 'grapheme' }),
    platforms: fc.subarray([...AI_PLATFORMS], { minLength: 1, maxLength: 5 }),
    tone: fc.constantFrom(...TONES),
    language: fc.constantFrom(...LANGUAGES),
    hashtag_count: fc.integer({ min: 0, max: 30 }),
  })
  .map(body =>
    readBrief({ ...body, topic: `x${body.topic}`.slice(0, 400).toWellFormed(), text: `x${body.text}` }),
  );

const piece = fc.oneof(
  fc.string({ maxLength: 60, unit: 'grapheme' }),
  fc.string({ maxLength: 60, unit: 'binary' }),
  fc.constantFrom(
    '#porn ',
    '＃GRÖSSE ',
    '##größe',
    '#a#b#größe',
    '$AAPL $TSLA ',
    '<script>alert(1)</script>',
    '<b>bold</b> a < b > c',
    '**bold** __x__ # Heading\n```js\ncode\n```',
    '[link](https://example.com/a)',
    'https://example.com/#größe ',
    'https://a.example/1 https://a.example/2 https://a.example/3 https://a.example/4 https://a.example/5 https://a.example/6 ',
    '@one '.repeat(30),
    '#tag '.repeat(40),
    '\u202e\ufeff\uffff\ud800\u0000',
    '👩‍👩‍👧‍👦'.repeat(40),
    'ﷺ'.repeat(200),
    'a'.repeat(3000),
    'word '.repeat(2000),
    ' '.repeat(5000),
  ),
);
const texts = fc.array(piece, { maxLength: 6 }).map(pieces => pieces.join(''));
const hashtags = fc.oneof(texts, fc.array(texts, { maxLength: 40 }), fc.constant(Array(50_000).fill('#a')));
const posts = fc.oneof(
  { weight: 8, arbitrary: fc.record({ caption: texts, hashtags }) },
  { weight: 1, arbitrary: fc.anything() },
);
const answers = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record(Object.fromEntries(AI_PLATFORMS.map(platform => [platform, posts] as const))),
  },
  { weight: 1, arbitrary: fc.anything() },
  { weight: 1, arbitrary: fc.constant(JSON.parse('{"__proto__":{"x":1},"constructor":1}') as unknown) },
);

describe('whatever a provider gives', () => {
  test('what is answered can be published, or nothing is answered', () => {
    let answered = 0;
    fc.assert(
      fc.property(briefs, answers, (brief, answer) => {
        try {
          const result = readAnswer(brief, answer, BANNED, { translates: false });
          expectPublishable(brief, result);
          answered += 1;
        } catch (error) {
          if (!(error instanceof AiFailure)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    expect(answered).toBeGreaterThan(20);
  });

  test('a text in another script is no answer, one with foreign names is', () => {
    const brief = readBrief({ type: 'caption', topic: 'Coffee', language: 'ja' });
    const read = (caption: string) =>
      readAnswer(brief, { instagram: { caption, hashtags: [] } }, BANNED, { translates: true });
    expect(() => read('Fresh coffee is waiting for you at our shop.')).toThrow('another language');
    expect(read('新しい iPhone 15 Pro Max のケースができました。').instagram?.caption).toContain('iPhone');
  });
});

describe('the language of an answer', () => {
  const TEXTS = {
    en: 'This is the coffee that we have been waiting for, and it is now in our shop.',
    de: 'Das ist der Kaffee, auf den wir gewartet haben, und er ist jetzt auch in unserem Laden.',
    fr: 'Voici le café que nous attendions, il est maintenant dans notre boutique avec des amis.',
    es: 'Este es el café que estábamos esperando, y ya está en nuestra tienda para los amigos, muy rico y sin azúcar.',
    pt: 'Este é o café que estávamos esperando, e agora ele está na nossa loja com os amigos.',
    tr: 'Bu kahve için çok bekledik ve artık dükkanımızda, hem de daha taze ve daha güzel.',
  };
  const LATIN = ['en', 'de', 'fr', 'es', 'pt', 'tr'] as const;

  test.each(LATIN.flatMap(asked => LATIN.map(given => [asked, given] as const)))(
    'asked for in %s and given in %s',
    (asked, given) => {
      expect(mayBeIn(asked, TEXTS[given])).toBe(asked === given);
    },
  );

  test('is not doubted for a foreign title within it', () => {
    expect(mayBeIn('de', 'Heute läuft bei uns „The Lord of the Rings“, und danach gibt es Kaffee.')).toBe(
      true,
    );
  });
});

describe('the offline writer', () => {
  test('always has an answer that can be published', () => {
    fc.assert(
      fc.property(briefs, brief => {
        expectPublishable(brief, readAnswer(brief, writeOffline(brief), BANNED, offlineWriter));
      }),
      { numRuns: 200 },
    );
  });

  test('writes the same for the same request', () => {
    fc.assert(
      fc.property(briefs, brief => expect(writeOffline(brief)).toEqual(writeOffline(structuredClone(brief)))),
      { numRuns: 30 },
    );
  });

  test.each(LANGUAGES)('writes %s, in every tone another text', language => {
    const captions = TONES.map(tone => {
      const brief = readBrief({
        type: 'caption',
        topic: 'Espresso',
        platforms: ['facebook'],
        tone,
        language,
      });
      return readAnswer(brief, writeOffline(brief), BANNED, offlineWriter).facebook!.caption;
    });
    expect(new Set(captions).size).toBe(TONES.length);
    for (const caption of captions) {
      expect(mayBeIn(language, caption)).toBe(true);
      expect(caption).toContain('spresso');
      expect(caption).not.toContain('{');
    }
  });

  test('finds the subject of a text in another language than it writes', () => {
    const text = 'We open a new roastery on Saturday. Come by for free coffee in the roastery.';
    const { x } = writeOffline(readBrief({ type: 'repurpose', text, language: 'de', platforms: ['x'] }));
    expect(x?.hashtags).toContain('#roastery');
    expect(x?.hashtags).not.toContain('#we');
  });

  test.each(LANGUAGES)('finds 30 hashtags in %s', language => {
    const brief = readBrief({ type: 'hashtags', topic: 'Espresso', hashtag_count: 30, language });
    const { instagram } = readAnswer(brief, writeOffline(brief), BANNED, offlineWriter);
    expect(instagram!.hashtags.split(' ')).toHaveLength(30);
  });
});
