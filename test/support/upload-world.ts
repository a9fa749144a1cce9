import * as v from 'valibot';
import { moveMedia } from '../../functions/media-importer/work.ts';
import { routes } from '../../functions/uploads/routes.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { MediaMessageSchema } from '../../shared/media/messages.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { apiHouse, type Shown } from './api-world.ts';
import { createTestBucket } from './bucket.ts';

/** Attempts in a row that may get nothing further: so many that a test does not wait for them. */
const PATIENCE = 3;

/** The routes of uploads with a table and a bucket of their own, and a profile named Acme. */
export async function uploadHouse() {
  const house = await apiHouse(routes);
  const bucket = await createTestBucket();
  Object.assign(house.services, { bucket });
  await house.profile({ profile_name: 'Acme' });
  const { owner, call } = house;

  /** Works off the importer's notes until there are none. */
  async function work(): Promise<void> {
    const http = createHttpClient();
    const run = {
      services: house.services,
      http,
      remainingMs: () => 60_000,
      leaveAfterBytes: Infinity,
      patience: PATIENCE,
    };
    for (let messages = house.takeNotes(); messages.length > 0; messages = house.takeNotes()) {
      for (const { body } of messages) await moveMedia(run, v.parse(MediaMessageSchema, body));
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

export type UploadHouse = Awaited<ReturnType<typeof uploadHouse>>;

/** A file of a form. */
export const formFile = (bytes: Uint8Array, name = 'clip'): FormFile => ({
  name,
  sha256: name,
  bytes: () => bytes,
});

export const putTo = (url: string, bytes: Uint8Array, type = 'image/png') =>
  fetch(url, { method: 'PUT', body: Uint8Array.from(bytes), headers: { 'content-type': type } });

export const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** The words of the only fault of a refusal. */
export const faultIn = ({ body }: Shown): string | undefined =>
  (body as { details?: { message: string }[] }).details?.[0]?.message;
