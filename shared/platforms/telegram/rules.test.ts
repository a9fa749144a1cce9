import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Draft } from '../contract/rules.ts';
import { rules } from './rules.ts';

const draft = (change: Partial<Draft>): Draft => ({
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

const image = { post_type: 'image', media_urls: ['https://cdn.example.com/a.jpg'] } as const;

/** True when the shaped text satisfies every text rule. */
function fits(post: Draft): boolean {
  const text = rules.shape(post);
  return rules.text(post).every(({ limit, measure }) => measure(text) <= limit);
}

describe('text limits', () => {
  test.each([
    ['a message', {}, 4096],
    ['a caption of an image', image, 1024],
    ['a caption of a video', { post_type: 'video' }, 1024],
    ['a caption of a document', { post_type: 'document' }, 1024],
  ] as const)('%s', (_, change, limit) => {
    expect(fits(draft({ ...change, description: 'a'.repeat(limit) }))).toBe(true);
    expect(fits(draft({ ...change, description: 'a'.repeat(limit + 1) }))).toBe(false);
  });

  test('1500 characters are a message but no caption, unless they may be cut', () => {
    const description = 'word '.repeat(300).trim();
    expect(fits(draft({ description }))).toBe(true);
    expect(fits(draft({ ...image, description }))).toBe(false);
    expect(fits(draft({ ...image, description, auto_truncate: true }))).toBe(true);
  });

  test('an emoji counts as its UTF-16 units, so never less than at Telegram', () => {
    expect(fits(draft({ description: '😀'.repeat(2048) }))).toBe(true);
    expect(fits(draft({ description: '😀'.repeat(2049) }))).toBe(false);
  });

  test('white space at the ends is not counted, since Telegram trims it', () => {
    expect(fits(draft({ description: `  ${'a'.repeat(4096)}\r\n` }))).toBe(true);
  });
});

describe('shape', () => {
  test('markup is sent exactly as it was given', () => {
    const description = '<p>5 < 6 & 7 > 2</p> _a_ *b* [c](d)';
    expect(rules.shape(draft({ description }))).toBe(description);
  });

  test('line ends become LF', () => {
    expect(rules.shape(draft({ description: 'a\r\nb\rc' }))).toBe('a\nb\nc');
  });

  test('a missing caption is an empty text', () => {
    expect(rules.shape(draft({ ...image, description: null }))).toBe('');
  });

  test('a cut text fits, is well formed and says what the text says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1000, maxLength: 1400 }), description => {
        const text = rules.shape(draft({ ...image, description, auto_truncate: true }));
        const whole = rules.shape(draft({ ...image, description }));
        expect(text.length).toBeLessThanOrEqual(1024);
        expect(text.isWellFormed()).toBe(true);
        if (text !== whole) expect(whole.startsWith(text.replace(/ ?…$/, ''))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

const violations = (change: Partial<Draft>) => {
  const post = draft(change);
  return rules.validate(post, rules.shape(post));
};

describe('validate', () => {
  test.each([null, '', '  \n ', '\u200b\u200d', '\u2800'])(
    'rejects a text post with the text %j',
    description => {
      expect(violations({ description })).toEqual([
        { field: 'description', message: 'Is required for a text post' },
      ]);
    },
  );

  test('requires no text with media', () => {
    expect(violations({ ...image, description: null })).toEqual([]);
  });
});

test('accepts up to ten images, one video or one document', () => {
  expect(rules.post_types).toEqual({
    text: { max_files: 0 },
    image: { max_files: 10 },
    video: { max_files: 1 },
    document: { max_files: 1 },
  });
});
