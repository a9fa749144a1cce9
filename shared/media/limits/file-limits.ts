import type { MediaFacts, MediaKind } from '../../model/media.ts';
import type { Draft, FileLimits, PlatformRules } from '../../platforms/contract/rules.ts';
import { fileLimitsOf } from '../../platforms/kit/files.ts';
import { pictureProblems, visibleChanges } from './picture-needs.ts';
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

/*
 * The one check of files against a platform's limits: when a post is created, when it is validated, and again when it is
 * published. An unknown value violates no limit.
 */

/** Frame rates are averages, and 23.976 frames per second are commonly called 24. */
const FRAME_RATE_SLACK = 0.02;
/** Images of one post count as of one aspect ratio when they differ by less. */
const SAME_ASPECT_MARGIN = 0.02;

/** Returns the limits that one file of a draft violates, each with limit, value and platform. */
export function fileProblems(rules: PlatformRules, draft: Draft, facts: MediaFacts): string[] {
  const expected = kindOf(draft);
  if (facts.kind !== expected) return [wrongKind(facts, expected)];
  const limits = fileLimitsOf(rules, draft, expected);
  if (!limits) return [`${rules.display_name} accepts no ${expected}s`];
  const violations = limitViolations(limits, facts);
  const needs = expected === 'image' ? rules.pictures : null;
  const unfit =
    needs && needs.when_unfit !== 'file' && violations.length === 0 ? pictureProblems(needs, facts) : [];
  return [...violations, ...unfit].map(problem => `${problem} (${rules.display_name})`);
}

/** Returns the limits that the file of a field such as a cover violates; nothing for a field that takes no file. */
export function coverProblems(rules: PlatformRules, field: string, facts: MediaFacts): string[] {
  const cover = rules.covers?.[field];
  if (!cover) return [];
  if (facts.kind !== 'image') return [wrongKind(facts, 'image')];
  const violations = limitViolations(cover.limits, facts);
  const problems = violations.length > 0 ? violations : pictureProblems(cover.needs, facts);
  return problems.map(problem => `${problem} (${rules.display_name})`);
}

/** Returns the limits that the files of a draft violate together; null stands for an unknown file. */
export function groupProblems(
  { pictures, display_name }: PlatformRules,
  draft: Draft,
  files: readonly (MediaFacts | null)[],
): string[] {
  if (draft.post_type !== 'image' || !pictures || files.length < 2) return [];
  const mixesAnimation = pictures.animated_alone === true && files.some(file => file?.animated === true);
  const aspects = files.map(file => (file ? aspectOf(file) : null)).filter(aspect => aspect !== null);
  const differ = Math.max(...aspects) > Math.min(...aspects) * (1 + SAME_ASPECT_MARGIN);
  return [
    ...(mixesAnimation ? [`On ${display_name} an animated image must be the only one of its post`] : []),
    ...(pictures.same_aspect === true && differ
      ? [`On ${display_name} all images of a post must have the same ratio of width to height`]
      : []),
  ];
}

/** Returns what a viewer will see differently from what was sent. */
export function fileChanges({ pictures, display_name }: PlatformRules, facts: MediaFacts): string[] {
  if (facts.kind !== 'image' || !pictures) return [];
  return visibleChanges(pictures, facts).map(change => `${change} (${display_name})`);
}

const kindOf = ({ post_type }: Draft): MediaKind => (post_type === 'text' ? 'image' : post_type);

const ARTICLES: Readonly<Record<MediaKind, string>> = { image: 'an', video: 'a', document: 'a' };

/** Returns the message for a file that is not of the expected kind. */
export const wrongKind = ({ format }: Pick<MediaFacts, 'format'>, expected: MediaKind) =>
  `The file is ${format}, which is not ${ARTICLES[expected]} ${expected}`;

/** Returns a message for every limit that a file violates. */
export function limitViolations(limits: FileLimits, facts: MediaFacts): string[] {
  const { min_aspect, max_aspect, min_frame_rate, max_frame_rate } = limits;
  return [
    ...allowedValueProblems('format', facts.format, limits.formats),
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
