import { conflict, notFound, type ApiError } from '../../http/errors.ts';
import { planCopies } from '../../media/copies/copy-media.ts';
import { recordUploadUses } from '../../media/uploads/upload-uses.ts';
import { destinationsOf, statusOf, type Post } from '../../model/post.ts';
import type { Services } from '../../runtime/services.ts';
import { createPost, getPost, replacePost } from '../../store/posts.ts';

/**
 * Writes a post in place of its previous version (null for a new post) and returns what is stored then; null where
 * another post took its queue slot. A new post that an earlier run of the same request stored is returned as stored.
 * Throws 404 or 409 where the post was deleted or changed meanwhile.
 */
export async function writePost(services: Services, previous: Post | null, post: Post): Promise<Post | null> {
  // Before the post itself: a crash in between leaves copies without a post, which the sweeper removes.
  await Promise.all([planCopies(services, post), recordUploadUses(services, post)]);
  return previous === null ? create(services, post) : replace(services, previous, post);
}

async function create({ table }: Services, post: Post): Promise<Post | null> {
  const result = await createPost(table, post);
  if (result !== 'stale') return result === 'written' ? post : null;
  const stored = await getPost(table, post.workspace_id, post.post_id);
  if (!stored) throw conflict('The post was deleted while it was being created', { code: 'POST_DELETED' });
  return stored;
}

async function replace(services: Services, previous: Post, post: Post): Promise<Post | null> {
  const result = await replacePost(services.table, previous, post);
  if (result === 'stale') throw await replaceConflict(services, previous);
  return result === 'written' ? post : null;
}

/** Returns why a post could not be replaced: it was deleted, its delivery started, or another edit came first. */
async function replaceConflict({ table }: Services, { workspace_id, post_id }: Post): Promise<ApiError> {
  const post = await getPost(table, workspace_id, post_id);
  if (!post) return notFound('Post');
  return isEditable(post) ? postChanged(post) : notEditable(post);
}

/** True while no delivery has started. */
export const isEditable = (post: Post): boolean =>
  destinationsOf(post).every(({ status }) => status === 'pending');

export const notEditable = (post: Post) =>
  conflict(`The post is ${describedState(post)} and can no longer be changed`, {
    code: 'POST_NOT_EDITABLE',
    status: statusOf(post),
  });

const describedState = (post: Post) =>
  statusOf(post) === 'cancelled' ? 'cancelled' : 'published or being published';

export const postChanged = (post: Post) =>
  conflict('Another request changed the post at the same time. Read the post and try again', {
    code: 'POST_CHANGED',
    status: statusOf(post),
  });
