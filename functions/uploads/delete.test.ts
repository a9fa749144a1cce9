import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createUpload, getStoredUpload, replaceUpload } from '../../shared/store/uploads.ts';
import { newId } from '../../shared/model/id.ts';
import { newTransfer } from '../../shared/model/transfer.ts';
import type { Upload } from '../../shared/model/upload.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { fetched, formFile, putTo, uploadWorld, type UploadWorld } from '../../test/support/upload-world.ts';
import { routes as posts } from '../posts/routes.ts';

const DAY = 86_400_000;

let uploads: UploadWorld;
let png: Buffer;
const allowed = process.env['ALLOW_LOOPBACK'];
beforeAll(() => void (process.env['ALLOW_LOOPBACK'] = '1'));
afterAll(() => {
  if (allowed === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowed;
});
beforeEach(async () => {
  png = (await filesOfFormats()).PNG;
  uploads = await uploadWorld(posts);
});
afterEach(() => uploads.close());

const stored = async (): Promise<{ upload_id: string; public_url: string }> =>
  (await uploads.upload({ file: formFile(png) })).body;
const later = () => new Date(uploads.world.clock.now + DAY).toISOString();

async function post(changes: object) {
  const body = { post_type: 'image', profile_name: 'Acme', platforms: ['x'], ...changes };
  const answer = await uploads.world.call('POST /posts', { body });
  expect(answer.status).toBe(201);
  return answer.body.post_id as string;
}

describe('DELETE /upload-media/{upload_id}', () => {
  test('deletes the upload and its file', async () => {
    const { upload_id, public_url } = await stored();
    expect((await fetched(public_url)).equals(png)).toBe(true);
    expect(await uploads.remove(upload_id)).toMatchObject({ status: 204 });
    expect(uploads.bucket.keys()).toEqual([]);
    for (const again of [await uploads.read(upload_id), await uploads.remove(upload_id)])
      expect(again.status).toBe(404);
  });

  test('deletes one that is not confirmed, with what was uploaded', async () => {
    const { body } = await uploads.presign();
    await putTo(body.presigned_url, png);
    expect((await uploads.remove(body.upload_id)).status).toBe(204);
    expect(uploads.bucket.keys()).toEqual([]);
    expect((await uploads.confirm(body.upload_id)).status).toBe(404);
  });

  test('answers 404 for an unknown one', async () => {
    expect((await uploads.remove(newId())).status).toBe(404);
  });

  test('answers 409 while a worker has the lease', async () => {
    const { workspace_id } = uploads.world.owner;
    const running: Upload = {
      upload_id: newId(),
      workspace_id,
      profile_id: newId(),
      status: 'processing',
      file_name: 'a.mp4',
      format: null,
      size: null,
      key: null,
      error: null,
      transfer: newTransfer('https://cdn.example.com/a.mp4'),
      direct: null,
      lease_until: uploads.world.clock.now + 1,
      revision: 1,
      created_at: 1,
    };
    await createUpload(uploads.world.table, running);
    const refused = await uploads.remove(running.upload_id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'UPLOAD_BUSY' } });
    uploads.world.clock.now += 1;
    expect((await uploads.remove(running.upload_id)).status).toBe(204);
  });

  test('is completed by the sweeper when it was interrupted', async () => {
    const { upload_id } = await stored();
    const { table, clock, owner } = uploads.world;
    const upload = (await getStoredUpload(table, { workspace_id: owner.workspace_id, upload_id }))!;
    await replaceUpload(table, upload, { ...upload, ends_at: clock.now, wake_at: clock.now });
    expect((await uploads.read(upload_id)).status).toBe(404);
    await uploads.continueImport(upload_id);
    expect([await getStoredUpload(table, upload), uploads.bucket.keys()]).toEqual([null, []]);
  });
});

describe('an upload that a post uses', () => {
  beforeEach(async () => {
    const [profile] = await uploads.profiles();
    await uploads.world.connect(profile!, 'x');
  });

  test.each([
    ['a scheduled post', () => ({ scheduled_date: later() })],
    ['a post that is due now', () => ({})],
  ])('is kept for %s', async (_, timing) => {
    const { upload_id, public_url } = await stored();
    const id = await post({ media_urls: [public_url], ...timing() });
    expect(await uploads.remove(upload_id)).toMatchObject({
      status: 409,
      body: { code: 'UPLOAD_IN_USE', post_ids: [id] },
    });
    expect((await uploads.world.call('DELETE /posts/{id}', { params: { id } })).status).toBe(204);
    expect((await uploads.remove(upload_id)).status).toBe(204);
  });

  test('is kept for a post that was changed to it, and not for one that was changed to another', async () => {
    const [first, second] = [await stored(), await stored()];
    const id = await post({ media_urls: [first.public_url], scheduled_date: later() });
    const body = { media_urls: [second.public_url] };
    expect((await uploads.world.call('POST /posts/{id}', { params: { id }, body })).status).toBe(200);
    expect((await uploads.remove(first.upload_id)).status).toBe(204);
    expect((await uploads.remove(second.upload_id)).status).toBe(409);
  });

  test('can be deleted once its post is published', async () => {
    const { upload_id, public_url } = await stored();
    const id = await post({ media_urls: [public_url], scheduled_date: later() });
    await uploads.publish(id);
    expect((await uploads.remove(upload_id)).status).toBe(204);
  });
});
