import type { MediaFacts } from '../../model/media.ts';
import type { PictureNeeds } from '../../platforms/contract/pictures.ts';
import {
  allowedValueProblems,
  ASPECT,
  ASPECT_SLACK,
  aspectOf,
  HEIGHT,
  rangeProblems,
  SIZE,
  WIDTH,
} from './ranges.ts';

/**
 * The most pixels of an image that is converted. A baseline JPEG of that size takes about 220 MB to decode, and one that
 * must be decoded as a whole (progressive, interlaced) 500 MB: those may have half as many.
 */
export const MAX_CONVERTED_PIXELS = 100_000_000;
export const MAX_FULL_DECODE_PIXELS = 50_000_000;
/** The most bytes of an image that is converted: it is kept on the function's disk meanwhile, which has 512 MB. */
export const MAX_CONVERTED_BYTES = 300 * 1024 * 1024;

/** Formats that the image library reads. */
const CONVERTIBLE_FORMATS = ['JPG', 'PNG', 'GIF', 'WebP'];

/** Returns a message for each need that an image does not meet. With any, the image is converted. */
export function unmetNeeds(needs: PictureNeeds, facts: MediaFacts): string[] {
  const { width, height } = facts;
  const sides = width !== null && height !== null ? { width, height } : null;
  const long = sides && Math.max(sides.width, sides.height);
  const short = sides && Math.min(sides.width, sides.height);
  return [
    ...allowedValueProblems('format', facts.format, needs.formats),
    ...rangeProblems(SIZE, facts.size, undefined, needs.max_bytes),
    ...rangeProblems(['area', 'pixels'], sides && sides.width * sides.height, undefined, needs.max_pixels),
    ...rangeProblems(['longer side', 'pixels'], long, undefined, needs.max_long_side),
    ...rangeProblems(['shorter side', 'pixels'], short, undefined, needs.max_short_side),
    ...rangeProblems(
      ['sum of width and height', 'pixels'],
      sides && sides.width + sides.height,
      undefined,
      needs.max_side_sum,
    ),
    ...aspectProblems(needs, facts),
  ];
}

function aspectProblems({ min_aspect, max_aspect }: PictureNeeds, facts: MediaFacts): string[] {
  return rangeProblems(ASPECT, aspectOf(facts), min_aspect, max_aspect, ASPECT_SLACK);
}

/** Returns why an image can neither be sent as it is nor be converted; nothing where one of both is possible. */
export function pictureProblems(needs: PictureNeeds, facts: MediaFacts): string[] {
  if (facts.animated === true && needs.animation === 'refused')
    return ['The image is animated; only still images are accepted'];
  if (facts.animated === true && needs.animation === 'kept') {
    return animationProblems(needs, facts).map(
      problem => `${problem}; an animated image cannot be converted`,
    );
  }
  const unmet = unmetNeeds(needs, facts);
  return unmet.length === 0
    ? []
    : conversionProblems(facts).map(problem => `${unmet.join('. ')}. ${problem}`);
}

function animationProblems(needs: PictureNeeds, facts: MediaFacts): string[] {
  const { max_bytes = needs.max_bytes, max_width, max_height, max_frames } = needs.animated_limits ?? {};
  return [
    ...unmetNeeds({ ...needs, ...(max_bytes === undefined ? {} : { max_bytes }) }, facts),
    ...rangeProblems(WIDTH, facts.width, undefined, max_width),
    ...rangeProblems(HEIGHT, facts.height, undefined, max_height),
    ...rangeProblems(['length', 'frames'], facts.frames, undefined, max_frames),
  ];
}

/** Returns why the service cannot convert an image. */
export function conversionProblems({ format, width, height, size }: MediaFacts): string[] {
  const pixels = width === null || height === null ? null : width * height;
  return [
    ...(CONVERTIBLE_FORMATS.includes(format) ? [] : [`${format} images cannot be converted`]),
    ...(pixels !== null && pixels > MAX_CONVERTED_PIXELS
      ? [`Images can be converted up to ${MAX_CONVERTED_PIXELS} pixels; this one has ${pixels} pixels`]
      : []),
    ...(size !== null && size > MAX_CONVERTED_BYTES
      ? [`Images can be converted up to ${MAX_CONVERTED_BYTES} bytes; this one has ${size} bytes`]
      : []),
  ];
}

/** Returns what a viewer will see differently from what was sent. */
export function visibleChanges(needs: PictureNeeds, facts: MediaFacts): string[] {
  return [
    ...(facts.animated === true && needs.animation === 'still' ? ['Only the first frame will be shown'] : []),
    ...aspectProblems(needs, facts).map(problem => `${problem}. White margins will be added`),
    ...(facts.alpha === true && needs.alpha === 'white' && unmetNeeds(needs, facts).length > 0
      ? ['Transparent areas will be white']
      : []),
  ];
}
