import * as v from 'valibot';
import { FIRST_COMMENT } from '../../model/destination.ts';
import { failure } from '../../model/failure.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';
import { PlatformError } from '../contract/error.ts';
import { defineFollowUp, type FollowUpResult } from '../contract/publisher.ts';
import { authorOf, callerOf, type State } from './context.ts';
import type { Credentials } from './credentials.ts';
import { createComment } from './posts.ts';

const CommentSchema = v.object({ tries: v.number() });
type CommentState = v.InferOutput<typeof CommentSchema>;

/** Right after posting, LinkedIn may not yet know the post. */
const DELAYS_MS = [5 * SECOND, 15 * SECOND, MINUTE, MINUTE];

/** Comments as the post's author. */
export const firstComment = defineFollowUp<CommentState, State, Credentials>({
  name: FIRST_COMMENT,
  state: CommentSchema,
  initial: () => ({ tries: 0 }),
  run: async (context, { tries }, post) => {
    const text = context.job.first_comment ?? '';
    try {
      await createComment(callerOf(context), { actor: authorOf(context), post: post.platform_post_id, text });
      return { type: 'done' };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return waitOrFail(tries, error);
    }
  },
});

/** Waits where nothing was created because the post is not known yet. */
function waitOrFail(tries: number, error: PlatformError): FollowUpResult<CommentState> {
  if (error.kind !== 'transient' || error.outcomeUnknown) throw error;
  const delayMs = DELAYS_MS[tries];
  if (delayMs !== undefined) return { type: 'wait', state: { tries: tries + 1 }, delayMs };
  return { type: 'rejected', failure: failure(error.code, error.message) };
}
