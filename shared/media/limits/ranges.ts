import type { MediaFacts } from '../../model/media.ts';

/** Returns width divided by height; null where they are unknown. */
export function aspectOf({ width, height }: Pick<MediaFacts, 'width' | 'height'>): number | null {
  return width === null || height === null ? null : width / height;
}

/** An aspect ratio may miss a limit by this share, since sizes are whole pixels. */
export const ASPECT_SLACK = 0.01;

/**
 * Returns a message with limit and value for a value outside its range; nothing for one within it or unknown. `slack`:
 * the share of a limit by which a value may miss it.
 */
export function rangeProblems(
  [what, unit]: readonly [what: string, unit: string],
  value: number | null,
  min: number | undefined,
  max: number | undefined,
  slack = 0,
): string[] {
  const format = (number: number) => `${Math.round(number * 100) / 100} ${unit}`.trim();
  if (value === null) return [];
  if (min !== undefined && value < min * (1 - slack)) {
    return [`The ${what} is ${format(value)}; at least ${format(min)}`];
  }
  if (max !== undefined && value > max * (1 + slack)) {
    return [`The ${what} is ${format(value)}; at most ${format(max)}`];
  }
  return [];
}

/** Returns a message for a value that is not among those allowed; nothing for one that is, or unknown. */
export function allowedValueProblems(
  what: string,
  value: string | null,
  allowed: readonly string[] | undefined,
): string[] {
  if (value === null || allowed === undefined || allowed.includes(value)) return [];
  return [`The ${what} is ${value}; must be one of ${allowed.join(', ')}`];
}

export const SIZE = ['size', 'bytes'] as const;
export const DURATION = ['duration', 'seconds'] as const;
export const WIDTH = ['width', 'pixels'] as const;
export const HEIGHT = ['height', 'pixels'] as const;
export const ASPECT = ['ratio of width to height', ''] as const;
export const FRAME_RATE = ['frame rate', 'frames per second'] as const;
