import * as v from 'valibot';
import { handleMediaMessage } from '../../functions/media-importer/work.ts';
import { routes } from '../../functions/uploads/routes.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { MediaMessageSchema } from '../../shared/media/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { createApiWorld, type Shown } from './api-world.ts';
import { createTestBucket } from './bucket.ts';

/** Few enough that a test does not wait for them. */
const MAX_FAILURES = 3;

/** Creates the upload routes with a table and a bucket of their own, and a profile named Acme. */
export async function uploadWorld() {
  const house = await createApiWorld(routes);
  const bucket = await createTestBucket();
  Object.assign(house.services, { bucket });
  await house.profile({ profile_name: 'Acme' });
  const { owner, call } = house;

  /** Handles the importer's messages until there are none. */
  async function work(): Promise<void> {
    const http = createHttpClient();
    const run = {
      services: house.services,
      http,
      remainingMs: () => 60_000,
      maxInlineBytes: Infinity,
      maxFailures: MAX_FAILURES,
    };
    for (let messages = house.takeMessages(); messages.length > 0; messages = house.takeMessages()) {
      for (const { body } of messages) await handleMediaMessage(run, v.parse(MediaMessageSchema, body));
    }
    http.close();
  }

  return {
    house,
    bucket,
    upload: (body: object, as = owner) =>
      call('POST /upload-media', { body: { profile_name: 'Acme', ...body }, as }),
    presign: (body: object = {}, as = owner) =>
      call('POST /upload-media/presign', {
        body: { profile_name: 'Acme', file_name: 'photo.png', file_type: 'image/png', ...body },
        as,
      }),
    confirm: (upload_id: string, as = owner) =>
      call('POST /upload-media/confirm', { body: { upload_id }, as }),
    read: (upload_id: string, as = owner) =>
      call('GET /upload-media/{upload_id}', { params: { upload_id }, as }),
    work,
    close: async () => {
      await bucket.close();
      await house.close();
    },
  };
}

export type UploadWorld = Awaited<ReturnType<typeof uploadWorld>>;

/** Returns a file as a form contains it. */
export const formFile = (bytes: Uint8Array, name = 'clip'): FormFile => ({
  name,
  sha256: name,
  bytes: () => bytes,
});

export const putTo = (url: string, bytes: Uint8Array, type = 'image/png') =>
  fetch(url, { method: 'PUT', body: Uint8Array.from(bytes), headers: { 'content-type': type } });

export const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** Returns the message of the first validation error. */
export const firstErrorMessage = ({ body }: Shown): string | undefined =>
  (body as { details?: { message: string }[] }).details?.[0]?.message;
