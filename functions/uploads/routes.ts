import type { Route } from '../../shared/http/route.ts';
import { confirmUpload } from './confirm.ts';
import { createUpload, uploadFile } from './create.ts';
import { deleteUpload } from './delete.ts';
import { getUpload } from './get.ts';
import { presignUpload } from './presign.ts';

/** One entry per endpoint. */
export const routes: readonly Route[] = [
  createUpload,
  uploadFile,
  presignUpload,
  confirmUpload,
  getUpload,
  deleteUpload,
];
