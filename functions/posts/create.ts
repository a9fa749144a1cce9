import { requirePlan } from '../../shared/http/authenticate.ts';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { planCopies, startCopies } from '../../shared/media/copy-media.ts';
import { statusOf, type Post } from '../../shared/model/post.ts';
import { admit } from '../../shared/posts/admit.ts';
import { contentOf } from '../../shared/posts/check.ts';
import { newPost } from '../../shared/posts/create.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input.ts';
import { atBestTime } from '../../shared/posts/at-best-time.ts';
import { preparePost } from '../../shared/posts/prepare.ts';
import { readInput } from '../../shared/posts/read.ts';
import { postRecord } from '../../shared/posts/record.ts';
import { storeFingerprints } from '../../shared/posts/similar.ts';
import { uncheckedMediaWarnings } from '../../shared/posts/unchecked-media.ts';
import { ignoredFieldWarnings } from '../../shared/posts/warnings.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import { schedulePost } from '../../shared/delivery/schedule.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { createPost as storePost, getPost as readPost } from '../../shared/store/posts.ts';
import { CreatedPostView, POST_EXAMPLE, refusals } from '../../shared/posts/view.ts';

const MESSAGES: Readonly<Record<Post['scheduling'], string>> = {
  immediate: 'The post is being published',
  scheduled: 'The post is scheduled',
  queue: 'The post is in the queue',
  best_time: 'The post is scheduled for the best time',
};

export const createPost = route({
  method: 'POST',
  path: '/posts',
  operation_id: 'createPost',
  summary: 'Publish a post now or schedule it',
  tag: 'Posts',
  auth: 'key',
  body: anyPostFields,
  body_docs: postFieldDocs,
  body_example: POST_EXAMPLE,
  responses: {
    201: { description: 'The post is stored and on its way', schema: CreatedPostView },
    404: { description: 'Profile not found' },
    ...refusals,
  },
  handler: async ({ body, principal, base_url, newResourceId, asked_at }, services) => {
    const input = await readInput(services, principal.workspace_id, body);
    if (input.add_to_queue) requirePlan(services, principal, QUEUE_PLAN);
    const prepared = await preparePost(services, principal.workspace_id, input);
    const { checked, profile, connections } = prepared;
    const { timed, warnings } = await atBestTime(services, checked, profile);
    const wanted = newPost(newResourceId(), input, timed, profile, connections, principal, asked_at);
    const store = async (placed: Post) => {
      await planCopies(services, placed);
      return storeOnce(services, placed);
    };
    const post = await admit(services, { post: wanted, connections, store, held: [] });
    await schedulePost(services, post);
    await startCopies(services, post);
    const duplicates = await storeFingerprints(services, post);

    const immediate = post.scheduling === 'immediate';
    return {
      status: 201,
      headers: { location: `${new URL(base_url).pathname}/posts/${post.post_id}` },
      body: {
        message: MESSAGES[post.scheduling],
        post_id: post.post_id,
        destinations_count: connections.length,
        received_type: post.post_type,
        is_immediate: immediate,
        status: statusOf(post),
        scheduled_date: postRecord(post)['scheduled_date'],
        warnings: [
          ...ignoredFieldWarnings(input, checked.platforms, contentOf(input, checked)),
          ...prepared.warnings,
          ...uncheckedMediaWarnings(services, post),
          ...duplicates,
          ...warnings,
        ],
      },
    };
  },
});

/**
 * Stores the post, unless an earlier run of the same request did so already: then that one counts. Null when another
 * post got its place in the queue.
 */
async function storeOnce({ table }: Services, post: Post): Promise<Post | null> {
  const written = await storePost(table, post);
  if (written !== 'stale') return written === 'written' ? post : null;
  const stored = await readPost(table, post.workspace_id, post.post_id);
  if (!stored) throw conflict('The post was deleted while it was created', { code: 'POST_DELETED' });
  return stored;
}
