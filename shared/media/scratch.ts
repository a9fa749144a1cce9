import { createHash, randomUUID } from 'node:crypto';
import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { openFollowing } from '../net/follow.ts';
import type { HttpClient } from '../net/http.ts';
import type { FileAccess } from './access.ts';
import { PLAIN } from './ranges.ts';
import { fromHost, mediaRejected, usable } from './refusal.ts';

/** A file on the function's own disk, so that its size costs no memory. */
export interface Scratch {
  path: string;
  size: number;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  access: FileAccess;
  read: (start: number, length: number) => Promise<Buffer>;
  remove: () => Promise<void>;
}

/** Fetches a URL onto the disk, no more than `maxBytes`. Throws PlatformError. */
export async function fetchToScratch(
  http: Pick<HttpClient, 'open'>,
  url: string,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<Scratch> {
  const answer = usable(
    await fromHost(() => openFollowing(http, { method: 'GET', url, headers: PLAIN, timeoutMs })),
  );
  const path = newPath();
  const hash = createHash('sha256');
  let size = 0;
  const meter = new Transform({
    transform: (chunk: Buffer, _, done) => {
      size += chunk.length;
      hash.update(chunk);
      if (size > maxBytes) done(mediaRejected(`The file is larger than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  try {
    await fromHost(() => pipeline(answer.stream, meter, createWriteStream(path)));
    if (size === 0) throw mediaRejected('The media URL gives an empty file');
    return await scratchOf(path, size, hash.digest('hex'), answer.headers['content-type']);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Puts bytes onto the disk. */
export async function toScratch(bytes: Uint8Array): Promise<Scratch> {
  const path = newPath();
  await writeFile(path, bytes);
  return scratchOf(path, bytes.byteLength, createHash('sha256').update(bytes).digest('hex'));
}

async function scratchOf(path: string, size: number, sha256: string, type = ''): Promise<Scratch> {
  const file = await open(path, 'r');
  const read = (start: number, length: number) => readFrom(file, start, Math.min(length, size - start));
  return {
    path,
    size,
    sha256,
    access: { size, said_type: type, read: (start, end) => read(start, end - start) },
    read,
    remove: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

async function readFrom(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(Math.max(0, length)),
    0,
    Math.max(0, length),
    start,
  );
  return buffer.subarray(0, bytesRead);
}

const newPath = () => join(tmpdir(), `media-${process.pid}-${randomUUID()}`);
