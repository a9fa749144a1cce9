import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PLATFORM_IDS, type PlatformId, type PostType } from '../model/platform.ts';
import { commentFor, draftFor, titleFor, type PostContent } from './kit/draft.ts';
import { RULES } from './registry/rules.ts';
import { countWeight } from './x/sandbox/text.ts';

/*
 * What is cut is counted here anew, by ways that share nothing with the service's own: where both are wrong in the same
 * way a test is worth nothing.
 */

const bytes = (text: string) => new TextEncoder().encode(text).length;
const points = (text: string) => Array.from(text).length;
const units = (text: string) => text.split('').length;
const signs = (text: string) => [...new Intl.Segmenter('en').segment(text)].length;

/** Emoji by the Unicode data of the runtime. */
const isEmoji = (sign: string) =>
  /\p{RGI_Emoji}|\p{Emoji_Presentation}|\p{Extended_Pictographic}/v.test(sign);
const pointsAndEmojiBytes = (text: string) =>
  [...new Intl.Segmenter('en').segment(text)]
    .map(({ segment }) => (isEmoji(segment) ? bytes(segment) : points(segment)))
    .reduce((sum, weight) => sum + weight, 0);

type Count = readonly [count: (text: string) => number, limit: number];

const TEXT: Readonly<Record<PlatformId, readonly Count[]>> = {
  x: [[countWeight, 280]],
  youtube: [
    [points, 5000],
    [bytes, 5000],
  ],
  instagram: [[points, 2200]],
  facebook: [[points, 63_206]],
  linkedin: [[units, 3000]],
  tiktok: [[units, 2200]],
  threads: [[pointsAndEmojiBytes, 500]],
  pinterest: [[points, 500]],
  bluesky: [
    [signs, 300],
    [bytes, 3000],
  ],
  snapchat: [[points, 160]],
  gbp: [[units, 1500]],
  telegram: [[units, 4096]],
};

const TITLES: readonly (readonly [PlatformId, PostType, Count])[] = [
  ['youtube', 'video', [units, 100]],
  ['facebook', 'video', [points, 255]],
  ['linkedin', 'document', [units, 400]],
  ['tiktok', 'image', [units, 90]],
  ['pinterest', 'image', [points, 100]],
  ['gbp', 'text', [units, 58]],
];

const COMMENTS: readonly (readonly [PlatformId, Count])[] = [
  ['instagram', [points, 2196]],
  ['linkedin', [units, 1250]],
];

/** Must appear whole or not at all. */
const LINKS = [
  'https://example.com/some/long/path?query=value&other=1#part',
  'http://example.org/a',
  'www.example.net/path',
  '@some_one',
  '@alice.example.com',
  '#hashtag',
  '#Überraschung2026',
  '#日本語',
];

const word = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-zäöé]{1,12}$/) },
  { weight: 2, arbitrary: fc.constantFrom(...LINKS) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('👨‍👩‍👧‍👦', '🇨🇭🇩🇪', 'e\u0301e\u0301', '字字字字', 'नमस्ते', '👍🏽👍🏽', '1️⃣', '’“”…'),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).filter(text => !/[@#$\\/.:＠＃]/.test(text)),
  },
);
const separator = fc.constantFrom(' ', '\n', '\r\n', '  ');
/** Texts of up to three times the limit. */
const textAround = (limit: number) =>
  fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 60 }).chain(pairs =>
    fc.integer({ min: 1, max: 3 * limit }).map(length => {
      const part = pairs.map(([text, space]) => text + space).join('');
      return part.repeat(Math.ceil(length / part.length));
    }),
  );
const limitOf = (counts: readonly Count[]) => Math.max(...counts.map(([, limit]) => limit));

function post(platform: PlatformId, change: Partial<PostContent>): PostContent {
  const types = Object.keys(RULES[platform].post_types) as PostType[];
  return {
    post_type: types[0]!,
    title: 'Title',
    description: null,
    media_urls: [],
    first_comment: null,
    auto_truncate: true,
    options: {},
    ...change,
  };
}

const draft = (platform: PlatformId, change: Partial<PostContent>) =>
  draftFor(RULES[platform], post(platform, change)).draft;

/** The cut text is within the limits, begins like the whole, and ends inside no link and no sign. */
function expectGoodCut(cut: string, whole: string, counts: readonly Count[]): void {
  for (const [count, limit] of counts) expect(count(cut)).toBeLessThanOrEqual(limit);
  if (cut === whole) return;
  expect(counts.some(([count, limit]) => count(whole) > limit)).toBe(true);
  expect(cut.endsWith('…')).toBe(true);
  const kept = cut.replace(/ ?…$/, '');
  expect(whole.startsWith(kept)).toBe(true);
  for (const link of LINKS) {
    for (let at = whole.indexOf(link); at !== -1 && at < kept.length; at = whole.indexOf(link, at + 1)) {
      expect(at + link.length).toBeLessThanOrEqual(kept.length);
    }
  }
  const borders = [...new Intl.Segmenter('en').segment(whole)].map(({ index }) => index);
  expect([0, ...borders, whole.length]).toContain(kept.length);
}

describe('a truncated text', () => {
  test.each(PLATFORM_IDS)('for %s is within the limits, a prefix, and ends outside links', platform => {
    fc.assert(
      fc.property(textAround(limitOf(TEXT[platform])), description => {
        const whole = RULES[platform].shape(draft(platform, { description, auto_truncate: false }));
        const cut = RULES[platform].shape(draft(platform, { description }));
        expectGoodCut(cut, whole, TEXT[platform]);
      }),
      { numRuns: 40 },
    );
  });

  test.each(TITLES)('as a title for %s in a post of type %s', (platform, post_type, count) => {
    fc.assert(
      fc.property(textAround(count[1]), title => {
        const whole = titleFor(RULES[platform], draft(platform, { post_type, title, auto_truncate: false }));
        const cut = titleFor(RULES[platform], draft(platform, { post_type, title }));
        if (whole === null || cut === null) expect(cut).toBe(whole);
        else expectGoodCut(cut, whole, [count]);
      }),
      { numRuns: 30 },
    );
  });

  test.each(COMMENTS)('as a comment for %s', (platform, count) => {
    fc.assert(
      fc.property(textAround(count[1]), first_comment => {
        const whole = commentFor(RULES[platform], draft(platform, { first_comment, auto_truncate: false }));
        const cut = commentFor(RULES[platform], draft(platform, { first_comment }));
        if (whole === null || cut === null) expect(cut).toBe(whole);
        else expectGoodCut(cut, whole, [count]);
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    ['x', 'x_alt_text', 1000],
    ['instagram', 'instagram_alt_text', 1000],
    ['bluesky', 'bluesky_alt_text', 1000],
    ['pinterest', 'pinterest_alt_text', 500],
    ['snapchat', 'snapchat_saved_story_title', 45],
    ['gbp', 'gbp_event_title', 58],
  ] as const)("in %s's field %s is %s long", (platform, field, limit) => {
    const { draft: cut, violations } = draftFor(
      RULES[platform],
      post(platform, { post_type: 'image', options: { [field]: 'word '.repeat(300) } }),
    );
    expect(violations).toEqual([]);
    const text = cut.options[field] as string;
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(text.length).toBeGreaterThan(limit - 6);
  });
});

describe('what validation accepts', () => {
  test.each(PLATFORM_IDS)('an independent count for %s accepts, and the other way round', platform => {
    fc.assert(
      fc.property(textAround(limitOf(TEXT[platform])), description => {
        const given = draft(platform, { description, auto_truncate: false });
        const text = RULES[platform].shape(given);
        const accepted = RULES[platform].text(given).every(({ measure, limit }) => measure(text) <= limit);
        expect(accepted).toBe(TEXT[platform].every(([count, limit]) => count(text) <= limit));
      }),
      { numRuns: 40 },
    );
  });
});
