import { expect, test } from '@jest/globals';
import { createSampleQueue } from './sample-queue.ts';

/** Samples with these numbers in both channels. */
const samples = (...values: number[]) =>
  Buffer.from(Int16Array.from(values.flatMap(each => [each, each])).buffer);

test('returns samples in order and fills up with silence', () => {
  const queue = createSampleQueue();
  queue.add(samples(1, 2));
  queue.add(samples(3));
  expect(queue.take(2)).toEqual(samples(1, 2));
  expect(queue.length()).toBe(1);
  expect(queue.take(3)).toEqual(samples(3, 0, 0));
});

test('keeps hours of silence as a number', () => {
  const queue = createSampleQueue();
  queue.move(48_000 * 20_000);
  queue.add(samples(1));
  expect(queue.length()).toBe(48_000 * 20_000 + 1);
  expect(queue.held()).toBe(1);
});

test('drops what overlaps when the samples go back', () => {
  const queue = createSampleQueue();
  queue.add(samples(1, 2, 3));
  queue.move(-2);
  queue.add(samples(2));
  queue.add(samples(3, 4));
  expect(queue.take(4)).toEqual(samples(1, 2, 3, 4));
});

test('takes an overlap off a gap that follows', () => {
  const queue = createSampleQueue();
  queue.move(-2);
  queue.move(3);
  queue.add(samples(9));
  expect(queue.take(2)).toEqual(samples(0, 9));
});
