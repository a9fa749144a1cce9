import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localClientConfig } from '../../local/aws/tables.ts';
import { getUpload, replaceUpload } from '../../shared/store/uploads.ts';
import { closeStack } from '../support/e2e.ts';
import { padded, sampleFiles } from '../support/media.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { testWith } from '../support/tools.ts';

/** Direct uploads with curl, as documented. */

const MB = 1_000_000;
const PART = 5 * 1024 ** 2;
const TEST_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'curl-'));
let stack: TestStack;
let mp4: Buffer;
beforeAll(async () => {
  stack = await sharedStack([]);
  mp4 = (await sampleFiles())('clip.mp4');
});
afterAll(async () => {
  await closeStack(stack);
  rmSync(folder, { recursive: true });
});

const testCurl = testWith('curl');
const curl = async (...args: string[]) => (await promisify(execFile)('curl', ['-sS', ...args])).stdout;
/** PUTs a file and returns the status. */
const put = (file: string, url: string, ...headers: string[]) =>
  curl('-o', '/dev/null', '-w', '%{http_code}', '-T', file, ...headers.flatMap(each => ['-H', each]), url);

function writeTemporary(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function presign(change: Json = {}): Promise<Json> {
  const request = { profile_name: 'Demo', file_name: 'clip.mp4', file_type: 'video/mp4', ...change };
  const { status, body } = await stack.api('POST', '/upload-media/presign', request);
  expect(status).toBe(200);
  return body;
}
const confirm = (upload_id: string) => stack.api('POST', '/upload-media/confirm', { upload_id });

/** Downloads a URL with curl and returns the SHA-256. */
async function downloadedSha256(url: string): Promise<string> {
  const path = join(folder, 'downloaded');
  await curl('-f', '-o', path, url);
  return sha256(path);
}

describe('a direct upload with curl', () => {
  testCurl(
    'stores 150 MB unchanged and refuses another type than the one that was signed',
    async () => {
      const file = writeTemporary('clip.mp4', padded(mp4, 150 * MB));
      const { presigned_url, headers, upload_id, public_url } = await presign();
      expect(await put(file, presigned_url, 'Content-Type: video/quicktime')).toBe('403');
      expect(await put(file, presigned_url)).toBe('403');
      expect(await put(file, presigned_url, `Content-Type: ${headers['Content-Type']}`)).toBe('200');
      const { status, body } = await confirm(upload_id);
      expect([status, body.size]).toEqual([200, 150 * MB]);
      expect(await downloadedSha256(public_url)).toBe(await sha256(file));
    },
    TEST_MS,
  );

  testCurl(
    'in parts stores the file unchanged',
    async () => {
      const bytes = padded(mp4, 2 * PART + 1000);
      const { upload_id, parts, public_url } = await presign({ file_size: 6 * 1024 ** 3 });
      await overrideFileSize(upload_id, bytes.length);
      for (const index of [1, 0]) {
        const part = writeTemporary(`part-${index}`, bytes.subarray(index * PART, (index + 1) * PART));
        expect(await put(part, parts[index].presigned_url)).toBe('200');
      }
      expect((await confirm(upload_id)).status).toBe(409);
      expect(await put(writeTemporary('part-2', bytes.subarray(2 * PART)), parts[2].presigned_url)).toBe(
        '200',
      );
      const { status, body } = await confirm(upload_id);
      expect([status, body]).toMatchObject([200, { size: bytes.length, status: 'ready' }]);
      expect(await downloadedSha256(public_url)).toBe(await sha256(writeTemporary('whole', bytes)));
      expect(await put(join(folder, 'part-0'), parts[0].presigned_url)).toBe('404');
    },
    TEST_MS,
  );
});

/** Changes the expected size of the stored upload, so that the test does not have to send 6 GB. */
async function overrideFileSize(upload_id: string, file_size: number): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(stack.aws.endpoint)));
  const table = { client, name: stack.aws.table };
  const workspace = await stack.api('GET', '/workspace');
  const ref = { workspace_id: workspace.body.id, upload_id };
  const upload = await getUpload(table, ref, 0);
  const direct = upload!.direct!;
  const multipart = { ...direct.multipart!, file_size };
  await replaceUpload(table, upload!, { ...upload!, direct: { ...direct, multipart } });
  client.destroy();
}
