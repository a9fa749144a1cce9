import { describe, expect, test } from '@jest/globals';
import { MINUTE } from '../../time/instant.ts';
import type { Draft } from '../contract/rules.ts';
import { draftFor } from '../kit/draft.ts';
import { GB } from '../kit/sizes.ts';
import { rules } from './rules.ts';

const draft = (
  options: Draft['options'],
  attributes: Record<string, string> = {},
  more: Partial<Draft> = {},
) =>
  draftFor(
    rules,
    {
      post_type: 'text',
      title: null,
      description: 'Hi',
      media_urls: [],
      first_comment: null,
      auto_truncate: false,
      ...more,
      options,
    },
    { attributes },
  ).draft;
const fields = (...given: Parameters<typeof draft>) =>
  rules.validate(draft(...given), 'Hi').map(({ field }) => field);

describe('linkedin_page_id', () => {
  test.each([
    ['2414183', 'urn:li:organization:2414183'],
    [' urn:li:organization:2414183 ', 'urn:li:organization:2414183'],
    ['urn:li:organizationBrand:7', 'urn:li:organizationBrand:7'],
  ])('%j names the target %s', (linkedin_page_id, id) => {
    expect(draft({ linkedin_page_id }).options['linkedin_page_id']).toBe(id);
  });

  test('needs an account of a community app', () => {
    const page = { linkedin_page_id: '2414183' };
    expect(fields(page, { kind: 'self_serve' })).toEqual(['linkedin_page_id']);
    expect(fields(page, { kind: 'community' })).toEqual([]);
    expect(fields(page)).toEqual([]);
  });
});

test('a restricted visibility is for members, also where an organization is the default target', () => {
  const restricted = { linkedin_visibility: 'CONNECTIONS' };
  expect(fields(restricted)).toEqual([]);
  expect(fields({ ...restricted, linkedin_page_id: '1' })).toEqual(['linkedin_visibility']);
  expect(fields(restricted, { default_target_id: 'urn:li:organization:1' })).toEqual(['linkedin_visibility']);
});

test('a mention is not cut', () => {
  const mention = '@[Demo Company](urn:li:organization:2414183)';
  const cut = (space: number) =>
    rules.shape(
      draft(
        {},
        {},
        { description: `${'a '.repeat(space)}${mention} end ${'b'.repeat(3000)}`, auto_truncate: true },
      ),
    );
  expect(cut(1480)).not.toContain('@[');
  expect(cut(1400)).toContain(mention);
});

test('large videos are prepared earlier', () => {
  const ahead = (post_type: Draft['post_type'], bytes: number | null) =>
    rules.prepare_ahead_ms!(draft({}, {}, { post_type }), bytes);
  expect(ahead('text', null)).toBe(2 * MINUTE);
  expect(ahead('video', null)).toBe(10 * MINUTE);
  expect(ahead('video', 5 * GB)).toBeGreaterThan(25 * MINUTE);
  expect(ahead('video', 50 * GB)).toBe(60 * MINUTE);
});
