import * as v from 'valibot';
import { UNKNOWN_POST_ID, type PublishedPost } from '../../model/destination.ts';
import { parseInstant, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import type { Finding, PublishJob } from '../contract/publisher.ts';
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
  const text = shownText(context.job);
  const posts = members.map(readMember).filter(({ at }) => at === null || at >= since - CLOCK_SKEW_MS);
  const candidates = posts.flatMap(({ id, at, text: shown }) =>
    at !== null && sameText(shown ?? '', text) ? [postOf(context, id, UNKNOWN_POST_ID, at)] : [],
  );
  const finding = await context.identify(candidates, other => sameText(shownText(other), text));
  if (finding.type === 'published') return { type: 'published', post: withId(finding.post, mediaId) };
  if (finding.type !== 'absent') return finding;
  const isClear = posts.every(post => post.at !== null && post.text !== null);
  return { type: isClear ? 'absent' : 'unknown' };
}

/** Returns the text by which a post is listed. */
const shownText = (job: PublishJob) => (kindOf(job) === 'spotlight' ? job.text : titleOf(job));

/** A post that Snapchat lists without an id is known by its media. */
const withId = (post: PublishedPost, mediaId: string): PublishedPost =>
  post.platform_post_id === UNKNOWN_POST_ID ? { ...post, platform_post_id: mediaId } : post;

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
