import { expect, test } from '@jest/globals';
import { draftFor, textsFor, type PostContent } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { possibleRejectionWarnings } from './possible-rejections.ts';

const CONTENT: PostContent = {
  post_type: 'text',
  title: null,
  description: 'Call 650-555-0100',
  media_urls: [],
  first_comment: null,
  auto_truncate: false,
  options: {},
};

function warningsOf(platform: 'gbp' | 'x', description_field: string) {
  const rules = RULES[platform];
  const { draft } = draftFor(rules, CONTENT);
  const post = { rules, draft, texts: textsFor(rules, draft), description_field };
  const media = { option_violations: [], media_field: 'media_urls', media_count: 0 };
  return possibleRejectionWarnings([{ ...post, ...media }]);
}

test('warns about a text that a platform may reject afterwards, with its field and platform', () => {
  expect(warningsOf('gbp', 'gbp_description')).toEqual([
    {
      code: 'MAY_BE_REJECTED',
      field: 'gbp_description',
      platform: 'gbp',
      message: expect.stringContaining('phone number'),
    },
  ]);
  expect(warningsOf('x', 'description')).toEqual([]);
});
