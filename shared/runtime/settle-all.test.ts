import { describe, expect, test } from '@jest/globals';
import { settleAll } from './settle-all.ts';

describe('settleAll', () => {
  test('returns the results in order', async () => {
    expect(await settleAll([Promise.resolve(null), Promise.resolve(2)])).toEqual([null, 2]);
  });

  test('throws the first error once every promise has settled', async () => {
    let settled = false;
    const slow = new Promise<void>(resolve => setTimeout(resolve, 20)).then(() => void (settled = true));
    await expect(settleAll([Promise.reject(new Error('no')), slow])).rejects.toThrow('no');
    expect(settled).toBe(true);
  });
});
