import { describe, expect, test } from '@jest/globals';
import { candidateOf } from '../../../test/support/candidates.ts';
import type { Resolve } from '../../net/resolve.ts';
import { urlErrors } from './urls.ts';

const POST = {
  post_type: 'image',
  title: null,
  description: null,
  first_comment: null,
  auto_truncate: false,
  options: {},
} as const;

const errors = (media_urls: string[], resolve: Resolve, budgetMs?: number) =>
  urlErrors(candidateOf({ ...POST, media_urls }, ['x']), resolve, budgetMs);

const urlsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://h${index}.example/a.jpg`);
const PUBLIC = [{ address: '93.184.216.34', family: 4 }];

describe('the URLs of a post', () => {
  test('are resolved eight hosts at a time, each host once', async () => {
    let running = 0;
    let most = 0;
    const asked: string[] = [];
    const resolve: Resolve = async host => {
      asked.push(host);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return PUBLIC;
    };
    expect(await errors([...urlsOf(40), ...urlsOf(40)], resolve)).toEqual([]);
    expect([most, asked.length]).toEqual([8, 40]);
  });

  test('have one time budget for all names: hosts that do not resolve in time are not refused', async () => {
    const asked: string[] = [];
    const never: Resolve = host => {
      asked.push(host);
      return new Promise(() => undefined);
    };
    expect(await errors([...urlsOf(300), 'ftp://h.example/'], never, 20)).toMatchObject([
      { field: 'media_urls[300]' },
    ]);
    // Eight; fewer where a busy machine uses up the budget before the first lookups, and some more where timers fire early.
    // With a budget for each name, all 300 are looked up.
    expect(asked.length).toBeLessThan(300);
  });

  test('are refused in their order where a host is not public', async () => {
    const resolve: Resolve = host =>
      Promise.resolve(host === 'h1.example' ? [{ address: '10.0.0.1', family: 4 }] : PUBLIC);
    const found = await errors(['https://10.0.0.2/', ...urlsOf(3), 'https://h1.example/b.jpg'], resolve);
    expect(found.map(({ field }) => field)).toEqual(['media_urls[0]', 'media_urls[2]', 'media_urls[4]']);
  });
});
