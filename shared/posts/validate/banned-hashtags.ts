import type { PlatformId } from '../../model/platform.ts';
import type { Services } from '../../runtime/services.ts';
import { getHashtagChoices, type HashtagChoices } from '../../store/banned-hashtags.ts';
import { foldHashtag, hashtagsOf } from '../../text/hashtags.ts';
import type { PlatformRules } from '../../platforms/contract/rules.ts';
import { descriptionFor } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import type { Candidate } from '../input/read.ts';
import list from './banned-hashtags.json' with { type: 'json' };

/** The service's own list, in alphabetical order. */
export const DEFAULT_BANNED: readonly string[] = [...new Set(list.map(foldHashtag))].sort();

/** A hashtag with which a platform hides the post. */
export interface HashtagViolation {
  platform: PlatformId;
  hashtag: string;
  field: string;
  message: string;
}

/** Returns every banned hashtag in the texts of a post. Reads the workspace's list only where a hashtag could be on it. */
export async function bannedHashtags(
  services: Services,
  workspaceId: string,
  candidate: Candidate,
): Promise<HashtagViolation[]> {
  const used = candidate.platforms
    .map(platform => RULES[platform])
    .filter(({ banned_hashtags }) => banned_hashtags)
    .flatMap(rules => usedHashtags(rules, candidate));
  if (used.length === 0) return [];
  const banned = bannedFor(await getHashtagChoices(services.table, workspaceId));
  return used.filter(({ hashtag }) => banned.has(foldHashtag(hashtag)));
}

/** Returns the list of a workspace: the default list with its additions, without what it allows. */
export function bannedFor({ added, allowed }: HashtagChoices): ReadonlySet<string> {
  const banned = new Set([...DEFAULT_BANNED, ...added]);
  for (const hashtag of allowed) banned.delete(hashtag);
  return banned;
}

/** Returns the hashtags of a post on one platform, each once per field. */
function usedHashtags(rules: PlatformRules, candidate: Candidate): HashtagViolation[] {
  const description = descriptionFor(rules, candidate);
  const texts = [
    ['title', candidate.title],
    [description.field, description.text],
    ['first_comment', candidate.first_comment],
  ] as const;
  return texts.flatMap(([field, text]) => {
    const distinct = new Map(hashtagsOf(text ?? '').map(hashtag => [foldHashtag(hashtag), hashtag]));
    return [...distinct.values()].map(hashtag => ({
      platform: rules.platform,
      hashtag,
      field,
      message: `${hashtag} is a banned hashtag`,
    }));
  });
}
