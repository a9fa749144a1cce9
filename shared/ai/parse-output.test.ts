import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RULES } from '../platforms/registry/rules.ts';
import { bannedFor } from '../posts/validate/banned-hashtags.ts';
import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { fits } from '../text/measure.ts';
import { AI_PLATFORMS, AI_TYPES, LANGUAGES, readBrief, TONES, type Brief } from './brief.ts';
import { isPlausiblyIn } from './language.ts';
import { offlineWriter, writeOffline } from './offline/writer.ts';
import { parseOutput, type GenerationResult } from './parse-output.ts';
import { draftOf, hashtagLimit, joinPost, textRules } from './platform-style.ts';
import { AiFailure } from './writer.ts';

const BANNED = bannedFor({ added: ['größe'], allowed: [] });

/** What holds for every answer of the API, whichever provider wrote it. */
function expectPublishable(brief: Brief, result: GenerationResult): void {
  expect(Object.keys(result)).toEqual(brief.platforms);
  for (const platform of brief.platforms) {
    const { caption, hashtags, ...rest } = result[platform]!;
    expect(rest).toEqual({});
    const whole = joinPost(caption, hashtags);
    expect(fits(whole, textRules(platform))).toBe(true);
    const violations = RULES[platform].validate(draftOf(RULES[platform], whole), whole);
    if (brief.type === 'hashtags') expect(caption).toBe('');
    else expect(violations.filter(({ field }) => field === 'description')).toEqual([]);
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
const outputs = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record(Object.fromEntries(AI_PLATFORMS.map(platform => [platform, posts] as const))),
  },
  { weight: 1, arbitrary: fc.anything() },
  { weight: 1, arbitrary: fc.constant(JSON.parse('{"__proto__":{"x":1},"constructor":1}') as unknown) },
);

describe('parseOutput', () => {
  test('returns publishable posts or throws AiFailure, whatever the provider returned', () => {
    let parsed = 0;
    fc.assert(
      fc.property(briefs, outputs, (brief, output) => {
        try {
          const result = parseOutput(brief, output, BANNED, { translates: false });
          expectPublishable(brief, result);
          parsed += 1;
        } catch (error) {
          if (!(error instanceof AiFailure)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    expect(parsed).toBeGreaterThan(20);
  });

  test('rejects a text in another script and accepts foreign names', () => {
    const brief = readBrief({ type: 'caption', topic: 'Coffee', language: 'ja' });
    const read = (caption: string) =>
      parseOutput(brief, { instagram: { caption, hashtags: [] } }, BANNED, { translates: true });
    expect(() => read('Fresh coffee is waiting for you at our shop.')).toThrow('another language');
    expect(read('新しい iPhone 15 Pro Max のケースができました。').instagram?.caption).toContain('iPhone');
  });
});

describe('isPlausiblyIn', () => {
  const TEXTS = {
    en: 'This is the coffee that we have been waiting for, and it is now in our shop.',
    de: 'Das ist der Kaffee, auf den wir gewartet haben, und er ist jetzt auch in unserem Laden.',
    fr: 'Voici le café que nous attendions, il est maintenant dans notre boutique avec des amis.',
    es: 'Este es el café que estábamos esperando, y ya está en nuestra tienda para los amigos, muy rico y sin azúcar.',
    pt: 'Este é o café que estávamos esperando, e agora ele está na nossa loja com os amigos.',
    tr: 'Bu kahve için çok bekledik ve artık dükkanımızda, hem de daha taze ve daha güzel.',
  };
  const LATIN = ['en', 'de', 'fr', 'es', 'pt', 'tr'] as const;

  test.each(LATIN.flatMap(requested => LATIN.map(actual => [requested, actual] as const)))(
    'judges a text requested in %s and written in %s',
    (requested, actual) => {
      expect(isPlausiblyIn(requested, TEXTS[actual])).toBe(requested === actual);
    },
  );

  test('accepts a foreign title within a text', () => {
    expect(
      isPlausiblyIn('de', 'Heute läuft bei uns „The Lord of the Rings“, und danach gibt es Kaffee.'),
    ).toBe(true);
  });
});

describe('the offline writer', () => {
  test('always writes publishable posts', () => {
    fc.assert(
      fc.property(briefs, brief => {
        expectPublishable(brief, parseOutput(brief, writeOffline(brief), BANNED, offlineWriter));
      }),
      { numRuns: 200 },
    );
  });

  test('writes the same text for the same request', () => {
    fc.assert(
      fc.property(briefs, brief => expect(writeOffline(brief)).toEqual(writeOffline(structuredClone(brief)))),
      { numRuns: 30 },
    );
  });

  test.each(LANGUAGES)('writes another %s text in every tone', language => {
    const captions = TONES.map(tone => {
      const brief = readBrief({
        type: 'caption',
        topic: 'Espresso',
        platforms: ['facebook'],
        tone,
        language,
      });
      return parseOutput(brief, writeOffline(brief), BANNED, offlineWriter).facebook!.caption;
    });
    expect(new Set(captions).size).toBe(TONES.length);
    for (const caption of captions) {
      expect(isPlausiblyIn(language, caption)).toBe(true);
      expect(caption).toContain('spresso');
      expect(caption).not.toContain('{');
    }
  });

  test.each(LANGUAGES.flatMap(language => TONES.map(tone => [language, tone] as const)))(
    'keeps a topic in %s and tone %s in the words of the user, as a line of its own',
    (language, tone) => {
      for (const [topic, line] of [
        ['Our new roastery opens on Saturday', 'Our new roastery opens on Saturday'],
        ['espresso', 'Espresso'],
        ['Do you know where your coffee comes from?', 'Do you know where your coffee comes from?'],
        ['iPhone repair:', 'iPhone repair'],
      ] as const) {
        const brief = readBrief({ type: 'caption', topic, platforms: ['linkedin', 'x'], tone, language });
        for (const { caption } of Object.values(writeOffline(brief))) {
          const [first, ...rest] = caption.split('\n\n');
          expect(first!.replace(/ \p{Extended_Pictographic}$/u, '')).toBe(line);
          expect(rest.join(' ')).not.toContain(topic);
          expect(rest.join(' ')).not.toMatch(/[{}]|undefined/);
          expect(rest.length).toBeGreaterThan(0);
        }
      }
    },
  );

  test('answers a question with an invitation to answer, and nothing that claims a fact', () => {
    const topic = 'Remote work: yes or no?';
    const { x } = writeOffline(readBrief({ type: 'caption', topic, tone: 'formal', platforms: ['x'] }));
    expect(x?.caption).toMatch(
      /^Remote work: yes or no\?\n\n(We look forward to your answers|Please share your view with us)\.$/,
    );
  });

  test('drops its own sentences before it cuts the topic', () => {
    const topic = 'Our new roastery opens on Saturday and everybody is welcome. '.repeat(4);
    const { x } = writeOffline(readBrief({ type: 'caption', topic, platforms: ['x'] }));
    expect(x?.caption).toBe(`${topic.trim()} ✨`);
  });

  test('finds the subject of a text that is in another language', () => {
    const text = 'We open a new roastery on Saturday. Come by for free coffee in the roastery.';
    const { x } = writeOffline(readBrief({ type: 'repurpose', text, language: 'de', platforms: ['x'] }));
    expect(x?.hashtags).toContain('#roastery');
    expect(x?.hashtags).not.toContain('#we');
  });

  test.each(LANGUAGES)('returns 30 hashtags in %s', language => {
    const brief = readBrief({ type: 'hashtags', topic: 'Espresso', hashtag_count: 30, language });
    const { instagram } = parseOutput(brief, writeOffline(brief), BANNED, offlineWriter);
    expect(instagram!.hashtags.split(' ')).toHaveLength(30);
  });
});
