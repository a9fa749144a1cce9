import * as v from 'valibot';
import { route } from '../../shared/http/define-route.ts';
import { conflict } from '../../shared/http/errors.ts';
import { removeUpload } from '../../shared/media/uploads/remove-upload.ts';
import { postsUsing } from '../../shared/media/uploads/upload-uses.ts';
import { publicUrlOf } from '../../shared/store/objects.ts';
import { findUpload } from './get.ts';

export const deleteUpload = route({
  method: 'DELETE',
  path: '/upload-media/{upload_id}',
  operation_id: 'deleteUpload',
  summary: 'Delete an upload and its file',
  description:
    'Frees the storage of the file and ends its `public_url`; caches may serve it for a while. Published posts keep what ' +
    'the platform has. Media assets and playlists that name the URL are not changed.',
  tag: 'Uploads',
  auth: 'key',
  params: { upload_id: v.string() },
  responses: {
    204: { description: 'The upload is deleted' },
    404: { description: 'Upload not found, or not confirmed within a day' },
    409: {
      description: 'A post is still to be published with the file, or the file is being imported or checked',
      codes: ['UPLOAD_IN_USE', 'UPLOAD_BUSY'],
    },
  },
  handler: async ({ params, principal }, services) => {
    const upload = await findUpload(services, principal, params.upload_id);
    if (upload.lease_until > services.now()) throw busy();
    const url = upload.key === null ? null : publicUrlOf(services.bucket, upload.key);
    const post_ids = url === null ? [] : await postsUsing(services, principal.workspace_id, url);
    if (post_ids.length > 0)
      throw conflict('Posts are still to be published with this file', { code: 'UPLOAD_IN_USE', post_ids });
    if (!(await removeUpload(services, upload))) throw busy();
    return { status: 204 };
  },
});

const busy = () =>
  conflict('The file is being imported or checked. Try again later', { code: 'UPLOAD_BUSY' });
