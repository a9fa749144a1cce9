import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { HttpFailure } from '../../net/http.ts';
import { probeUrls, VALIDATE_BUDGET } from './file-facts.ts';

test('probing silent hosts ends within the budget; files without time left are not probed', async () => {
  let requests = 0;
  let clock = 0;
  const http = {
    open: async () => {
      requests += 1;
      // All concurrent requests have started by then.
      await nextTurn();
      clock = VALIDATE_BUDGET.each_ms;
      throw new HttpFailure('timeout', 'The media host did not answer', true);
    },
  };
  const urls = Array.from({ length: 10 }, (_, n) => `https://silent.example.com/${n}.jpg`);
  const budget = { ...VALIDATE_BUDGET, all_ms: 2 * VALIDATE_BUDGET.each_ms - 1 };
  const results = await probeUrls(http, urls, budget, () => clock);
  expect(requests).toBe(8);
  const silent = 'The file could not be read and was not checked: The media host did not answer';
  const late = 'The file was not checked: the other files took too long';
  expect(results).toEqual(urls.map((url, n) => [url, { type: 'unchecked', message: n < 8 ? silent : late }]));
});
