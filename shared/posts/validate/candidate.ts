import type { ValidationDetail } from '../../http/errors.ts';
import { contentOf, type PlatformPost } from '../drafts.ts';
import type { Candidate } from '../input/read.ts';
import { altTextErrors } from './alt-texts.ts';
import { contentErrors } from './content.ts';
import { platformErrors, typeErrors } from './platform.ts';
import { sizeErrors } from './size.ts';
import { urlErrors } from './urls.ts';

/** Returns every error of a post that can be found without the database: of its fields and of each platform's rules. */
export async function candidateErrors(
  candidate: Candidate,
  posts: readonly PlatformPost[],
): Promise<ValidationDetail[]> {
  return [
    ...sizeErrors(candidate),
    ...(await urlErrors(candidate)),
    ...altTextErrors(candidate, posts),
    ...ruleErrors(candidate, posts),
  ];
}

/** What every platform misses is one error, not one per platform. */
function ruleErrors(candidate: Candidate, posts: readonly PlatformPost[]): ValidationDetail[] {
  const content = contentOf(candidate);
  if (content === null) return [];
  const common = contentErrors(content, candidate.platforms);
  const reported = new Set(common.map(({ field }) => field));
  const own = [
    ...typeErrors(content.post_type, candidate.platforms),
    ...posts.flatMap(post => platformErrors(post, content)),
  ];
  return [...common, ...own.filter(({ field }) => !reported.has(field))];
}
