import * as v from 'valibot';
import { claimsOf, releaseAll, withoutClaims } from '../../shared/caps/reserve.ts';
import { setAlarm } from '../../shared/delivery/schedule.ts';
import { idParam, route } from '../../shared/http/define-route.ts';
import { conflict, notFound, validationFailed } from '../../shared/http/errors.ts';
import { destinationsOf, statusOf, type Post } from '../../shared/model/post.ts';
import { admit } from '../../shared/posts/admit.ts';
import { dropSchedule } from '../../shared/posts/cancel.ts';
import { newPost } from '../../shared/posts/create.ts';
import { createPostFields, platformFieldDocs } from '../../shared/posts/input.ts';
import { moreFaults } from '../../shared/posts/more-faults.ts';
import { preparePost } from '../../shared/posts/prepare.ts';
import { postRecord } from '../../shared/posts/record.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';
import { PostView, refusals } from '../../shared/posts/view.ts';

/** Any field of a post; what is left out stays as it is. */
const changes = Object.fromEntries(
  Object.keys(createPostFields).map(name => [name, v.optional(v.unknown())]),
);

const optionalFields = Object.fromEntries(
  Object.entries({ ...createPostFields, ...platformFieldDocs }).map(([name, schema]) => [
    name,
    v.optional(schema),
  ]),
);

export const updatePost = route({
  method: 'POST',
  path: '/posts/{id}',
  operation_id: 'updatePost',
  summary: 'Change a post that has not begun to be published',
  tag: 'Posts',
  auth: 'key',
  params: idParam,
  body: changes,
  body_docs: optionalFields,
  body_example: { description: 'Our new blend is out today', scheduled_date: '2026-12-01T12:00:00Z' },
  responses: {
    200: {
      description: 'The post as it is now',
      schema: v.object({ message: v.string(), post: PostView }),
    },
    ...refusals,
    404: { description: 'No such post' },
    409: { description: 'A destination has left pending' },
  },
  handler: async ({ params, body, principal }, services) => {
    const post = await getPost(services.table, principal.workspace_id, params.id.toLowerCase());
    if (!post) throw notFound('Post');
    if (destinationsOf(post).some(({ status }) => status !== 'pending')) throw notEditable(post);
    const input = await readMerged(services, post, body);
    const prepared = await preparePost(services, principal.workspace_id, input);

    const { checked, profile, connections } = prepared;
    const next: Post = {
      ...newPost(post.post_id, input, checked, profile, connections, principal, services.now()),
      version: post.version + 1,
      created_by: post.created_by,
      created_at: post.created_at,
    };
    const replace = async () => {
      if (!(await replacePost(services.table, post, next))) throw await notEditableNow(services, post);
    };
    await admit(services, next, connections, replace, claimsOf(post));
    await leave(services, post, next);
    await setAlarm(services, next);
    return { status: 200, body: { message: 'The post is changed', post: postRecord(next) } };
  },
});

/** The whole post as it shall be, read as if it were created. Throws 400 with every fault. */
async function readMerged(services: Services, post: Post, body: Record<string, unknown>) {
  const profile = await getProfile(services.table, post.workspace_id, post.profile_id);
  const merged = { ...inputOf(post, profile?.profile_name ?? post.profile_name), ...body };
  const parsed = v.safeParse(v.object(createPostFields), merged);
  if (parsed.success && parsed.output.post_type === post.post_type) return parsed.output;
  const own = (parsed.issues ?? []).map(issue => ({
    field: v.getDotPath(issue) ?? 'body',
    message: issue.message.startsWith('Invalid ') ? `Must be ${issue.expected}` : issue.message,
    platform: null,
  }));
  const type = merged.post_type === post.post_type ? [] : [UNCHANGEABLE];
  throw validationFailed([...own, ...type, ...(await moreFaults(merged, services.now()))]);
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
    scheduled_date: post.scheduling === 'immediate' ? null : toIso(post.due_at),
    ...post.options,
  };
}

/** Gives back what the earlier version held and the new one does not. */
async function leave(services: Services, post: Post, next: Post): Promise<void> {
  await releaseAll(services.table, withoutClaims(claimsOf(post), claimsOf(next)));
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
