import type { PlatformId } from '../model/platform.ts';
import type { Services } from '../runtime/services.ts';
import { getHashtagChoices, type HashtagChoices } from '../store/banned-hashtags.ts';
import { foldHashtag, hashtagsOf } from '../text/hashtags.ts';
import list from './banned-hashtags.json' with { type: 'json' };

/** Platforms that hide posts with certain hashtags. */
const CHECKED: readonly PlatformId[] = ['instagram', 'threads', 'facebook'];

/** The service's own list, in alphabetical order. */
export const BANNED: readonly string[] = [...new Set(list.map(foldHashtag))].sort();

/** A hashtag that a platform does not bear. */
export interface HashtagViolation {
  platform: PlatformId;
  hashtag: string;
  field: string;
  message: string;
}

type Texts = Readonly<Record<'title' | 'description' | 'first_comment', string | null>>;

/** Every banned hashtag in every text of a post. Reads the workspace's choices only where a hashtag could be banned. */
export async function bannedHashtags(
  services: Services,
  workspaceId: string,
  platforms: readonly PlatformId[],
  texts: Texts,
): Promise<HashtagViolation[]> {
  const concerned = platforms.filter(platform => CHECKED.includes(platform));
  const used = usedHashtags(texts);
  if (concerned.length === 0 || used.length === 0) return [];
  const banned = bannedFor(await getHashtagChoices(services.table, workspaceId));
  return used
    .filter(({ hashtag }) => banned.has(foldHashtag(hashtag)))
    .flatMap(({ hashtag, field }) =>
      concerned.map(platform => ({ platform, hashtag, field, message: `${hashtag} is a banned hashtag` })),
    );
}

/** The list that holds for a workspace: what it allows is taken out, what it adds comes in. */
export function bannedFor({ added, allowed }: HashtagChoices): ReadonlySet<string> {
  const banned = new Set([...BANNED, ...added]);
  for (const hashtag of allowed) banned.delete(hashtag);
  return banned;
}

/** Each hashtag once a field. */
function usedHashtags({ title, description, first_comment }: Texts): { hashtag: string; field: string }[] {
  return Object.entries({ title, description, first_comment }).flatMap(([field, text]) => {
    const byFold = new Map(hashtagsOf(text ?? '').map(hashtag => [foldHashtag(hashtag), hashtag]));
    return [...byFold.values()].map(hashtag => ({ hashtag, field }));
  });
}
