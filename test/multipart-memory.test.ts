import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listen, stop } from '../local/http.ts';

const SIZE = 512 * 1024 ** 2;
const MAX_MIB = 200;
const PROGRAM = fileURLToPath(new URL('support/multipart-alone.ts', import.meta.url));

test('sends a file of 512 MiB in one form within constant memory', async () => {
  let received = 0;
  const sink = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.length));
    request.on('end', () => response.end(request.headers['content-length']));
  });
  const url = await listen(sink, 0);
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, url, String(SIZE)]);
  await stop(sink);
  const result = JSON.parse(stdout) as { status: number; length: number; peak_mib: number };
  process.stdout.write(`A form of ${result.length} bytes used at most ${result.peak_mib} MiB of memory.\n`);
  expect(result.status).toBe(200);
  expect(result.length).toBeGreaterThan(SIZE);
  expect(received).toBe(result.length);
  expect(result.peak_mib).toBeLessThan(MAX_MIB);
});
