import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpFailure } from '../net/http.ts';
import { fileFaults } from './file-faults.ts';

const EACH_MS = 20;

test('files of silent hosts take no longer than the request has: what is left is named as not checked', async () => {
  let asked = 0;
  const http = {
    open: async () => {
      asked += 1;
      await sleep(EACH_MS);
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
  const patience = { each_ms: EACH_MS, all_ms: EACH_MS + 1 };
  const { details, warnings } = await fileFaults(http, content, ['threads'], patience);
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
