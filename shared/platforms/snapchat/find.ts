import * as v from 'valibot';
import { parseInstant, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding } from '../contract/publisher.ts';
import { sameText } from '../kit/same-text.ts';
import { optionalText, send } from './call.ts';
import { callerOf, kindOf, postOf, profileOf, titleOf, type Context, type Kind } from './state.ts';

/** Maximum clock skew between Snapchat and the service. */
const CLOCK_SKEW_MS = 5 * SECOND;

const entry = {
  id: optionalText,
  description: optionalText,
  title: optionalText,
  created_at: v.fallback(v.nullish(v.union([v.string(), v.number()]), null), null),
};
const Entry = v.fallback(v.nullish(v.object(entry), null), null);
const MemberSchema = v.object({ ...entry, spotlight: Entry, saved_story: Entry });
type Member = v.InferOutput<typeof MemberSchema>;

/** Where the posts of a kind are listed. Stories have nothing that tells one from another. */
const LISTS: Readonly<Record<Kind, 'spotlights' | 'saved_stories' | null>> = {
  story: null,
  spotlight: 'spotlights',
  saved_story: 'saved_stories',
};

/**
 * Looks for the post of the job among the newest since a time: by its text. The shape of the lists is not documented:
 * what cannot be read is no evidence.
 */
export async function findPost(context: Context, mediaId: string, since: number): Promise<Finding> {
  const list = LISTS[kindOf(context.job)];
  const members = list === null ? null : await newest(context, list);
  if (members === null) return { type: 'unknown' };
  const text = list === 'spotlights' ? context.job.text : titleOf(context.job);
  const posts = members.map(readMember).filter(({ at }) => at === null || at >= since - CLOCK_SKEW_MS);
  const found = posts.find(post => post.at !== null && sameText(post.text ?? '', text));
  if (found?.at != null) return { type: 'published', post: postOf(context, found.id, mediaId, found.at) };
  const isClear = posts.every(post => post.at !== null && post.text !== null);
  return { type: isClear ? 'absent' : 'unknown' };
}

/** Returns the newest posts of a list; null where Snapchat refuses the list or it cannot be read. */
async function newest(context: Context, list: 'spotlights' | 'saved_stories'): Promise<Member[] | null> {
  const path = `/v1/public_profiles/${profileOf(context)}/${list}?limit=10`;
  const schema = v.object({ [list]: v.fallback(v.nullable(v.array(MemberSchema)), null) });
  try {
    const call = { what: 'Looking for the post', method: 'GET', path } as const;
    return (await send(callerOf(context), call, schema))[list] ?? null;
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return null;
    throw error;
  }
}

interface FoundPost {
  id: string | null;
  /** Null where it cannot be read. */
  text: string | null;
  at: number | null;
}

function readMember(member: Member): FoundPost {
  const { id, description, title, created_at } = member.spotlight ?? member.saved_story ?? member;
  const at = typeof created_at === 'string' ? parseInstant(created_at) : created_at;
  return { id: id ?? member.id, text: description ?? title, at };
}
