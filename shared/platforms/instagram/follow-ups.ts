import * as v from 'valibot';
import { FIRST_COMMENT, UNKNOWN_POST_ID } from '../../model/destination.ts';
import { failure } from '../../model/failure.ts';
import { defineFollowUp, type FollowUp } from '../contract/publisher.ts';
import { orLater, permalinkFollowUp } from '../families/meta/permalink.ts';
import type { Credentials } from './credentials.ts';
import { comparable } from './evidence.ts';
import { commentsOf, createComment, permalinkOf } from './media.ts';
import { accessesFor, type Context, type State } from './state.ts';

type InstagramFollowUp = FollowUp<State, Credentials>;

/** Reads the link of the post where Instagram did not name it at once. */
export const permalink: InstagramFollowUp = permalinkFollowUp('Instagram', (context: Context, id) =>
  orLater(permalinkOf(accessesFor(context), id)),
);

/** Posts the first comment. A lost response is looked up among the comments. */
export const firstComment: InstagramFollowUp = defineFollowUp({
  name: FIRST_COMMENT,
  state: v.object({}),
  initial: () => ({}),
  run: async (context: Context, _, { platform_post_id: id }) => {
    if (id === UNKNOWN_POST_ID) {
      const message = 'Instagram does not show which post is this one: add the comment in the app';
      return { type: 'rejected', failure: failure('DELIVERY_UNKNOWN', message) };
    }
    await orLater(createComment(accessesFor(context), id, context.job.first_comment ?? ''));
    return { type: 'done' };
  },
  reconcile: async (context: Context, _, { platform_post_id: id }) => {
    const text = comparable(context.job.first_comment ?? '');
    const comments = await orLater(commentsOf(accessesFor(context), id));
    return comments.some(each => comparable(each.text) === text) ? { type: 'done' } : { type: 'absent' };
  },
});
