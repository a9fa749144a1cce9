import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import { ASPECT_SLACK } from '../limits/ranges.ts';

export interface Size {
  width: number;
  height: number;
}

/** Pixels of white on each side. */
export interface Margins {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The longer side of a converted image at most: more pixels do not show in a post, and take memory. */
const MAX_CONVERTED_SIDE = 4000;

/** Returns the size to convert an image to: as large as the needs allow with its margins, never enlarged. */
export function outputSize(needs: PictureNeeds, size: Size): Size {
  const whole = withMargins(size, marginsFor(needs, size));
  const long = Math.max(whole.width, whole.height);
  const short = Math.min(whole.width, whole.height);
  const scale = Math.min(
    1,
    MAX_CONVERTED_SIDE / long,
    (needs.max_long_side ?? Infinity) / long,
    (needs.max_short_side ?? Infinity) / short,
    (needs.max_side_sum ?? Infinity) / (long + short),
    Math.sqrt((needs.max_pixels ?? Infinity) / (long * short)),
  );
  return scaleSize(size, scale);
}

export function scaleSize({ width, height }: Size, scale: number): Size {
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/** Returns the margins that bring an image to an accepted aspect ratio; nothing is cropped. */
export function marginsFor({ min_aspect = 0, max_aspect = Infinity }: PictureNeeds, size: Size): Margins {
  const aspect = size.width / size.height;
  const missing = {
    x: aspect < min_aspect * (1 - ASPECT_SLACK) ? Math.ceil(size.height * min_aspect) - size.width : 0,
    y: aspect > max_aspect * (1 + ASPECT_SLACK) ? Math.ceil(size.width / max_aspect) - size.height : 0,
  };
  const left = Math.floor(missing.x / 2);
  const top = Math.floor(missing.y / 2);
  return { left, right: missing.x - left, top, bottom: missing.y - top };
}

function withMargins({ width, height }: Size, { left, right, top, bottom }: Margins): Size {
  return { width: width + left + right, height: height + top + bottom };
}
