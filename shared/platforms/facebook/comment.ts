import * as v from 'valibot';
import type { PublishedPost } from '../../model/destination.ts';
import { FIRST_COMMENT } from '../../model/destination.ts';
import {
  defineFollowUp,
  type FollowUpFinding,
  type FollowUpResult,
  type StepContext,
} from '../contract/publisher.ts';
import { isGraphError } from '../families/meta/errors.ts';
import { orLater } from '../families/meta/permalink.ts';
import { commentFor } from '../kit/draft.ts';
import { sameText } from '../kit/same-text.ts';
import { createComment, ownComments, pageClient, type PageClient } from './client.ts';
import type { Credentials } from './credentials.ts';
import { rules } from './rules.ts';
import type { State } from './state.ts';
import { postOfVideo } from './video-status.ts';

const CommentSchema = v.object({
  text: v.string(),
  /** What is commented on, once it is known: the post of a video is not the video. */
  target_id: v.nullable(v.string()),
});
type Comment = v.InferOutput<typeof CommentSchema>;

type Context = StepContext<Credentials>;

/** Posts the first comment, as the Page. */
export const firstComment = defineFollowUp<Comment, State, Credentials>({
  name: FIRST_COMMENT,
  state: CommentSchema,
  initial: job => ({ text: commentFor(rules, job) ?? '', target_id: null }),

  async run(context, state, post): Promise<FollowUpResult<Comment>> {
    const page = pageClient(context);
    // Stored before the comment is sent, so that a lost one is looked for in the right place.
    if (state.target_id === null) {
      return { type: 'again', state: { ...state, target_id: await commentable(page, context, post) } };
    }
    const request = createComment(page, state.target_id, state.text);
    try {
      await (state.target_id === post.platform_post_id ? orLater(request) : request);
    } catch (error) {
      if (!isGraphError(error, 100, 33)) throw error;
      return { type: 'again', state: { ...state, target_id: post.platform_post_id } };
    }
    return { type: 'done' };
  },

  async reconcile(context, state, post): Promise<FollowUpFinding> {
    const id = state.target_id ?? post.platform_post_id;
    const comments = await orLater(ownComments(pageClient(context), id));
    return { type: comments.some(text => sameText(text, state.text)) ? 'done' : 'absent' };
  },
});

/** Returns the id of the post that shows a video; while there is none, the video takes comments too. */
async function commentable(page: PageClient, { job }: Context, post: PublishedPost): Promise<string> {
  const { platform_post_id: id } = post;
  if (job.post_type !== 'video') return id;
  return (await orLater(postOfVideo(page, id))) ?? id;
}
