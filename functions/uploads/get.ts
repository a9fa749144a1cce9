import { route } from '../../shared/http/define-route.ts';
import { notFound } from '../../shared/http/errors.ts';
import type { Upload } from '../../shared/model/upload.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getUpload as readUpload } from '../../shared/store/uploads.ts';
import * as v from 'valibot';
import { UploadView, uploadView } from './view.ts';

export const getUpload = route({
  method: 'GET',
  path: '/upload-media/{upload_id}',
  operation_id: 'getUpload',
  summary: 'Read an upload',
  tag: 'Uploads',
  auth: 'key',
  params: { upload_id: v.string() },
  responses: {
    200: { description: 'The upload', schema: UploadView },
    404: { description: 'Upload not found, or not confirmed within a day' },
  },
  handler: async ({ params, principal }, services) => ({
    status: 200,
    body: uploadView(services.bucket, await findUpload(services, principal, params.upload_id)),
  }),
});

/** Reads an upload of the caller's workspace. Throws 404 where there is none. */
export async function findUpload(
  services: Services,
  principal: Pick<Principal, 'workspace_id'>,
  id: string,
): Promise<Upload> {
  const ref = { workspace_id: principal.workspace_id, upload_id: id };
  const upload = await readUpload(services.table, ref, services.now());
  if (!upload) throw notFound('Upload');
  return upload;
}
