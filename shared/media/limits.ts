import type { MediaFacts, MediaKind } from '../model/media.ts';
import { fileLimitsOf } from '../platforms/kit/files.ts';
import type { Draft, FileLimits, PlatformRules } from '../platforms/contract/rules.ts';
import { pictureFaults, visibleChanges } from './fit.ts';
import {
  ASPECT,
  ASPECT_SLACK,
  aspectOf,
  DURATION,
  FRAME_RATE,
  HEIGHT,
  outside,
  SIZE,
  WIDTH,
} from './measures.ts';

/*
 * The one checker of files: asked when a post is made, when it is validated, and again when it is published. What is
 * not known breaks no limit.
 */

/** Rates are averages, and 23.976 frames are called 24. */
const FRAME_RATE_SLACK = 0.02;
/** Pictures of one post have one shape when they differ by less. */
const SAME_ASPECT_MARGIN = 0.02;

/** What one file of a draft breaks, in words with limit and value. */
export function faultsOfFile(rules: PlatformRules, draft: Draft, facts: MediaFacts): string[] {
  const named = (fault: string) => `${fault} (${rules.display_name})`;
  const wanted = kindOf(draft);
  if (facts.kind !== wanted) return [`Is ${facts.format}, which is no ${wanted}`];
  const limits = fileLimitsOf(rules, draft, wanted);
  if (!limits) return [`${rules.display_name} takes no ${wanted}s`];
  const own = brokenLimits(limits, facts);
  const needs = wanted === 'image' ? rules.pictures : null;
  const unfit = needs && needs.unfit !== 'file' && own.length === 0 ? pictureFaults(needs, facts) : [];
  return [...own, ...unfit].map(named);
}

/** What the file of a field such as a cover breaks; nothing for a field that names none. */
export function faultsOfCover(rules: PlatformRules, field: string, facts: MediaFacts): string[] {
  const cover = rules.covers?.[field];
  if (!cover) return [];
  if (facts.kind !== 'image') return [`Is ${facts.format}, which is no image`];
  const own = brokenLimits(cover.limits, facts);
  const faults = own.length > 0 ? own : pictureFaults(cover.needs, facts);
  return faults.map(fault => `${fault} (${rules.display_name})`);
}

/** What the files of a draft break together; null stands for one that is not known. */
export function faultsTogether(
  { pictures, display_name }: PlatformRules,
  draft: Draft,
  files: readonly (MediaFacts | null)[],
): string[] {
  if (draft.post_type !== 'image' || !pictures || files.length < 2) return [];
  const moving = pictures.moves_alone === true && files.some(file => file?.animated === true);
  const aspects = files.map(file => (file ? aspectOf(file) : null)).filter(aspect => aspect !== null);
  const differ = Math.max(...aspects) > Math.min(...aspects) * (1 + SAME_ASPECT_MARGIN);
  return [
    ...(moving ? [`On ${display_name} a picture that moves must be the only one of its post`] : []),
    ...(pictures.same_aspect === true && differ
      ? [`On ${display_name} the pictures of one post must have one ratio of width to height`]
      : []),
  ];
}

/** What a viewer will see otherwise than it was sent. */
export function changesOfFile({ pictures, display_name }: PlatformRules, facts: MediaFacts): string[] {
  if (facts.kind !== 'image' || !pictures) return [];
  return visibleChanges(pictures, facts).map(change => `${change} (${display_name})`);
}

const kindOf = ({ post_type }: Draft): MediaKind => (post_type === 'text' ? 'image' : post_type);

/** Every limit that a file breaks, in words. */
export function brokenLimits(limits: FileLimits, facts: MediaFacts): string[] {
  const { min_aspect, max_aspect, min_frame_rate, max_frame_rate } = limits;
  return [
    ...amongst('', facts.format, limits.formats),
    ...outside(SIZE, facts.size, limits.min_bytes, limits.max_bytes),
    ...outside(DURATION, facts.duration, limits.min_seconds, limits.max_seconds),
    ...outside(WIDTH, facts.width, limits.min_width, limits.max_width),
    ...outside(HEIGHT, facts.height, limits.min_height, limits.max_height),
    ...outside(ASPECT, aspectOf(facts), min_aspect, max_aspect, ASPECT_SLACK),
    ...outside(FRAME_RATE, facts.frame_rate, min_frame_rate, max_frame_rate, FRAME_RATE_SLACK),
    ...amongst('codec of the picture ', facts.video_codec, limits.video_codecs),
    ...amongst('codec of the sound ', facts.audio_codec, limits.audio_codecs),
  ];
}

function amongst(what: string, value: string | null, allowed: readonly string[] | undefined): string[] {
  if (value === null || allowed === undefined || allowed.includes(value)) return [];
  const is = what === '' ? 'Is' : `The ${what}is`;
  return [`${is} ${value}; must be one of ${allowed.join(', ')}`];
}
