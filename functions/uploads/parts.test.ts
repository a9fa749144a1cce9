import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHttpClient } from '../../shared/net/http.ts';
import { getUpload, replaceUpload } from '../../shared/store/uploads.ts';
import { padded, sampleFiles } from '../../test/support/media.ts';
import { faultIn, fetched, putTo, uploadHouse, type UploadHouse } from '../../test/support/upload-world.ts';
import { moveMedia } from '../media-importer/work.ts';

/** A file above 5 GB is put in parts. The tests play one of a few megabytes: its record is made to say so. */

const MIB = 1024 ** 2;
const SIZES = [5 * MIB, 6 * MIB, 1000];
const TOTAL = SIZES.reduce((sum, size) => sum + size, 0);

let uploads: UploadHouse;
let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
});
beforeEach(async () => {
  uploads = await uploadHouse();
});
afterEach(() => uploads.close());

/** The beginning of a clip that has so many bytes. */
const clip = (size = TOTAL) => padded(sample('clip.mp4'), size).subarray(0, TOTAL);

function cut(bytes: Buffer, sizes = SIZES): Buffer[] {
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
  return sizes.map((size, index) => bytes.subarray(ends[index]! - size, ends[index]));
}

/** The addresses of a large file, whose record then says that all of it has `TOTAL` bytes. */
async function begin() {
  const { body } = await uploads.presign({ file_type: 'video/mp4', file_size: 5 * 1024 ** 3 + 1 });
  const { table, owner, clock } = uploads.house;
  const stored = await getUpload(table, { ...owner, upload_id: body.upload_id }, clock.now);
  const { direct } = stored!;
  const multipart = { ...direct!.multipart!, file_size: TOTAL };
  await replaceUpload(table, stored!, { ...stored!, direct: { ...direct!, multipart } });
  const addresses: string[] = body.parts.map((part: { presigned_url: string }) => part.presigned_url);
  return { id: body.upload_id as string, url: body.public_url as string, addresses };
}

async function put(addresses: readonly string[], parts: readonly Buffer[]): Promise<void> {
  for (const [index, part] of parts.entries())
    expect((await putTo(addresses[index]!, part, '')).status).toBe(200);
}

const left = () => [uploads.bucket.keys(), uploads.bucket.uploadsUnderWay()];

describe('a file in parts', () => {
  test('becomes what was put, whatever the order, and is confirmed again without harm', async () => {
    const { id, url, addresses } = await begin();
    const parts = cut(clip());
    for (const index of [2, 0, 1]) await putTo(addresses[index]!, parts[index]!, '');
    const confirmed = await uploads.confirm(id);
    expect([confirmed.status, confirmed.body]).toMatchObject([
      200,
      { status: 'ready', size: TOTAL, file_type: 'video/mp4', public_url: url, error: null },
    ]);
    expect((await fetched(url)).equals(clip())).toBe(true);
    expect((await uploads.confirm(id)).body).toEqual(confirmed.body);
    expect(uploads.bucket.uploadsUnderWay()).toBe(0);
  });

  test('waits for its last part', async () => {
    const { id, addresses } = await begin();
    const [first, second, last] = cut(clip());
    await put(addresses, [first!, second!]);
    expect(await uploads.confirm(id)).toMatchObject({ status: 409, body: { code: 'NOT_UPLOADED' } });
    await putTo(addresses[2]!, last!, '');
    expect((await uploads.confirm(id)).status).toBe(200);
  });

  test('takes a part anew until it is confirmed, and none afterwards', async () => {
    const { id, url, addresses } = await begin();
    const parts = cut(clip());
    await put(addresses, [Buffer.alloc(5 * MIB), ...parts.slice(1)]);
    await put(addresses, parts.slice(0, 1));
    await uploads.confirm(id);
    expect((await putTo(addresses[0]!, Buffer.alloc(5 * MIB), '')).status).toBe(404);
    expect((await fetched(url)).equals(clip())).toBe(true);
  });

  test.each<[string, () => Buffer[], RegExp]>([
    ['is no video', () => cut(Buffer.alloc(TOTAL, 'hello ')), /not supported/],
    ['is another kind of video', () => cut(asMov(clip())), /is MOV, but MP4 was announced/],
    ['breaks off', () => cut(clip(TOTAL + MIB)), /damaged/],
    ['comes in parts too small', () => cut(clip(), [MIB, 10 * MIB, 1000]), /parts.*5242880 bytes/],
  ])('that %s is refused, and nothing is left', async (_, parts, words) => {
    const { id, addresses } = await begin();
    await put(addresses, parts());
    const refused = await uploads.confirm(id);
    expect([refused.status, faultIn(refused)]).toEqual([400, expect.stringMatching(words)]);
    expect(left()).toEqual([[], 0]);
    expect((await uploads.read(id)).body).toMatchObject({ status: 'failed', error: faultIn(refused) });
    expect(faultIn(await uploads.confirm(id))).toBe(faultIn(refused));
  });

  test('of which a part is replaced in the middle of its confirmation is not put together', async () => {
    const { id, addresses } = await begin();
    await put(addresses, cut(clip()));
    interrupting('CompleteMultipartUploadCommand', async () => {
      await putTo(addresses[0]!, Buffer.alloc(5 * MIB), '');
    });
    expect(await uploads.confirm(id)).toMatchObject({ status: 409, body: { code: 'NOT_UPLOADED' } });
    await put(addresses, cut(clip()).slice(0, 1));
    expect((await uploads.confirm(id)).status).toBe(200);
  });
});

/** What only the importer has the time for: the confirmation was answered with 202. */
describe('a confirmation that is finished later', () => {
  test.each(['in parts', 'in one'] as const)('tells what is wrong with a file that came %s', async way => {
    const id = way === 'in parts' ? await wrongParts() : await wrongFile();
    interrupting('GetObjectCommand', () => Promise.reject(new Error('died')));
    await expect(uploads.confirm(id)).rejects.toThrow('died');
    uploads.house.clock.now += 3_600_000 / 10;
    await moveOn(id);
    const { body } = await uploads.read(id);
    expect(body).toMatchObject({
      status: way === 'in parts' ? 'failed' : 'pending',
      error: expect.stringMatching(/not supported/),
    });
    expect(left()).toEqual([[], 0]);
  });

  async function wrongParts(): Promise<string> {
    const { id, addresses } = await begin();
    await put(addresses, cut(Buffer.alloc(TOTAL, 'hello ')));
    return id;
  }

  async function wrongFile(): Promise<string> {
    const { body } = await uploads.presign();
    await putTo(body.presigned_url, Buffer.from('hello, this is no picture'));
    return body.upload_id;
  }

  async function moveOn(upload_id: string): Promise<void> {
    const { services, owner } = uploads.house;
    const http = createHttpClient();
    const run = { services, http, remainingMs: () => 60_000, leaveAfterBytes: Infinity, patience: 3 };
    await moveMedia(run, { kind: 'upload', workspace_id: owner.workspace_id, upload_id });
    http.close();
  }
});

function asMov(mp4: Buffer): Buffer {
  const mov = Buffer.from(mp4);
  mov.write('qt  ', 8, 'latin1');
  return mov;
}

/** Does something before the next command of this name is sent, once. */
function interrupting(name: string, act: () => Promise<void>): void {
  const { client } = uploads.bucket;
  let done = false;
  const send = async (command: { constructor: { name: string } }) => {
    if (!done && command.constructor.name === name) {
      done = true;
      await act();
    }
    return client.send(command as never);
  };
  Object.assign(uploads.house.services, {
    bucket: { ...uploads.bucket, client: Object.assign(Object.create(client), { send }) },
  });
}
