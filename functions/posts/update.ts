import * as v from 'valibot';
import { reservationsOf, releaseAll, withoutReservations } from '../../shared/caps/reserve.ts';
import { schedulePost } from '../../shared/delivery/schedule.ts';
import { requirePlan } from '../../shared/http/authenticate.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound } from '../../shared/http/errors.ts';
import { planCopies, startCopies } from '../../shared/media/copy-media.ts';
import { destinationsOf, statusOf, type Post } from '../../shared/model/post.ts';
import { admit } from '../../shared/posts/admit.ts';
import { dropSchedule } from '../../shared/posts/cancel.ts';
import { contentOf } from '../../shared/posts/check.ts';
import { newPost } from '../../shared/posts/create.ts';
import { anyPostFields, postFieldDocs } from '../../shared/posts/input.ts';
import { atBestTime } from '../../shared/posts/at-best-time.ts';
import { preparePost, refused } from '../../shared/posts/prepare.ts';
import { allFaults, readInput } from '../../shared/posts/read.ts';
import { postRecord } from '../../shared/posts/record.ts';
import { QUEUE_PLAN } from '../../shared/queue/plan.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { comparedText, storeFingerprints } from '../../shared/posts/similar.ts';
import { uncheckedMediaWarnings } from '../../shared/posts/unchecked-media.ts';
import { PostView, refusals, WarningView } from '../../shared/posts/view.ts';
import { ignoredFieldWarnings } from '../../shared/posts/warnings.ts';
import { atTimeOf, timingAfter } from './timing.ts';

/** Any field of a post; what is left out stays as it is. */
const optionalFields = Object.fromEntries(
  Object.entries(postFieldDocs).map(([name, schema]) => [name, v.optional(schema)]),
);

export const updatePost = route({
  method: 'POST',
  path: '/posts/{id}',
  operation_id: 'updatePost',
  summary: 'Change a post that has not begun to be published',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  body: anyPostFields,
  body_docs: optionalFields,
  body_example: { description: 'Our new blend is out today', scheduled_date: '2026-12-01T12:00:00Z' },
  responses: {
    200: {
      description: 'The post as it is now',
      schema: v.object({ message: v.string(), post: PostView, warnings: v.array(WarningView) }),
    },
    ...refusals,
    404: { description: 'No such post' },
    409: { description: 'A destination has left pending' },
  },
  handler: async ({ params, body, principal }, services) => {
    const post = await getPost(services.table, principal.workspace_id, params.id.toLowerCase());
    if (!post) throw notFound('Post');
    if (destinationsOf(post).some(({ status }) => status !== 'pending')) throw notEditable(post);
    const timing = timingAfter(post, body);
    const input = await readMerged(services, post, { ...body, ...timing.input });
    if (input.add_to_queue) requirePlan(services, principal, QUEUE_PLAN);
    const prepared = await preparePost(services, principal.workspace_id, input);

    const { checked, profile, connections } = prepared;
    const best = timing.keeps
      ? { timed: checked, warnings: [] }
      : await atBestTime(services, checked, profile);
    const wanted: Post = {
      ...newPost(post.post_id, input, best.timed, profile, connections, principal, services.now()),
      version: post.version + 1,
      created_by: post.created_by,
      created_at: post.created_at,
    };
    const timed = timing.keeps ? atTimeOf(post, wanted, services.now()) : wanted;
    const store = async (placed: Post) => {
      await planCopies(services, placed);
      const written = await replacePost(services.table, post, placed);
      if (written === 'stale') throw await notEditableNow(services, post);
      return written === 'written' ? placed : null;
    };
    const next = await admit(services, { post: timed, connections, store, held: reservationsOf(post) });
    await leave(services, post, next);
    await schedulePost(services, next);
    await startCopies(services, next);
    const warnings = [
      ...best.warnings,
      ...ignoredFieldWarnings(input, checked.platforms, contentOf(input, checked)),
      ...prepared.warnings,
      ...uncheckedMediaWarnings(services, next),
      ...(saysTheSame(post, next) ? [] : await storeFingerprints(services, next)),
    ];
    return { status: 200, body: { message: 'The post is changed', post: postRecord(next), warnings } };
  },
});

/** The whole post as it shall be, read as if it were created. Throws 400 with every fault. */
async function readMerged(services: Services, post: Post, body: Record<string, unknown>) {
  const { workspace_id, post_type } = post;
  const profile = await getProfile(services.table, workspace_id, post.profile_id);
  const merged = { ...inputOf(post, profile?.profile_name ?? post.profile_name), ...body };
  if (merged['post_type'] === post_type) return readInput(services, workspace_id, merged);
  const { details, violations } = await allFaults(services, workspace_id, { ...merged, post_type });
  throw refused({ details: [UNCHANGEABLE, ...details], violations });
}

const UNCHANGEABLE = { field: 'post_type', message: 'Cannot be changed', platform: null };

/** A stored post in the words of a request; its profile may have another name by now. */
function inputOf(post: Post, profile_name: string): Record<string, unknown> {
  return {
    post_type: post.post_type,
    profile_name,
    platforms: Object.keys(post.destinations),
    media_urls: post.media_urls,
    title: post.title,
    description: post.description,
    first_comment: post.first_comment,
    auto_truncate: post.auto_truncate,
    ...post.options,
  };
}

/** An edit of what nobody compares leaves the traces of the post as they are. */
const saysTheSame = (a: Post, b: Post) => comparedText(a) === comparedText(b) && a.due_at === b.due_at;

/** Gives back what the earlier version held and the new one does not. */
async function leave(services: Services, post: Post, next: Post): Promise<void> {
  await releaseAll(services.table, withoutReservations(reservationsOf(post), reservationsOf(next)));
  await dropSchedule(services, post);
}

const notEditable = (post: Post) =>
  conflict('The post is published or being published', { code: 'POST_NOT_EDITABLE', status: statusOf(post) });

/** Why the post as it was read could not be replaced: it is gone, it moved on, or another edit was faster. */
async function notEditableNow(services: Services, { workspace_id, post_id }: Post) {
  const post = await getPost(services.table, workspace_id, post_id);
  if (!post) return notFound('Post');
  if (destinationsOf(post).some(({ status }) => status !== 'pending')) return notEditable(post);
  const extra = { code: 'POST_CHANGED', status: statusOf(post) };
  return conflict('Another request changed the post at the same time: read it and try again', extra);
}
