import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reserveStorage, storageUsed } from '../../shared/store/storage.ts';
import { filesOfFormats } from '../../test/support/formats.ts';
import { formFile, putTo, uploadWorld, type UploadWorld } from '../../test/support/upload-world.ts';

/** Storage of the plan in these tests. */
const LIMIT = 50_000_000_000;

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

  test('is released when a confirmed file is not what was announced', async () => {
    const id = await uploadDirectly(Buffer.from('not a picture'));
    expect((await uploads.confirm(id)).status).toBe(400);
    expect(await used()).toBe(0);
  });
});
