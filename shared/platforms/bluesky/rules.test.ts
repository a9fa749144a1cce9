import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { Draft } from '../contract/rules.ts';
import { rules } from './rules.ts';

const draft = (change: Partial<Draft> = {}): Draft => ({
  post_type: 'text',
  title: null,
  description: 'Hello',
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
  account: null,
  ...change,
});

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].length;
const isWithin = (text: string) => rules.text(draft()).every(({ measure, limit }) => measure(text) <= limit);

describe('length', () => {
  test('300 graphemes are allowed, 301 are not', () => {
    expect(isWithin('a'.repeat(300))).toBe(true);
    expect(isWithin('a'.repeat(301))).toBe(false);
  });

  test('a letter with its combining mark counts once', () => {
    expect(isWithin('e\u0301'.repeat(300))).toBe(true);
    expect(isWithin('e\u0301'.repeat(301))).toBe(false);
  });

  test('3000 bytes are the other limit', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(Buffer.byteLength(family)).toBe(25);
    expect(isWithin(family.repeat(120))).toBe(true);
    expect(isWithin(`${family.repeat(120)}!`)).toBe(false);
  });

  test.each([
    ['a family', '👨‍👩‍👧‍👦'],
    ['a flag', '🇨🇭'],
    ['a Devanagari conjunct', 'क्ष'],
    ['a key cap', '#️⃣'],
  ])('%s is one grapheme', (_, text) => {
    expect(rules.text(draft())[0]?.measure(text)).toBe(1);
  });
});

describe('the text that is sent', () => {
  test('is trimmed, with LF line ends, and otherwise as it was given', () => {
    expect(rules.shape(draft({ description: ' Cafe\u0301\r\nopen \n' }))).toBe('Cafe\u0301\nopen');
  });

  test('is not cut unless the user asks for it', () => {
    const text = 'a'.repeat(301);
    expect(rules.shape(draft({ description: text }))).toBe(text);
    expect(rules.shape(draft({ description: text, auto_truncate: true }))).toBe(`${'a'.repeat(299)}…`);
  });

  test('cut, it keeps both limits and is a beginning of the whole', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom('👨‍👩‍👧‍👦'.repeat(9), 'https://example.com/a', '#café', '@alice.test', '\n', 'नमस्ते'),
    );
    const texts = fc.array(word, { minLength: 1, maxLength: 120 }).map(words => words.join(' '));
    fc.assert(
      fc.property(texts, description => {
        const whole = rules.shape(draft({ description }));
        const cut = rules.shape(draft({ description, auto_truncate: true }));
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(3000);
        expect(graphemes(cut)).toBeLessThanOrEqual(300);
        expect(cut === whole || whole.startsWith(cut.replace(/ ?…$/, ''))).toBe(true);
      }),
    );
  });
});

const violations = (change: Partial<Draft>) => {
  const post = draft(change);
  return rules.validate(post, rules.shape(post));
};

describe('validate', () => {
  test('requires a text for a text post', () => {
    for (const description of [null, '', ' \n\u200b']) {
      expect(violations({ description })).toEqual([
        { field: 'description', message: 'Is required for a text post' },
      ]);
    }
  });

  test('requires no text for an image post', () => {
    const image = { post_type: 'image', description: null, media_urls: ['https://e.com/a.jpg'] } as const;
    expect(violations(image)).toEqual([]);
  });

  test('accepts texts and up to four images', () => {
    expect(rules.post_types).toEqual({ text: { max_files: 0 }, image: { max_files: 4 } });
  });

  test('rejects an alt text of more than 1000 characters', () => {
    const accepts = (bluesky_alt_text: unknown) =>
      v.safeParse(v.object(rules.options), { bluesky_alt_text }).success;
    expect(accepts('a'.repeat(1000))).toBe(true);
    expect(accepts('a'.repeat(1001))).toBe(false);
    expect(accepts(7)).toBe(false);
  });
});
