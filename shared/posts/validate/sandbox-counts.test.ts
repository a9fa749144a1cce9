import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PlatformId, PostType } from '../../model/platform.ts';
import { checkPost as checkRecord } from '../../platforms/bluesky/sandbox/record.ts';
import { draftFor, type PostContent } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { errorsOn } from '../../../test/support/candidates.ts';
import { acceptText } from '../../platforms/telegram/sandbox/text.ts';
import { countWeight, hasForbidden } from '../../platforms/x/sandbox/text.ts';

/*
 * The sandboxes of the platforms count texts with code of their own. They must accept every text that validation accepts:
 * otherwise a post would fail only when it is published.
 */

/** Throws where the platform would refuse the text. */
const SANDBOXES: readonly (readonly [
  PlatformId,
  PostType,
  limit: number,
  send: (text: string) => unknown,
])[] = [
  [
    'x',
    'text',
    280,
    text => {
      if (countWeight(text) > 280 || hasForbidden(text)) throw new Error('refused');
    },
  ],
  [
    'bluesky',
    'text',
    300,
    text => checkRecord({ $type: 'app.bsky.feed.post', text, createdAt: '2026-12-01T10:00:00.000Z' }),
  ],
  ['telegram', 'text', 4096, text => acceptText(text, 'text', undefined)],
  ['telegram', 'image', 1024, text => acceptText(text, 'caption', undefined)],
];

/** Links are separated from other text: only X's own library knows where a link next to letters ends. */
const isSeparated = (text: string) => !/[.:/@#$＠＃_-]/.test(text);
const piece = fc.oneof(
  fc.constantFrom(
    'word ',
    ' https://example.com/a/path?x=1 ',
    ' example.com ',
    ' foo.notatld ',
    ' http://bücher.example/ ',
    ' @someone ',
    ' #hashtag ',
    '字',
    'e\u0301',
    '👨‍👩‍👧‍👦',
    '👍🏽',
    '🇨🇭',
    '1️⃣',
    '®',
    '©\ufe0f',
    'नमस्ते ',
    '’…—€',
    '\r\n',
    '\u200b',
    '<p>5 < 6 & 7</p>',
    '*_`[',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter(isSeparated),
  fc.string({ unit: 'binary', maxLength: 6 }).filter(isSeparated),
);

/** Texts whose length is near the limit in every unit: repeated and padded with letters. */
const textNear = (limit: number) =>
  fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: limit }), fc.nat(40))
    .map(([pieces, units, more]) => {
      const part = pieces.join('') || 'a';
      const text = part.repeat(Math.ceil(units / part.length));
      return text + 'a'.repeat(Math.max(0, limit - Array.from(text).length - 20 + more));
    });

const post = (post_type: PostType, description: string, auto_truncate: boolean): PostContent => ({
  post_type,
  title: null,
  description,
  media_urls: post_type === 'text' ? [] : ['https://example.com/a.jpg'],
  first_comment: null,
  auto_truncate,
  options: {},
});
const sent = (platform: PlatformId, content: PostContent) =>
  RULES[platform].shape(draftFor(RULES[platform], content).draft);

describe.each(SANDBOXES)('%s, %s', (platform, type, limit, send) => {
  test('accepts a text that passes validation', () => {
    fc.assert(
      fc.property(textNear(limit), description => {
        const content = post(type, description, false);
        fc.pre(errorsOn(platform, content).length === 0);
        expect(() => send(sent(platform, content))).not.toThrow();
      }),
      { numRuns: 60 },
    );
  });

  test('accepts a text that was shortened', () => {
    fc.assert(
      fc.property(textNear(limit * 3), description => {
        const content = post(type, description, true);
        fc.pre(errorsOn(platform, content).length === 0);
        expect(() => send(sent(platform, content))).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });
});
