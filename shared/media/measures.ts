import type { MediaFacts } from '../model/media.ts';

/** Width divided by height; null where they are not known. */
export function aspectOf({ width, height }: Pick<MediaFacts, 'width' | 'height'>): number | null {
  return width === null || height === null ? null : width / height;
}

/** A shape this close to a limit is within it: sizes are whole pixels. */
export const ASPECT_SLACK = 0.01;

/**
 * A value outside of its limits, in words with both; nothing for one that is within, or not known. `slack`: the part of
 * a limit by which a value may miss it.
 */
export function outside(
  [what, unit]: readonly [what: string, unit: string],
  value: number | null,
  least: number | undefined,
  most: number | undefined,
  slack = 0,
): string[] {
  const told = (number: number) => `${Math.round(number * 100) / 100} ${unit}`.trim();
  if (value === null) return [];
  if (least !== undefined && value < least * (1 - slack)) {
    return [`The ${what} is ${told(value)}; at least ${told(least)}`];
  }
  if (most !== undefined && value > most * (1 + slack)) {
    return [`The ${what} is ${told(value)}; at most ${told(most)}`];
  }
  return [];
}

export const SIZE = ['size', 'bytes'] as const;
export const DURATION = ['duration', 'seconds'] as const;
export const WIDTH = ['width', 'pixels'] as const;
export const HEIGHT = ['height', 'pixels'] as const;
export const ASPECT = ['ratio of width to height', ''] as const;
export const FRAME_RATE = ['frame rate', 'frames per second'] as const;
