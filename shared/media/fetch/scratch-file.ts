import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openFollowing } from '../../net/follow.ts';
import type { HttpClient } from '../../net/http.ts';
import type { FileAccess } from '../probe/file-access.ts';
import { assertFileResponse, mediaRejected, withHostErrors } from './host-errors.ts';
import { UNCOMPRESSED } from './range-request.ts';

/** A file on the function's own disk, so that its size costs no memory. */
export interface ScratchFile {
  path: string;
  size: number;
  /** SHA-256 of the content, in hexadecimal. */
  sha256: string;
  access: FileAccess;
  read: (start: number, length: number) => Promise<Buffer>;
  remove: () => Promise<void>;
}

/** Downloads a URL to the disk, `maxBytes` at most. Throws PlatformError. */
export async function downloadToScratch(
  http: Pick<HttpClient, 'open'>,
  url: string,
  { maxBytes, timeoutMs }: { maxBytes: number; timeoutMs: number },
): Promise<ScratchFile> {
  const answer = assertFileResponse(
    await withHostErrors(() => openFollowing(http, { method: 'GET', url, headers: UNCOMPRESSED, timeoutMs })),
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
    await withHostErrors(() => pipeline(answer.stream, meter, createWriteStream(path)));
    if (size === 0) throw mediaRejected('The media URL returns an empty file');
    return await openScratch(path, size, hash.digest('hex'), answer.headers['content-type']);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Writes the pieces of a file to the disk. */
export async function writeToScratch(pieces: readonly Uint8Array[]): Promise<ScratchFile> {
  const path = newPath();
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  await writeFile(path, pieces);
  const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return openScratch(path, size, hash.digest('hex'));
}

async function openScratch(path: string, size: number, sha256: string, type = ''): Promise<ScratchFile> {
  const file = await open(path, 'r');
  const read = (start: number, length: number) => readFrom(file, start, Math.min(length, size - start));
  return {
    path,
    size,
    sha256,
    access: { size, declared_type: type, read: (start, end) => read(start, end - start) },
    read,
    remove: async () => {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

async function readFrom(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, length));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}

const newPath = () => join(tmpdir(), `media-${process.pid}-${randomUUID()}`);
