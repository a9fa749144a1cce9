import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { probeAssets } from './housekeeper/probe-assets.ts';
import { processCopy, planCopies } from '../shared/media/copies/copy-media.ts';
import { mediaFiles } from '../shared/media/media-files.ts';
import { hashUrl } from '../shared/model/copy.ts';
import { FILE_OF_FORMAT, MEDIA_FORMATS } from '../shared/model/media.ts';
import { newId } from '../shared/model/id.ts';
import { createHttpClient, type HttpClient } from '../shared/net/http.ts';
import { RULES } from '../shared/platforms/registry/rules.ts';
import { createAssets, getAsset } from '../shared/store/assets.ts';
import { getCopy } from '../shared/store/copies.ts';
import { createPost } from '../shared/store/posts.ts';
import { newPendingPost } from '../test/support/delivery-world.ts';
import { ENLARGEABLE, enlarged, filesOfFormats } from '../test/support/formats.ts';
import { testOrigin, type TestOrigin } from '../test/support/origin.ts';
import {
  firstErrorMessage,
  formFile,
  putTo,
  uploadWorld,
  type UploadWorld,
} from '../test/support/upload-world.ts';

/*
 * Every way into the service refuses a file that its sender cut off, whatever its format and size, and stores no part of
 * it.
 */

type Format = (typeof ENLARGEABLE)[number];

const SIZES = [100_000, 1_000_000, 20_000_000] as const;
const HOUR = 3_600_000;

let uploads: UploadWorld;
let origin: TestOrigin;
let http: HttpClient;
/** What the origin serves, and whether it answers ranges. */
let served: Buffer;
let supportsRanges: boolean;
const truncated = new Map<string, Buffer>();
const allowed = process.env['ALLOW_LOOPBACK'];

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  const files = await filesOfFormats();
  for (const format of ENLARGEABLE) {
    for (const size of SIZES) {
      const whole = enlarged(format, files[format], size);
      truncated.set(`${format} ${size}`, whole.subarray(0, Math.floor(whole.length * 0.9)));
    }
  }
  uploads = await uploadWorld();
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  origin = await testOrigin((request, response) => {
    const [from, to] = (/bytes=(\d+)-(\d*)/.exec(request.headers.range ?? '') ?? []).slice(1).map(Number);
    if (!supportsRanges || from === undefined) {
      response.writeHead(200, { 'content-length': served.length }).end(served);
      return;
    }
    const piece = served.subarray(from, to ? to + 1 : undefined);
    const range = `bytes ${from}-${from + piece.length - 1}/${served.length}`;
    response.writeHead(206, { 'content-range': range, 'content-length': piece.length }).end(piece);
  });
});
afterAll(async () => {
  if (allowed === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowed;
  http.close();
  await origin.close();
  await uploads.close();
});
beforeEach(() => {
  supportsRanges = true;
});

/** Each returns the message with which the file was refused; undefined where it was not. */
type Way = (bytes: Buffer, format: Format) => Promise<string | null | undefined>;

const WAYS: Readonly<Record<string, Way>> = {
  'a form': async bytes => firstErrorMessage(await uploads.upload({ file: formFile(bytes) })),

  'a presigned URL': async (bytes, format) => {
    const { type } = FILE_OF_FORMAT[format];
    const { body } = await uploads.presign({ file_name: 'file', file_type: type });
    await putTo(body.presigned_url, bytes, type);
    const confirmed = await uploads.confirm(body.upload_id);
    if (confirmed.status !== 202) return firstErrorMessage(confirmed);
    await uploads.work();
    return (await uploads.read(body.upload_id)).body.error;
  },

  'a URL': async bytes => {
    served = bytes;
    const imported = await uploads.upload({ url: `${origin.url}/file` });
    if (imported.status !== 202) return firstErrorMessage(imported);
    await uploads.work();
    return (await uploads.read(imported.body.upload_id)).body.error;
  },

  'a post that waits': async (bytes, format) => {
    served = bytes;
    const { services } = uploads.world;
    const post = {
      ...newPendingPost(services.now(), ['telegram']),
      post_type: MEDIA_FORMATS[format],
      scheduling: 'scheduled' as const,
      due_at: services.now() + HOUR,
      media_urls: [`${origin.url}/file`],
    };
    await planCopies(services, post);
    await createPost(services.table, post);
    const { workspace_id, post_id } = post;
    const ref = { workspace_id, post_id, url_hash: hashUrl(`${origin.url}/file`) };
    const run = { services, http, remainingMs: () => 60_000, maxInlineBytes: Infinity, maxFailures: 2 };
    await processCopy(run, ref);
    const copy = await getCopy(services.table, ref);
    return copy?.status === 'failed' ? copy.error : undefined;
  },

  'the delivery of a post': async (bytes, format) => {
    served = bytes;
    const url = `${origin.url}/file`;
    const draft = {
      ...newPendingPost(0, []),
      post_type: MEDIA_FORMATS[format],
      media_urls: [url],
      account: null,
    };
    // LinkedIn takes every kind of file, but no WebP.
    const rules = format === 'WebP' ? RULES.pinterest : RULES.linkedin;
    return mediaFiles({ http, bucket: uploads.bucket, rules, draft })
      .open(url, 30_000)
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : undefined),
      );
  },

  'the probe of an asset': bytes => probed(bytes),

  'the probe of an asset at a host without ranges': bytes => {
    supportsRanges = false;
    return probed(bytes);
  },
};

async function probed(bytes: Buffer): Promise<string | null | undefined> {
  served = bytes;
  const { services, owner } = uploads.world;
  const asset = {
    id: newId(services.now()),
    workspace_id: owner.workspace_id,
    profile_id: 'p1',
    title: 'File',
    source_type: 'url',
    public_url: `${origin.url}/file`,
    duration: null,
    size: null,
    mime_type: null,
    width: null,
    height: null,
    status: 'processing' as const,
    error: null,
    failed_probes: 0,
    created_at: services.now(),
  };
  await createAssets(services.table, [asset]);
  const { workspace_id } = asset;
  await probeAssets({ services, http, remainingMs: () => 60_000 }, { workspace_id, asset_ids: [asset.id] });
  const after = await getAsset(services.table, { workspace_id, asset_id: asset.id });
  return after?.status === 'failed' ? after.error : undefined;
}

/** A form takes no more than 4 MiB, and refers to presigned URLs above. */
const isTaken = (way: string, size: number) => way !== 'a form' || size < 4_000_000;

describe.each(Object.keys(WAYS))('a truncated file by %s', way => {
  const cases = ENLARGEABLE.flatMap(format =>
    SIZES.filter(size => isTaken(way, size)).map(size => [format, size] as const),
  );

  test.each(cases)('is refused: %s of %i bytes', async (format, size) => {
    const message = await WAYS[way]!(truncated.get(`${format} ${size}`)!, format);
    expect(message).toMatch(/^The file is damaged: /);
    expect([uploads.bucket.keys(), uploads.bucket.uploadsInProgress()]).toEqual([[], 0]);
  });
});
