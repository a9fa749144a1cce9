import type { Route } from '../../shared/http/route.ts';
import { getBannedHashtags, putBannedHashtags } from './banned-hashtags.ts';
import { createPost } from './create.ts';
import { deletePost } from './delete.ts';
import { getPost } from './get.ts';
import { listPosts } from './list.ts';

/** One row an endpoint. */
export const routes: readonly Route[] = [
  createPost,
  listPosts,
  getPost,
  deletePost,
  getBannedHashtags,
  putBannedHashtags,
];
