import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plainText, spansOf, toLittleText } from './little-text.ts';
import { mentionedUrns, renderLittleText } from './sandbox/little-text.ts';

const RESERVED = String.raw`\|{}@[]()<>#*_~`.split('');
const MENTION = '@[Demo Company](urn:li:organization:2414183)';

describe("LinkedIn's markup", () => {
  test.each([
    ['Version 2 (beta) is out #launch', String.raw`Version 2 \(beta\) is out {hashtag|\#|launch}`],
    ['C# (v2) *rocks* #dev_ops', String.raw`C\# \(v2\) \*rocks\* {hashtag|\#|dev\_ops}`],
    [String.raw`\|{}@[]()<>#*_~`, String.raw`\\\|\{\}\@\[\]\(\)\<\>\#\*\_\~`],
    ['#1 #2nd #日本 (#a)', String.raw`\#1 {hashtag|\#|2nd} {hashtag|\#|日本} \({hashtag|\#|a}\)`],
    ['a#b ##c', String.raw`a\#b \#{hashtag|\#|c}`],
    ['https://e.com/#part a_b@e.com', String.raw`https://e.com/\#part a\_b\@e.com`],
    [`Hi ${MENTION}!`, `Hi ${MENTION}!`],
    ['@[A_B](urn:li:person:x-1)', String.raw`@[A\_B](urn:li:person:x-1)`],
    ['@[A](urn:li:group:1)', String.raw`\@\[A\]\(urn:li:group:1\)`],
    ['😀\nline', '😀\nline'],
  ])('of %j is %j', (text, markup) => {
    expect(toLittleText(text)).toBe(markup);
  });

  test('is rendered as the text that was written, whatever it contains', () => {
    const pieces = [...RESERVED, 'a', 'b1', ' ', '.', '/', ':', 'é', '日', '😀', '\n', 'https://e.com/a_b#c'];
    const characters = fc.constantFrom(...pieces);
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 40 }), parts => {
        const text = parts.join('');
        expect(renderLittleText(toLittleText(text))).toEqual({ text, cut_at: null });
        expect(plainText(toLittleText(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('shows the name of a mention', () => {
    const markup = toLittleText(`Hi ${MENTION} (you)`);
    expect(renderLittleText(markup).text).toBe('Hi Demo Company (you)');
    expect(plainText(markup)).toBe('Hi Demo Company (you)');
    expect(mentionedUrns(markup)).toEqual(['urn:li:organization:2414183']);
    expect(mentionedUrns(markup.replace('Company', 'company'))).toEqual([]);
  });

  test('leaves out the elements of hashtags where they would exceed the limit', () => {
    const text = `${'a'.repeat(2990)} #go_on`;
    expect(toLittleText(text)).toBe(String.raw`${'a'.repeat(2990)} #go\_on`);
    expect(renderLittleText(toLittleText(text)).text).toBe(text);
  });
});

test('a mention is not cut', () => {
  expect(spansOf(`Hi ${MENTION}`)).toContainEqual({ start: 3, end: 3 + MENTION.length });
});
