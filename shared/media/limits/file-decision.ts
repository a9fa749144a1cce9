import type { MediaFacts, MediaKind } from '../../model/media.ts';
import type { Draft, FileLimits, PlatformRules } from '../../platforms/contract/rules.ts';
import { fileLimitsOf, fileVariantsOf, pictureNeedsOf, sentTogether } from '../../platforms/kit/files.ts';
import { documentedLimits, limitViolations, wrongKind } from './file-limits.ts';
import { decidePicture, isMoving, UNCHANGED, type FileDecision } from './picture-needs.ts';
import { aspectOf } from './ranges.ts';

/*
 * What a platform gets of a file: asked when a post is validated, when it is created, and again when it is published,
 * so that all three say the same.
 */

/** Images of one post count as of one aspect ratio when they differ by less. */
const SAME_ASPECT_MARGIN = 0.02;

/** Decides about one file of a draft. */
export function decideFile(rules: PlatformRules, draft: Draft, facts: MediaFacts): FileDecision {
  const expected = kindOf(draft);
  if (facts.kind !== expected) return refused([wrongKind(facts, expected)]);
  const limits = fileLimitsOf(rules, draft, expected);
  if (!limits) return refused([`${rules.display_name} accepts no ${expected}s`]);
  const variants = fileVariantsOf(rules, draft, expected).map(({ name }) => name);
  return named([rules.display_name, ...variants].join(', '), decideWithin(rules, draft, limits, facts));
}

function decideWithin(
  { pictures }: PlatformRules,
  draft: Draft,
  limits: FileLimits,
  facts: MediaFacts,
): FileDecision {
  const violations = limitViolations(limits, facts);
  if (violations.length > 0) return refused(violations);
  const doubts = documentedLimits(limits, facts);
  if (facts.kind === 'image' && pictures) {
    return { ...decidePicture(pictureNeedsOf(pictures, draft), facts), doubts };
  }
  if (limits.sent_as_file?.includes(facts.format) !== true) return { ...UNCHANGED, doubts };
  const change = `The ${facts.format} will be sent as a file to download`;
  return { ...UNCHANGED, sent_as: 'file', changes: [change], doubts };
}

/** Decides about the file of a field such as a cover; unchanged for a field that takes no file. */
export function decideCover(rules: PlatformRules, field: string, facts: MediaFacts): FileDecision {
  const cover = rules.covers?.[field];
  if (!cover) return UNCHANGED;
  if (facts.kind !== 'image') return refused([wrongKind(facts, 'image')]);
  const violations = limitViolations(cover.limits, facts);
  const decision = violations.length > 0 ? refused(violations) : decidePicture(cover.needs, facts);
  return named(rules.display_name, decision);
}

const SENT_WITH_FILES = 'The image will be sent as a file to download, because another one of the post is';

/** Decides about all files of a draft, which may be sent differently together; null stands for an unknown file. */
export function decideFiles(
  rules: PlatformRules,
  draft: Draft,
  files: readonly (MediaFacts | null)[],
): (FileDecision | null)[] {
  const decisions = files.map(facts => facts && decideFile(rules, draft, facts));
  const together = sentTogether(decisions.map(decision => decision?.sent_as ?? 'unchanged'));
  return decisions.map((decision, index) => {
    const sent_as = together[index];
    if (!decision || sent_as === undefined || sent_as === decision.sent_as) return decision;
    return { ...decision, sent_as, changes: [`${SENT_WITH_FILES} (${rules.display_name})`] };
  });
}

/** Returns the limits that the files of a draft violate together; null stands for an unknown file. */
export function groupProblems(
  { pictures, display_name }: PlatformRules,
  draft: Draft,
  files: readonly (MediaFacts | null)[],
): string[] {
  if (draft.post_type !== 'image' || !pictures || files.length < 2) return [];
  const mixesAnimation =
    pictures.animation_in_album === 'refused' && files.some(file => file !== null && isMoving(file));
  const aspects = files.map(file => (file ? aspectOf(file) : null)).filter(aspect => aspect !== null);
  const differ = Math.max(...aspects) > Math.min(...aspects) * (1 + SAME_ASPECT_MARGIN);
  return [
    ...(mixesAnimation ? [`On ${display_name} an animated image must be the only one of its post`] : []),
    ...(pictures.same_aspect === true && differ
      ? [`On ${display_name} all images of a post must have the same ratio of width to height`]
      : []),
  ];
}

const kindOf = ({ post_type }: Draft): MediaKind => (post_type === 'text' ? 'image' : post_type);

const refused = (problems: string[]): FileDecision => ({ ...UNCHANGED, problems });

/** Names the platform, and the posts or accounts whose limits apply. */
function named(name: string, { sent_as, problems, changes, doubts }: FileDecision): FileDecision {
  const withName = (message: string) => `${message} (${name})`;
  return {
    sent_as,
    problems: problems.map(withName),
    changes: changes.map(withName),
    doubts: doubts.map(withName),
  };
}
