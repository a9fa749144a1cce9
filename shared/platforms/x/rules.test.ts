import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { Draft } from '../contract/rules.ts';
import { rules } from './rules.ts';
import { countCashtags, countWeight } from './sandbox/text.ts';
import { cashtags, linkSpans, sameText, unwrapText, weightedLength } from './text.ts';

const draft = (description: string | null, more: Partial<Draft> = {}): Draft => ({
  post_type: 'text',
  title: null,
  description,
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
  account: null,
  ...more,
});
const limit = rules.text(draft(''))[0]!.limit;
const fits = (text: string) => rules.text(draft(text)).every(rule => rule.measure(text) <= rule.limit);

describe('the weighted length', () => {
  test.each([
    ['a', 'a'.repeat(280), 280],
    ['one a too many', 'a'.repeat(281), 281],
    ['Han', '字'.repeat(140), 280],
    ['one Han too many', '字'.repeat(141), 282],
    ...['☝', '⛷', '⛹', '✌', '✍', '🏋', '🏌', '🕴', '🕵', '🖐'].map(
      emoji =>
        [`${emoji} with a variation selector`, `${'a'.repeat(278)}${emoji}\ufe0f`, 280] as [
          string,
          string,
          number,
        ],
    ),
    ...['☝', '⛹', '✌', '✍', '🏋', '🏌', '🕴', '🕵', '🖐'].map(
      emoji =>
        [`${emoji} with a skin tone`, `${'a'.repeat(278)}${emoji}\u{1f3fd}`, 280] as [string, string, number],
    ),
    ['an emoji sequence of one of them', '🕵\ufe0f\u200d\u2640\ufe0f⛹\u{1f3fd}\u200d\u2642\ufe0f', 4],
    ['a long URL', `https://example.com/${'b'.repeat(100)}`, 23],
    ['a bare domain', 'example.com', 23],
    ['a short bare domain', 'a.co', 23],
    ['no top-level domain', 'foo.notatld', 11],
    ['another scheme', 'ftp://example.com', 17],
    ['a file name whose ending begins like a domain', 'clip.mp4', 8],
    ['an e-mail address', 'me@example.com', 14],
    ['a full stop after a URL', 'https://example.com.', 24],
    ['a family', '👨‍👩‍👧‍👦', 2],
    ['a flag', '🇩🇪', 2],
    ['a keycap', '1️⃣', 2],
    ['an accent on an emoji', '👍\u0300', 3],
    ['a skin tone', '👍🏽', 2],
    ['a phoenix of Emoji 15.1', '🐦‍🔥', 2],
    ['dash and quotation marks', '—“”', 3],
    ['symbols beyond', '…•€™→', 10],
    ['a combining accent', 'e\u0301', 1],
    ['Arabic, Hebrew, Thai, Devanagari', 'عאกक', 4],
    ['Hangul, Han, kana', '한字か', 6],
  ])('%s', (_, text, weight) => {
    expect(weightedLength(text)).toBe(weight);
    expect(countWeight(text)).toBe(weight);
  });

  test('a link counts 23 whatever its length', () => {
    const link = `https://example.com/${'b'.repeat(200)}`;
    expect(fits(`${'a'.repeat(250)} ${link}`)).toBe(true);
    expect(fits(`${'a'.repeat(257)} ${link}`)).toBe(false);
  });

  test('decomposed letters count once and leave as NFC', () => {
    const text = 'e\u0301'.repeat(280);
    expect(fits(text)).toBe(true);
    expect(rules.shape(draft(text))).toBe('\u00e9'.repeat(280));
  });
});

describe('shape', () => {
  test.each([
    ['  a\r\nb \n', 'a\nb'],
    ['\u200b \ufe0f', ''],
    [null, ''],
  ])('%j is sent as %j', (text, sent) => expect(rules.shape(draft(text))).toBe(sent));

  test('cuts only where it is asked to', () => {
    const text = 'word '.repeat(80).trim();
    expect(rules.shape(draft(text))).toBe(text);
    const cut = rules.shape(draft(text, { auto_truncate: true }));
    expect(cut).toMatch(/word…$/);
    expect(weightedLength(cut)).toBeGreaterThan(limit - 10);
  });

  test('a cut text fits by both counts, begins like the text, and breaks no link', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        '字字字',
        '👨‍👩‍👧‍👦',
        'https://example.com/a/b?c=d',
        '@someone',
        '#日本語タグ',
        '$AAPL',
        'a.co',
        '\n',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 20, maxLength: 60 }), pieces => {
        const whole = rules.shape(draft(pieces.join(' ')));
        const sent = rules.shape(draft(pieces.join(' '), { auto_truncate: true }));
        expect(weightedLength(sent)).toBeLessThanOrEqual(limit);
        expect(countWeight(sent)).toBeLessThanOrEqual(limit);
        if (sent === whole) return;
        const kept = sent.replace(/ ?…$/, '');
        expect(whole.startsWith(kept)).toBe(true);
        expect(linkSpans(whole).some(({ start, end }) => start < kept.length && kept.length < end)).toBe(
          false,
        );
      }),
    );
  });
});

describe('validate', () => {
  const messages = (post: Draft) =>
    rules.validate(post, rules.shape(post)).map(({ field, message }) => `${field}: ${message}`);

  test.each(['', '  \n', '\u200b\u2060', null])('requires a text for a text post: %j', text =>
    expect(messages(draft(text))).toEqual(['description: Is required for a text post']),
  );
  test('requires no text for an image post', () =>
    expect(messages(draft(null, { post_type: 'image', media_urls: ['https://cdn.example.com/a'] }))).toEqual(
      [],
    ));
  test('rejects forbidden code points', () => expect(messages(draft('a\uffffb'))[0]).toContain('U+FFFF'));
  test('accepts one cashtag and prices; rejects a second occurrence', () => {
    expect(messages(draft('$AAPL for $20'))).toEqual([]);
    expect(messages(draft('$AAPL $AAPL'))[0]).toContain('this text has 2');
    expect(messages(draft('$AAPL $GOOG'))[0]).toContain('1 cashtag');
  });
});

describe('cashtags', () => {
  test.each([
    ['$AAPL $AAPL', 2],
    ['$AAPL\n$goog\u3000$BRK.B', 3],
    ['$AAPL, $GOOG. $TSLA_', 3],
    ['$BTC/$ETH', 1],
    ['$AAPL$GOOG', 1],
    ['($AAPL) ($GOOG)', 0],
    ['US$AAPL $5 $ $TOOLONG $AAPL1', 0],
    ['https://example.com/?a=$AAPL', 0],
  ])('of %j are counted alike by the rules and the sandbox', (text, count) => {
    expect(cashtags(text)).toHaveLength(count);
    expect(countCashtags(text)).toBe(count);
  });
});

describe('options', () => {
  const parse = (input: unknown) => v.safeParse(v.object(rules.options), input);

  test('have no defaults', () => expect(parse({}).output).toEqual({}));
  test.each([
    { x_reply_settings: 'following', x_alt_text: 'a'.repeat(1000) },
    { x_reply_settings: 'mentionedUsers' },
    {},
  ])('%j is fine', input => expect(parse(input).success).toBe(true));
  test.each([{ x_reply_settings: 'verified' }, { x_alt_text: 'a'.repeat(1001) }, { x_alt_text: 5 }])(
    '%j is not',
    input => expect(parse(input).success).toBe(false),
  );
});

describe('comparing with a live text', () => {
  test('unwraps links, drops media links, decodes markup characters', () =>
    expect(
      unwrapText('a &amp; b &lt;3 https://t.co/1 https://t.co/2', [
        { url: 'https://t.co/1', expanded_url: 'https://example.com/x' },
        { url: 'https://t.co/2', expanded_url: 'https://x.com/demo/status/1/photo/1' },
      ]),
    ).toBe('a & b <3 https://example.com/x '));
  test('keeps dollar signs of links', () => {
    const url = 'https://example.com/?a=$$b&c=$&d';
    expect(unwrapText('see https://t.co/1', [{ url: 'https://t.co/1', expanded_url: url }])).toBe(
      `see ${url}`,
    );
    expect(sameText('example.com/?a=$&b', 'https://example.com/?a=$&b')).toBe(true);
  });
  test('sees through added schemes and white space', () => {
    expect(sameText('go example.com  now', 'go http://example.com/ now')).toBe(true);
    expect(sameText('go example.com', 'go example.org')).toBe(false);
  });
  test.each([
    // X may see a link in what is none to others, and the other way round.
    ['see clip.mp4', 'see https://t.co/14', 'http://clip.mp'],
    ['see a.newdomain, b', 'see https://t.co/1, b', 'http://a.newdomain/'],
    ['see müller.de', 'see https://t.co/1', 'http://xn--mller-kva.de/'],
    ['see EXAMPLE.com/Path/', 'see https://t.co/1', 'https://example.com/Path'],
  ])('does not depend on what X links: %s', (sent, shown, expanded_url) => {
    expect(sameText(unwrapText(shown, [{ url: 'https://t.co/1', expanded_url }]), sent)).toBe(true);
  });
});
