import { describe, expect, test } from '@jest/globals';
import { createPictureOrder } from './picture-order.ts';

const FPS = 30;

/** Adds pictures that are shown at these ticks, in the order of decoding. A key frame is a tick in a list of its own. */
function offsetsOf(pictures: readonly (number | [number] | null)[]): number[] {
  const order = createPictureOrder(FPS);
  const offsets = pictures.map(tick =>
    Array.isArray(tick)
      ? order.add(100 + tick[0] / FPS, true)
      : order.add(tick === null ? null : 100 + tick / FPS, false),
  );
  order.end();
  return offsets;
}

describe('the order of pictures', () => {
  test('is that of decoding without B-frames', () => {
    expect(offsetsOf([[0], 1, 2, [3], 4])).toEqual([0, 0, 0, 0, 0]);
  });

  test('tells how far each picture is shown from its place in decoding', () => {
    expect(offsetsOf([[0], 3, 1, 2, [4], 5])).toEqual([0, 2, -1, -1, 0, 0]);
  });

  test('tolerates times that a container has rounded', () => {
    const order = createPictureOrder(FPS);
    expect([0, 0.033, 0.067, 0.1, 0.133].map((time, index) => order.add(time, index === 0))).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });

  test.each<[string, Parameters<typeof offsetsOf>[0], string]>([
    ['a first picture that is no key frame', [0, 1], 'not a key frame'],
    ['a picture without a time', [[0], null], 'no time'],
    ['another rate', [[0], 0.5], 'rate'],
    ['a variable rate', [[0], 1, 3, 4], 'not complete'],
    ['a picture that is missing before a key frame', [[0], 1, [3]], 'not closed'],
    ['two pictures at a time', [[0], 1, 1], 'not closed'],
    ['a picture that is shown before the key frame of its group', [[0], 1, [4], 2, 3, 5], 'not closed'],
    ['a group that goes on behind the next key frame', [[0], 2, [2], 3], 'not complete'],
    ['a group without its end', [[0], 3, 1], 'not complete'],
  ])('is refused for %s', (_, pictures, message) => {
    expect(() => offsetsOf(pictures)).toThrow(message);
  });
});
