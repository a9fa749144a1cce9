import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import { ASPECT_SLACK } from './measures.ts';

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

/** More pixels than this do not show in a post; only where bytes are counted. */
const FIRST_SIDE = 4000;

/** The size at which a picture is made anew: as large as the needs allow, with its margins, and never enlarged. */
export function planOf(needs: PictureNeeds, size: Size): Size {
  const whole = withMargins(size, marginsFor(needs, size));
  const long = Math.max(whole.width, whole.height);
  const short = Math.min(whole.width, whole.height);
  const scale = Math.min(
    1,
    (needs.max_bytes === undefined ? Infinity : FIRST_SIDE) / long,
    (needs.max_long_side ?? Infinity) / long,
    (needs.max_short_side ?? Infinity) / short,
    (needs.max_sides ?? Infinity) / (long + short),
    Math.sqrt((needs.max_pixels ?? Infinity) / (long * short)),
  );
  return scaled(size, scale);
}

export function scaled({ width, height }: Size, scale: number): Size {
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/** The white that brings a picture into the shape that is taken; nothing is cut away. */
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
