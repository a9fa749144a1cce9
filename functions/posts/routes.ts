import type { Route } from '../../shared/http/route.ts';
import { getBannedHashtags, putBannedHashtags } from './banned-hashtags.ts';
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { getPost } from './get.ts';
import { listPosts } from './list.ts';
import { retryPost } from './retry.ts';
import { updatePost } from './update.ts';
import { validatePost } from './validate.ts';

/** One entry per endpoint. */
export const routes: readonly Route[] = [
  createPost,
  validatePost,
  listPosts,
  getPost,
  updatePost,
  deletePost,
  retryPost,
  getBannedHashtags,
  putBannedHashtags,
];
