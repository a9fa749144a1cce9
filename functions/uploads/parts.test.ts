import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { getUpload, replaceUpload } from '../../shared/store/uploads.ts';
import { padded, sampleFiles } from '../../test/support/media.ts';
import {
  firstErrorMessage,
  fetched,
  putTo,
  uploadWorld,
  type UploadWorld,
} from '../../test/support/upload-world.ts';

/** Uploads in parts are for files above 5 GB. The tests change the record so that a few megabytes suffice. */

const MIB = 1024 ** 2;
const SIZES = [5 * MIB, 6 * MIB, 1000];
const TOTAL = SIZES.reduce((sum, size) => sum + size, 0);

let uploads: UploadWorld;
let sample: (name: string) => Buffer;
beforeAll(async () => {
  sample = await sampleFiles();
});
beforeEach(async () => {
  uploads = await uploadWorld();
});
afterEach(() => uploads.close());

/** The first bytes of a video of `size` bytes. */
const clip = (size = TOTAL) => padded(sample('clip.mp4'), size).subarray(0, TOTAL);

function cut(bytes: Buffer, sizes = SIZES): Buffer[] {
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0));
  return sizes.map((size, index) => bytes.subarray(ends[index]! - size, ends[index]));
}

/** Presigns a large file and changes its record to `TOTAL` bytes. */
async function begin(file_type = 'video/mp4') {
  const { body } = await uploads.presign({ file_type, file_size: 5 * 1024 ** 3 + 1 });
  const { table, owner, clock } = uploads.world;
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

const left = () => [uploads.bucket.keys(), uploads.bucket.uploadsInProgress()];

describe('an upload in parts', () => {
  test('accepts parts in any order and can be confirmed repeatedly', async () => {
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
    expect(uploads.bucket.uploadsInProgress()).toBe(0);
  });

  test('is served with the type of its format, not with the text of the request', async () => {
    const { id, url, addresses } = await begin('Video/MP4; name="a.html"');
    await put(addresses, cut(clip()));
    expect((await uploads.confirm(id)).status).toBe(200);
    const { headers } = await fetch(url, { method: 'HEAD' });
    expect(headers.get('content-type')).toBe('video/mp4');
  });

  test('is not confirmed before its last part', async () => {
    const { id, addresses } = await begin();
    const [first, second, last] = cut(clip());
    await put(addresses, [first!, second!]);
    expect(await uploads.confirm(id)).toMatchObject({ status: 409, body: { code: 'NOT_UPLOADED' } });
    await putTo(addresses[2]!, last!, '');
    expect((await uploads.confirm(id)).status).toBe(200);
  });

  test('accepts a replaced part until it is confirmed, and none afterwards', async () => {
    const { id, url, addresses } = await begin();
    const parts = cut(clip());
    await put(addresses, [Buffer.alloc(5 * MIB), ...parts.slice(1)]);
    await put(addresses, parts.slice(0, 1));
    await uploads.confirm(id);
    expect((await putTo(addresses[0]!, Buffer.alloc(5 * MIB), '')).status).toBe(404);
    expect((await fetched(url)).equals(clip())).toBe(true);
  });

  test.each<[string, () => Buffer[], RegExp]>([
    ['is not a video', () => cut(Buffer.alloc(TOTAL, 'hello ')), /not recognized/],
    ['is another kind of video', () => cut(asMov(clip())), /is MOV, but MP4 was announced/],
    ['is truncated', () => cut(clip(TOTAL + MIB)), /damaged/],
    ['has parts that are too small', () => cut(clip(), [MIB, 10 * MIB, 1000]), /parts.*5242880 bytes/],
  ])('that %s is refused and leaves nothing', async (_, parts, words) => {
    const { id, addresses } = await begin();
    await put(addresses, parts());
    const refused = await uploads.confirm(id);
    expect([refused.status, firstErrorMessage(refused)]).toEqual([400, expect.stringMatching(words)]);
    expect(left()).toEqual([[], 0]);
    expect((await uploads.read(id)).body).toMatchObject({
      status: 'failed',
      error: firstErrorMessage(refused),
    });
    expect(firstErrorMessage(await uploads.confirm(id))).toBe(firstErrorMessage(refused));
  });

  test('is not completed when a part is replaced during its confirmation', async () => {
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

describe('a confirmation that the importer finishes', () => {
  test.each(['in parts', 'with one request'] as const)(
    'records what is wrong with a file that was uploaded %s',
    async way => {
      const id = way === 'in parts' ? await wrongParts() : await wrongFile();
      interrupting('GetObjectCommand', () => Promise.reject(new Error('crashed')));
      await expect(uploads.confirm(id)).rejects.toThrow('crashed');
      uploads.world.clock.now += 3_600_000 / 10;
      await uploads.continueImport(id);
      const { body } = await uploads.read(id);
      expect(body).toMatchObject({
        status: way === 'in parts' ? 'failed' : 'pending',
        error: expect.stringMatching(/not recognized/),
      });
      expect(left()).toEqual([[], 0]);
    },
  );

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
});

function asMov(mp4: Buffer): Buffer {
  const mov = Buffer.from(mp4);
  mov.write('qt  ', 8, 'latin1');
  return mov;
}

/** Runs `act` once, before the next command of this name is sent. */
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
  Object.assign(uploads.world.services, {
    bucket: { ...uploads.bucket, client: Object.assign(Object.create(client), { send }) },
  });
}
