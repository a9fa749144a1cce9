import type { MediaFacts } from '../model/media.ts';
import type { PictureNeeds } from '../platforms/contract/pictures.ts';
import { ASPECT, ASPECT_SLACK, aspectOf, HEIGHT, outside, SIZE, WIDTH } from './measures.ts';

/**
 * Most pixels of a picture that is made anew. A baseline JPEG of that size takes about 220 MB to decode, and one that
 * must be unpacked whole (progressive, interlaced) 500 MB: those may have half as many.
 */
export const MAX_PIXELS = 100_000_000;
export const MAX_PIXELS_WHOLE = 50_000_000;
/** Most bytes of a picture that is made anew: it lies on the disk of a function meanwhile, which has 512 MB. */
export const MAX_PICTURE_BYTES = 300 * 1024 * 1024;

/** Formats that the image library reads. */
const READABLE = ['JPG', 'PNG', 'GIF', 'WebP'];

/** Every need that a picture does not meet, in words with limit and value: where there is one, it is made anew. */
export function unmetNeeds(needs: PictureNeeds, facts: MediaFacts): string[] {
  const { width, height } = facts;
  const sides = width !== null && height !== null ? { width, height } : null;
  const long = sides && Math.max(sides.width, sides.height);
  const short = sides && Math.min(sides.width, sides.height);
  const format = needs.formats.includes(facts.format)
    ? []
    : [`Is ${facts.format}; must be one of ${needs.formats.join(', ')}`];
  return [
    ...format,
    ...outside(SIZE, facts.size, undefined, needs.max_bytes),
    ...outside(['area', 'pixels'], sides && sides.width * sides.height, undefined, needs.max_pixels),
    ...outside(['longer side', 'pixels'], long, undefined, needs.max_long_side),
    ...outside(['shorter side', 'pixels'], short, undefined, needs.max_short_side),
    ...outside(
      ['sum of width and height', 'pixels'],
      sides && sides.width + sides.height,
      undefined,
      needs.max_sides,
    ),
    ...shapeFaults(needs, facts),
  ];
}

function shapeFaults({ min_aspect, max_aspect }: PictureNeeds, facts: MediaFacts): string[] {
  return outside(ASPECT, aspectOf(facts), min_aspect, max_aspect, ASPECT_SLACK);
}

/** Why a picture can neither go as it is nor be made anew; nothing where it can. */
export function pictureFaults(needs: PictureNeeds, facts: MediaFacts): string[] {
  if (facts.animated === true && needs.animation === 'refused')
    return ['Moves; only still pictures are taken'];
  if (facts.animated === true && needs.animation === 'kept') {
    return movingFaults(needs, facts).map(fault => `${fault}; a picture that moves cannot be made anew`);
  }
  const unmet = unmetNeeds(needs, facts);
  return unmet.length === 0 ? [] : makingFaults(facts).map(fault => `${unmet.join('. ')}. ${fault}`);
}

function movingFaults(needs: PictureNeeds, facts: MediaFacts): string[] {
  const { max_bytes = needs.max_bytes, max_width, max_height } = needs.moving ?? {};
  return [
    ...unmetNeeds({ ...needs, ...(max_bytes === undefined ? {} : { max_bytes }) }, facts),
    ...outside(WIDTH, facts.width, undefined, max_width),
    ...outside(HEIGHT, facts.height, undefined, max_height),
  ];
}

/** What the service itself cannot make anew. */
export function makingFaults({ format, width, height, size }: MediaFacts): string[] {
  const pixels = width === null || height === null ? null : width * height;
  const unread = READABLE.includes(format) ? [] : [`The service makes no pictures from ${format}`];
  const most = 'The service makes pictures anew up to';
  return [
    ...unread,
    ...(pixels !== null && pixels > MAX_PIXELS ? [`It has ${pixels} pixels. ${most} ${MAX_PIXELS}`] : []),
    ...(size !== null && size > MAX_PICTURE_BYTES
      ? [`It has ${size} bytes. ${most} ${MAX_PICTURE_BYTES}`]
      : []),
  ];
}

/** What a viewer will see otherwise than it was sent, in words. */
export function visibleChanges(needs: PictureNeeds, facts: MediaFacts): string[] {
  return [
    ...(facts.animated === true && needs.animation === 'still' ? ['Only the first frame is shown'] : []),
    ...shapeFaults(needs, facts).map(fault => `${fault}: it gets white margins`),
    ...(facts.alpha === true && needs.alpha === 'white' && unmetNeeds(needs, facts).length > 0
      ? ['White goes under what is transparent']
      : []),
  ];
}
