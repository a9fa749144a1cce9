import { describe, test } from '@jest/globals';
import { expectLinear } from '../../test/support/growth.ts';
import { PLATFORM_IDS } from '../model/platform.ts';
import { toPlatformError } from './bluesky/errors.ts';
import { detectFacets } from './bluesky/facets.ts';
import { draftFor, oneLine, type PostContent } from './kit/draft.ts';
import { RULES } from './registry/rules.ts';
import { cashtags, hasForbiddenCharacters, linkSpans, sameText, weightedLength } from './x/text.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import { findLinks } from '../text/links.ts';
import { graphemes, utf8Bytes } from '../text/measure.ts';
import { nearestName } from '../text/nearest.ts';
import { isBlank, normalizeText } from '../text/normalize.ts';
import { findSpans, truncate } from '../text/truncate.ts';

/* No text function takes more than linear time, whatever the text. */

/** Parts that regular expressions and parsers are slow on when they are repeated. */
const PARTS = [
  'a.',
  '字.',
  'a-',
  'a',
  '1',
  'https://',
  'https://a.',
  'a.com',
  'a.com/(',
  'a.com/)',
  'a.com?',
  '(a.com ',
  '@a.',
  '@a-',
  '#a!',
  '#1',
  '!',
  '#!!',
  '$A ',
  ' ',
  '\n ',
  '\n',
  '\u200b',
  'e\u0301\u0301',
  '👨‍👩‍👧',
  '🕵\ufe0f',
  '\ud800',
  '&lt;',
  'blob ',
  '<',
  ',',
  '"',
];

/** An error response of a server that the user chose. */
const classified = (message: string) =>
  toPlatformError({ call: 'putRecord', status: 400, headers: {}, error: 'InvalidRequest', message });

const UNITS = 8_000;

const content = (description: string, auto_truncate: boolean): PostContent => ({
  post_type: 'text',
  title: description,
  description,
  media_urls: [],
  first_comment: description,
  auto_truncate,
  options: {},
});

const FUNCTIONS: readonly (readonly [name: string, run: (text: string) => unknown])[] = [
  ['normalizeText', normalizeText],
  ['isBlank', isBlank],
  ['oneLine', oneLine],
  ['findLinks', findLinks],
  ['findSpans', findSpans],
  ['hashtagsOf', hashtagsOf],
  ['foldHashtag', foldHashtag],
  ['fingerprint', fingerprint],
  ['nearestName', text => nearestName(text, ['scheduled_date'])],
  ['graphemes', text => graphemes(1).measure(text)],
  ['truncate', text => truncate(text, { limit: text.length / 2, measure: part => part.length })],
  ['truncate by bytes', text => truncate(text, { limit: 5000, measure: part => utf8Bytes(1).measure(part) })],
  ['an error message of a Bluesky server', classified],
  ['detectFacets', text => detectFacets(text, () => Promise.resolve(null))],
  ['weightedLength', weightedLength],
  ['linkSpans', linkSpans],
  ['cashtags', cashtags],
  ['hasForbiddenCharacters', hasForbiddenCharacters],
  ['sameText', text => sameText(text, text)],
  ...PLATFORM_IDS.flatMap(platform => {
    const rules = RULES[platform];
    const validate = (text: string, auto_truncate: boolean) => {
      const { draft } = draftFor(rules, content(text, auto_truncate));
      return rules.validate(draft, rules.shape(draft));
    };
    return [
      [`rules of ${platform}`, (text: string) => validate(text, false)],
      [`truncation for ${platform}`, (text: string) => validate(text, true)],
    ] as const;
  }),
];

const repeated = (part: string, units: number) => part.repeat(Math.ceil(units / part.length));

describe.each(FUNCTIONS)('%s', (_, run) => {
  test('takes time that is at most linear in the length of a hostile text', async () => {
    for (const part of PARTS) await expectLinear(run, units => repeated(part, units), UNITS);
  });
});
