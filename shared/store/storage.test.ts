import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { releaseStorage, reserveStorage, storageUsed } from './storage.ts';

let table: TestTable;
beforeEach(async () => {
  table = await createTestTable();
});
afterEach(() => table.close());

const file = (file_id: string) => ({ workspace_id: 'w1', file_id });
const reserve = (id: string, bytes: number, limit: number | null = 100) =>
  reserveStorage(table, file(id), bytes, limit);
const used = () => storageUsed(table, 'w1');

test('reserves up to the limit and no byte more', async () => {
  expect(await reserve('a', 60)).toBe(true);
  expect(await reserve('b', 41)).toBe(false);
  expect(await reserve('b', 40)).toBe(true);
  expect(await used()).toBe(100);
  expect(await reserve('c', 1)).toBe(false);
});

test('refuses a file that alone exceeds the limit', async () => {
  expect(await reserve('a', 101)).toBe(false);
  expect(await used()).toBe(0);
});

test('has no limit on a plan without one', async () => {
  expect(await reserve('a', 1e12, null)).toBe(true);
  expect(await used()).toBe(1e12);
});

test('counts a repeated reservation once, also at the limit', async () => {
  for (let run = 0; run < 3; run += 1) expect(await reserve('a', 100)).toBe(true);
  expect(await used()).toBe(100);
});

test('releases a file once, however often it is asked to', async () => {
  await reserve('a', 60);
  await reserve('b', 40);
  await Promise.all(Array.from({ length: 5 }, () => releaseStorage(table, file('a'))));
  await releaseStorage(table, file('unknown'));
  expect(await used()).toBe(40);
  expect(await reserve('c', 60)).toBe(true);
});

test('never exceeds the limit with concurrent reservations', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => reserve(`f${index}`, 15)));
  expect(results.filter(Boolean)).toHaveLength(6);
  expect(await used()).toBe(90);
});

test('counts each workspace for itself', async () => {
  await reserve('a', 100);
  expect(await reserveStorage(table, { workspace_id: 'w2', file_id: 'a' }, 100, 100)).toBe(true);
});
