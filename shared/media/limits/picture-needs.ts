import type { MediaFacts } from '../../model/media.ts';
import type { SentAs } from '../../platforms/contract/media-files.ts';
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

/** What one platform gets of a file. */
export interface FileDecision {
  sent_as: SentAs;
  /** Why it is refused, each with limit and value; empty where it is not. */
  problems: string[];
  /** What a viewer will see differently from what was sent. */
  changes: string[];
  /** Limits that the platform documents and does not always enforce. */
  doubts: string[];
}

export const UNCHANGED: FileDecision = { sent_as: 'unchanged', problems: [], changes: [], doubts: [] };

/** Tells whether an image is one that platforms show in motion: of several animated formats only GIF is. */
export const isMoving = ({ format, animated }: MediaFacts) => format === 'GIF' && animated === true;

/** Decides whether an image is sent as it is, converted, sent as a file, or refused. An unknown value changes nothing. */
export function decidePicture(needs: PictureNeeds, facts: MediaFacts): FileDecision {
  const problems = pictureProblems(needs, facts);
  const [reason] = problems;
  if (reason === undefined) {
    const isConverted = !isKeptMoving(needs, facts) && unmetNeeds(needs, facts).length > 0;
    const sent_as = isConverted ? 'converted' : 'unchanged';
    return { ...UNCHANGED, sent_as, changes: visibleChanges(needs, facts, isConverted) };
  }
  if (needs.when_unfit !== 'file') return { ...UNCHANGED, problems };
  return { ...UNCHANGED, sent_as: 'file', changes: [`${reason}. It will be sent as a file to download`] };
}

const isKeptMoving = (needs: PictureNeeds, facts: MediaFacts) =>
  needs.animation === 'kept' && isMoving(facts);

/** Returns a message for each need that an image does not meet. With any, the image is converted. */
export function unmetNeeds(needs: PictureNeeds, facts: MediaFacts): string[] {
  const { width, height } = facts;
  const sides = width !== null && height !== null ? { width, height } : null;
  const long = sides && Math.max(sides.width, sides.height);
  const short = sides && Math.min(sides.width, sides.height);
  return [
    ...allowedValueProblems('format', facts.format, needs.formats),
    ...movementProblems(needs, facts),
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

function movementProblems({ animation }: PictureNeeds, facts: MediaFacts): string[] {
  if (animation !== 'kept' || facts.animated !== true || isMoving(facts)) return [];
  return [`The image is an animated ${facts.format}; only GIFs are shown in motion`];
}

function aspectProblems({ min_aspect, max_aspect }: PictureNeeds, facts: MediaFacts): string[] {
  return rangeProblems(ASPECT, aspectOf(facts), min_aspect, max_aspect, ASPECT_SLACK);
}

/** Returns why an image can neither be sent as it is nor be converted; nothing where one of both is possible. */
export function pictureProblems(needs: PictureNeeds, facts: MediaFacts): string[] {
  if (facts.animated === true && needs.animation === 'refused')
    return ['The image is animated; only still images are accepted'];
  const ratio = sideRatioProblems(needs, facts);
  if (ratio.length > 0) return ratio;
  if (isKeptMoving(needs, facts)) {
    return animationProblems(needs, facts).map(
      problem => `${problem}; an animated image cannot be converted`,
    );
  }
  const unmet = unmetNeeds(needs, facts);
  return unmet.length === 0
    ? []
    : conversionProblems(facts).map(problem => `${unmet.join('. ')}. ${problem}`);
}

function sideRatioProblems({ max_side_ratio }: PictureNeeds, facts: MediaFacts): string[] {
  const aspect = aspectOf(facts);
  const ratio = aspect === null ? null : Math.max(aspect, 1 / aspect);
  return rangeProblems(['ratio of the longer to the shorter side', ''], ratio, undefined, max_side_ratio);
}

function animationProblems(needs: PictureNeeds, facts: MediaFacts): string[] {
  const {
    max_bytes = needs.max_bytes,
    max_width,
    max_height,
    max_frames,
    max_total_pixels,
  } = needs.animated_limits ?? {};
  const { width, height, frames } = facts;
  const pixels = width === null || height === null || frames === null ? null : width * height * frames;
  return [
    ...unmetNeeds({ ...needs, ...(max_bytes === undefined ? {} : { max_bytes }) }, facts),
    ...rangeProblems(WIDTH, width, undefined, max_width),
    ...rangeProblems(HEIGHT, height, undefined, max_height),
    ...rangeProblems(['number of frames', ''], frames, undefined, max_frames),
    ...rangeProblems(['area of all frames', 'pixels'], pixels, undefined, max_total_pixels),
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

function visibleChanges(needs: PictureNeeds, facts: MediaFacts, isConverted: boolean): string[] {
  const standsStill = facts.animated === true && !isKeptMoving(needs, facts);
  return [
    ...(standsStill ? ['Only the first frame will be shown'] : []),
    ...aspectProblems(needs, facts).map(problem => `${problem}. White margins will be added`),
    ...(facts.alpha === true && needs.alpha === 'white' && isConverted
      ? ['Transparent areas will be white']
      : []),
  ];
}
