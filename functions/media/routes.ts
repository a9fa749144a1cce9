import type { Route } from '../../shared/http/route.ts';
import { createMedia } from './create.ts';
import { deleteMedia } from './delete.ts';
import { getMedia } from './get.ts';
import { listMedia } from './list.ts';

/** One entry per endpoint. */
export const routes: readonly Route[] = [listMedia, createMedia, getMedia, deleteMedia];
