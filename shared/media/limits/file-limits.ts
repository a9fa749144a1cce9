import type { MediaFacts, MediaFormat, MediaKind } from '../../model/media.ts';
import type { FileLimits } from '../../platforms/contract/rules.ts';
import {
  allowedValueProblems,
  ASPECT,
  ASPECT_SLACK,
  aspectOf,
  DURATION,
  FRAME_RATE,
  HEIGHT,
  rangeProblems,
  SIZE,
  WIDTH,
} from './ranges.ts';

/** Frame rates are averages, and 23.976 frames per second are commonly called 24. */
const FRAME_RATE_SLACK = 0.02;

const ARTICLES: Readonly<Record<MediaKind, string>> = { image: 'an', video: 'a', document: 'a' };

/** Returns the message for a file that is not of the expected kind. */
export const wrongKind = ({ format }: Pick<MediaFacts, 'format'>, expected: MediaKind) =>
  `The file is ${format}, which is not ${ARTICLES[expected]} ${expected}`;

/** Returns the message for a file that was not read, and whose name is not one of the expected kind. */
export const wrongName = (format: MediaFormat, expected: MediaKind) =>
  `The URL names a file of format ${format}, which is not ${ARTICLES[expected]} ${expected}`;

/** Returns a message for every limit that a file violates. An unknown value violates none. */
export function limitViolations(limits: FileLimits, facts: MediaFacts): string[] {
  const { min_aspect, max_aspect, min_frame_rate, max_frame_rate } = limits;
  return [
    ...allowedValueProblems('format', facts.format, limits.formats),
    ...(facts.video_tracks === 0 ? ['The file has no picture; a video needs one'] : []),
    ...rangeProblems(SIZE, facts.size, limits.min_bytes, limits.max_bytes),
    ...rangeProblems(DURATION, facts.duration, limits.min_seconds, limits.max_seconds),
    ...rangeProblems(WIDTH, facts.width, limits.min_width, limits.max_width),
    ...rangeProblems(HEIGHT, facts.height, limits.min_height, limits.max_height),
    ...rangeProblems(ASPECT, aspectOf(facts), min_aspect, max_aspect, ASPECT_SLACK),
    ...rangeProblems(FRAME_RATE, facts.frame_rate, min_frame_rate, max_frame_rate, FRAME_RATE_SLACK),
    ...allowedValueProblems('video codec', facts.video_codec, limits.video_codecs),
    ...allowedValueProblems('audio codec', facts.audio_codec, limits.audio_codecs),
  ];
}

/** Returns a message for every limit that the platform documents without always enforcing it. */
export function documentedLimits({ documented = {} }: FileLimits, facts: MediaFacts): string[] {
  const { width, height, duration } = facts;
  const isSized = width !== null && height !== null;
  const longSide = isSized ? Math.max(width, height) : null;
  const shortSide = isSized ? Math.min(width, height) : null;
  return [
    ...rangeProblems(DURATION, duration, undefined, documented.max_seconds),
    ...rangeProblems(WIDTH, width, documented.min_width, undefined),
    ...rangeProblems(['longer side', 'pixels'], longSide, documented.min_long_side, documented.max_long_side),
    ...rangeProblems(
      ['shorter side', 'pixels'],
      shortSide,
      documented.min_short_side,
      documented.max_short_side,
    ),
  ].map(problem => `${problem}. The platform may refuse it`);
}
