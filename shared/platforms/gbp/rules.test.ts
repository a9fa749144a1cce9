import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../model/json.ts';
import { draftFor, textsFor } from '../kit/draft.ts';
import type { Draft } from '../contract/rules.ts';
import { rules } from './rules.ts';

function read(options: JsonObject, more: Partial<Draft> = {}) {
  return draftFor(rules, {
    post_type: 'text',
    title: null,
    description: 'Hello',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    ...more,
    options,
  });
}

describe('gbp_location_id', () => {
  test.each(['123', ' 123 ', 'locations/123', 'accounts/1/locations/123'])('%j is the target 123', name => {
    expect(read({ gbp_location_id: name }).draft.options['gbp_location_id']).toBe('123');
  });

  test.each(['', 'accounts/1', '123/4', 'locations/', 'Corner Bakery'])('%j is not accepted', name => {
    expect(read({ gbp_location_id: name }).violations).toMatchObject([{ field: 'gbp_location_id' }]);
  });
});

describe('a button', () => {
  const ignoredOf = (options: JsonObject, more: Partial<Draft>) => {
    const { draft } = read(options, more);
    return rules.ignored!(draft, new Set(Object.keys(options))).map(({ field }) => field);
  };
  const button = { gbp_cta_type: 'SHOP', gbp_cta_url: 'https://example.com/' };
  const video = { post_type: 'video', title: 'Sale' } as const;

  test('is ignored for a video without a text', () => {
    expect(ignoredOf(button, { ...video, description: ' ' })).toEqual(['gbp_cta_type', 'gbp_cta_url']);
  });

  test('is used for a video with a text or an event', () => {
    expect(ignoredOf(button, video)).toEqual([]);
    const event = { gbp_topic_type: 'EVENT', gbp_event_start_date: '2026-12-01' };
    expect(ignoredOf({ ...button, ...event }, { ...video, description: null })).toEqual([]);
  });
});

test('doubts a text with a phone number, also one that comes from the title', () => {
  const { draft } = read({}, { post_type: 'image', description: null, title: 'Call 650-555-0100' });
  expect(rules.doubts!(textsFor(rules, draft).text)).toEqual([
    expect.stringContaining('set gbp_cta_type to CALL'),
  ]);
  expect(rules.doubts!('Hello')).toEqual([]);
});
