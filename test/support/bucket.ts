import { S3Client } from '@aws-sdk/client-s3';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localClientConfig } from '../../local/aws/tables.ts';
import { listen, stop } from '../../local/http.ts';
import { CDN_PATH, createCdn } from '../../local/s3/cdn.ts';
import { createS3, type S3 } from '../../local/s3/s3.ts';
import { openStore } from '../../local/store.ts';
import type { BucketResource } from '../../local/template/resources.ts';
import { COPIES, DERIVED, PENDING, PUBLIC, type Bucket } from '../../shared/store/objects.ts';
import { PATIENT } from './server.ts';

export interface TestBucket extends Bucket {
  client: S3Client;
  s3: S3;
  /** Keys of all objects. */
  keys: () => string[];
  /** Number of multipart uploads in progress. */
  uploadsInProgress: () => number;
  /** Names of the requested operations, in order. */
  operations: string[];
  close: () => Promise<void>;
}

/** As `lib/media-bucket.ts` configures it. */
const RESOURCE: BucketResource = {
  name: 'media',
  cors: [
    {
      AllowedMethods: ['PUT'],
      AllowedOrigins: ['*'],
      AllowedHeaders: ['content-type'],
      ExposedHeaders: ['ETag'],
    },
  ],
  lifecycle: [
    { prefix: PENDING, expireDays: 1, abortDays: null },
    { prefix: DERIVED, expireDays: 30, abortDays: null },
    { prefix: COPIES, expireDays: 400, abortDays: null },
    { prefix: '', expireDays: null, abortDays: 1 },
  ],
};

/** Creates the media bucket of the local stack by itself, with the local CDN. */
export async function createTestBucket(now: () => number = Date.now): Promise<TestBucket> {
  const folder = mkdtempSync(join(tmpdir(), 'bucket-'));
  const store = openStore(null);
  const operations: string[] = [];
  const s3 = createS3({ folder, store, now, count: name => void operations.push(name) });
  const disk = s3.createBucket(RESOURCE);
  const cdn = createCdn(s3, { bucket: RESOURCE.name, originPath: `/${PUBLIC.slice(0, -1)}`, headers: {} });
  const server = createServer(PATIENT, (request, response) => {
    const answer = request.url?.startsWith(CDN_PATH) ? cdn : s3.handle;
    answer(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, 0);
  const client = new S3Client({
    ...localClientConfig(url),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    client,
    name: RESOURCE.name,
    publicUrl: url + CDN_PATH,
    s3,
    keys: () => disk.list().map(({ key }) => key),
    uploadsInProgress: () => disk.uploads.all().length,
    operations,
    close: async () => {
      client.destroy();
      await stop(server);
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For a gateway that serves no bucket. */
export const noBuckets = { serves: () => false, handle: () => Promise.resolve() };
