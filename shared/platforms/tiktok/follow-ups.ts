import * as v from 'valibot';
import { HOUR, MINUTE, SECOND } from '../../time/instant.ts';
import { defineFollowUp, type FollowUp, type PublishJob } from '../contract/publisher.ts';
import type { Credentials } from './credentials.ts';
import { findPublic, isListed, isPublic } from './find.ts';
import { postOf } from './post.ts';
import { standingOf } from './standing.ts';
import { StateSchema, type Context, type State } from './state.ts';

const IdStateSchema = v.object({
  publish_id: v.string(),
  creator: StateSchema.entries.creator,
  /** When it was first read. Epoch milliseconds; null before. */
  since: v.nullable(v.number()),
});
type IdState = v.InferOutput<typeof IdStateSchema>;

/** TikTok usually names the id within a minute. */
const POLL_MS = 30 * SECOND;
const SOON_MS = 30 * MINUTE;
/** Its moderation takes hours at times. */
const LATE_POLL_MS = 15 * MINUTE;
const GIVE_UP_MS = 6 * HOUR;

/** The id of a public post comes late; others have none that TikTok names. */
export const followUpsOf = (job: PublishJob): FollowUp<State, Credentials>[] =>
  isPublic(job) ? [publicId] : [];

/** Finds the id of the public post, and puts it in place of the id of the process. */
const publicId = defineFollowUp<IdState, State, Credentials>({
  name: 'public_id',
  idempotent: true,
  state: IdStateSchema,
  initial: (_job, { publish_id, creator }) => ({ publish_id: publish_id ?? '', creator, since: null }),
  run: async (context, state, { platform_post_id, published_at }) => {
    if (platform_post_id !== state.publish_id) return { type: 'done' };
    const since = state.since ?? context.now();
    const elapsedMs = context.now() - since;
    const id = (await namedId(context, state)) ?? (await listedId(context, elapsedMs, published_at));
    if (id !== null) return { type: 'done', amend: postOf(context, state, id, published_at) };
    if (elapsedMs > GIVE_UP_MS) return { type: 'done' };
    const delayMs = elapsedMs < SOON_MS ? POLL_MS : LATE_POLL_MS;
    return { type: 'wait', state: { ...state, since }, delayMs };
  },
});

async function namedId(context: Context, { publish_id }: IdState): Promise<string | null> {
  const standing = await standingOf(context, publish_id, null);
  return standing.type === 'live' ? standing.id : null;
}

async function listedId(context: Context, elapsedMs: number, publishedAt: number): Promise<string | null> {
  if (elapsedMs < SOON_MS || !isListed(context)) return null;
  // The post may have appeared any time after it was announced, which is when it was due.
  const found = await findPublic(context, Math.min(publishedAt, context.job.due_at));
  return found.type === 'published' ? found.post.platform_post_id : null;
}
