import { expect, test } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpFailure } from '../net/http.ts';
import { fileFaults, PATIENCE } from './file-faults.ts';

test('files of silent hosts take no longer than the request has: what is left is named as not checked', async () => {
  let asked = 0;
  let clock = 0;
  const http = {
    open: async () => {
      asked += 1;
      // All that are asked at once were so by then.
      await nextTurn();
      clock = PATIENCE.each_ms;
      throw new HttpFailure('timeout', 'It does not answer', true);
    },
  };
  const content = {
    post_type: 'image' as const,
    title: null,
    description: null,
    first_comment: null,
    media_urls: Array.from({ length: 10 }, (_, n) => `https://silent.example.com/${n}.jpg`),
    auto_truncate: false,
    options: {},
  };
  const patience = { ...PATIENCE, all_ms: 2 * PATIENCE.each_ms - 1 };
  const { details, warnings } = await fileFaults(http, content, ['threads'], patience, () => clock);
  expect(asked).toBe(8);
  const named = { faults: details.map(({ field }) => field), unseen: warnings.map(({ field }) => field) };
  const fields = content.media_urls.map((_, n) => `media_urls[${n}]`);
  expect(named).toEqual({ faults: fields.slice(0, 8), unseen: fields.slice(8) });
  expect(warnings).toContainEqual({
    code: 'MEDIA_NOT_CHECKED',
    field: 'media_urls[8]',
    message: 'There was no time to look at it, since other files took so long',
  });
});
