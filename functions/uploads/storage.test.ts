import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../shared/model/id.ts';
import { listProfiles } from '../../shared/store/profiles.ts';
import { reserveStorage, storageUsed } from '../../shared/store/storage.ts';
import { crashingServices, Killed, type Crash } from '../../test/support/crashing-services.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { formFile, putTo, uploadWorld, type UploadWorld } from '../../test/support/upload-world.ts';
import { uploadFromForm } from './from-form.ts';

/** Storage of the plan in these tests. */
const LIMIT = 50_000_000_000;
const DAY = 86_400_000;

let uploads: UploadWorld;
let workspaceId: string;
let png: Buffer;
const allowed = process.env['ALLOW_LOOPBACK'];
const origin = createServer((_, response) => response.end(png));

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  png = (await filesOfFormats()).PNG;
  await new Promise<void>(resolve => origin.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  if (allowed === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowed;
  origin.close();
});
beforeEach(async () => {
  uploads = await uploadWorld();
  workspaceId = uploads.world.owner.workspace_id;
});
afterEach(() => uploads.close());

const used = () => storageUsed(uploads.world.table, workspaceId);
/** Fills the storage except for some bytes. */
const fillUpTo = (left: number) =>
  reserveStorage(uploads.world.table, { workspace_id: workspaceId, file_id: 'full' }, LIMIT - left, LIMIT);
const url = () => `http://127.0.0.1:${(origin.address() as AddressInfo).port}/photo.png`;
const full = (left: number) => ({
  status: 403,
  body: { error: expect.any(String), code: 'STORAGE_LIMIT', limit: LIMIT, used: LIMIT - left },
});

async function uploadDirectly(bytes: Buffer): Promise<string> {
  const { body } = await uploads.presign();
  await putTo(body.presigned_url, bytes);
  return body.upload_id;
}

describe('the storage of a workspace', () => {
  test('counts every kind of upload once', async () => {
    await uploads.upload({ file: formFile(png) });
    expect(await used()).toBe(png.length);
    expect((await uploads.upload({ url: url() })).status).toBe(201);
    expect(await used()).toBe(2 * png.length);
    const id = await uploadDirectly(png);
    expect((await uploads.confirm(id)).status).toBe(200);
    expect((await uploads.confirm(id)).status).toBe(200);
    expect(await used()).toBe(3 * png.length);
  });

  test('takes a file that fits exactly', async () => {
    await fillUpTo(png.length);
    expect((await uploads.upload({ file: formFile(png) })).status).toBe(201);
    expect(await used()).toBe(LIMIT);
  });

  test('refuses a form that does not fit', async () => {
    await fillUpTo(png.length - 1);
    expect(await uploads.upload({ file: formFile(png) })).toMatchObject(full(png.length - 1));
    expect(await used()).toBe(LIMIT - png.length + 1);
  });

  test('refuses a direct upload that does not fit, at its announcement or its confirmation', async () => {
    const id = await uploadDirectly(png);
    await fillUpTo(10);
    expect(await uploads.presign({ file_size: 11 })).toMatchObject(full(10));
    expect(await uploads.confirm(id)).toMatchObject(full(10));
    expect(await used()).toBe(LIMIT - 10);
  });

  test('refuses an import by URL when nothing is left, and one that turns out not to fit', async () => {
    await fillUpTo(1);
    expect(await uploads.upload({ url: url() })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'url', message: expect.stringContaining('storage limit') }] },
    });
    await reserveStorage(uploads.world.table, { workspace_id: workspaceId, file_id: 'last' }, 1, LIMIT);
    expect(await uploads.upload({ url: url() })).toMatchObject(full(0));
    expect(await used()).toBe(LIMIT);
  });

  test('is free again when an upload is deleted, however it was made', async () => {
    const direct = await uploadDirectly(png);
    await uploads.confirm(direct);
    const form = (await uploads.upload({ file: formFile(png) })).body.upload_id;
    const imported = (await uploads.upload({ url: url() })).body.upload_id;
    expect(await used()).toBe(3 * png.length);
    for (const id of [direct, form, imported]) expect((await uploads.remove(id)).status).toBe(204);
    expect([await used(), uploads.bucket.keys()]).toEqual([0, []]);
  });

  test('is free again at the end of a confirmation that died after its reservation', async () => {
    const id = await uploadDirectly(png);
    await reserveStorage(uploads.world.table, { workspace_id: workspaceId, file_id: id }, 5, LIMIT);
    uploads.world.clock.now += DAY;
    await uploads.continueImport(id);
    expect([await used(), uploads.bucket.keys()]).toEqual([0, []]);
  });

  test('counts what is kept of a form that died at any call', async () => {
    const { services, table } = uploads.world;
    for (let at = 1; at < 30; at += 1) {
      const death: Crash = { at, when: 'after' };
      const dying = crashingServices(services, death);
      const died = await uploadFromForm(dying.services, {
        id: newId(uploads.world.clock.now),
        profile: (await listProfiles(table, workspaceId))[0]!,
        file: formFile(png),
        base_url: 'https://api.example.com/v1',
      }).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
      uploads.world.clock.now += DAY;
      for (const id of await uploads.uploadIds()) await uploads.continueImport(id);
      const kept = await uploads.uploadIds();
      const bytes = kept.length * png.length;
      expect([at, await used(), uploads.bucket.keys().length]).toEqual([at, bytes, kept.length]);
      if (!died) return;
      for (const id of kept) await uploads.remove(id);
    }
  });

  test('is released when a confirmed file is not what was announced', async () => {
    const id = await uploadDirectly(Buffer.from('not a picture'));
    expect((await uploads.confirm(id)).status).toBe(400);
    expect(await used()).toBe(0);
  });
});
