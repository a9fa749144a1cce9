import * as v from 'valibot';
import { doMediaWork } from '../../functions/media-importer/work.ts';
import { routes } from '../../functions/uploads/routes.ts';
import type { FormFile } from '../../shared/http/form.ts';
import { leased, published } from '../../shared/delivery/transitions.ts';
import type { Route } from '../../shared/http/route.ts';
import { MediaWorkSchema, type MediaWork } from '../../shared/media/work.ts';
import { destinationsOf } from '../../shared/model/post.ts';
import { UploadSchema } from '../../shared/model/upload.ts';
import { createHttpClient } from '../../shared/net/http.ts';
import { getPost, replacePost } from '../../shared/store/posts.ts';
import { listProfiles } from '../../shared/store/profiles.ts';
import { allOf } from '../../shared/store/query.ts';
import { createApiWorld, type Shown } from './api-world.ts';
import { createTestBucket } from './bucket.ts';

/** Few enough that a test does not wait for them. */
const MAX_FAILURES = 3;

/** Creates the upload routes with a table and a bucket of their own, and a profile named Acme. */
export async function uploadWorld(others: readonly Route[] = []) {
  const world = await createApiWorld([...routes, ...others]);
  const bucket = await createTestBucket();
  Object.assign(world.services, { bucket });
  await world.profile({ profile_name: 'Acme' });
  const { owner, call } = world;

  /** Does what the importer is asked to. */
  async function handle(work: MediaWork): Promise<void> {
    const { services } = world;
    const http = createHttpClient();
    const run = {
      services,
      http,
      remainingMs: () => 60_000,
      maxInlineBytes: Infinity,
      maxFailures: MAX_FAILURES,
    };
    await doMediaWork(run, work);
    http.close();
  }

  /** Does everything that the importer is asked to. */
  async function work(): Promise<void> {
    for (let messages = world.takeMessages(); messages.length > 0; messages = world.takeMessages()) {
      for (const { body } of messages) await handle(v.parse(MediaWorkSchema, body));
    }
  }

  /** The ids of all stored uploads, also of those that nobody sees any more. */
  async function uploadIds(): Promise<string[]> {
    const query = { workspace_id: owner.workspace_id, prefix: 'UPLOAD#' };
    return (await allOf(world.table, query, UploadSchema)).map(({ upload_id }) => upload_id);
  }

  /** Stores that a post is live everywhere. */
  async function publish(postId: string): Promise<void> {
    const post = (await getPost(world.table, owner.workspace_id, postId))!;
    const live = { platform_post_id: '1', platform_post_url: null, published_at: world.clock.now };
    const destinations = Object.fromEntries(
      destinationsOf(post).map(each => [
        each.platform,
        published(leased(each, world.clock.now), live, [], world.clock.now),
      ]),
    );
    await replacePost(world.table, post, { ...post, destinations });
  }

  return {
    world,
    bucket,
    uploadIds,
    publish,
    profiles: () => listProfiles(world.table, owner.workspace_id),
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
    remove: (upload_id: string, as = owner) =>
      call('DELETE /upload-media/{upload_id}', { params: { upload_id }, as }),
    work,
    /** Continues the import of one upload, as the sweeper has the importer do. */
    continueImport: (upload_id: string) =>
      handle({ kind: 'upload', workspace_id: owner.workspace_id, upload_id }),
    close: async () => {
      await bucket.close();
      await world.close();
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
  fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers: { 'content-type': type } });

export const fetched = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** Returns the message of the first validation error. */
export const firstErrorMessage = ({ body }: Shown): string | undefined =>
  (body as { details?: { message: string }[] }).details?.[0]?.message;
