import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openObject } from '../shared/store/objects.ts';
import { createTestBucket, type TestBucket } from './support/bucket.ts';
import { mediaHost, type MediaHost } from './support/media-host.ts';

/** Size of the imported file, above the memory; `IMPORT_GIB=6 npm test -- test/import-memory` imports a larger one. */
const SIZE = Number(process.env['IMPORT_GIB'] ?? '0.625') * 1024 ** 3;
/** Memory of the importer function. */
const MAX_MIB = 512;
const PROGRAM = fileURLToPath(new URL('support/import-alone.ts', import.meta.url));

let bucket: TestBucket;
let host: MediaHost;
beforeAll(async () => {
  [bucket, host] = await Promise.all([createTestBucket(), mediaHost()]);
});
afterAll(() => Promise.all([bucket.close(), host.close()]));

test('imports a large file within the memory of the importer function', async () => {
  const url = `${host.url}/clip.mp4?bytes=${SIZE}`;
  const endpoint = new URL(bucket.publicUrl).origin;
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, url, endpoint, bucket.name]);
  const result = JSON.parse(stdout) as { type: string; size: number; key: string; peak_mib: number };
  process.stdout.write(`The import of ${SIZE} bytes used at most ${result.peak_mib} MiB of memory.\n`);
  expect(result).toMatchObject({ type: 'done', size: SIZE });
  expect(result.peak_mib).toBeLessThan(MAX_MIB);
  const answer = await host.http.open({ method: 'GET', url, timeoutMs: 600_000 });
  const arrived = await openObject(bucket, result.key);
  expect(await sha256(arrived!)).toBe(await sha256(answer.stream));
}, 900_000);

async function sha256(stream: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}
