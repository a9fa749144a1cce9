import { createHash, randomBytes } from 'node:crypto';
import { FILE_OF_FORMAT, type MediaFacts } from '../model/media.ts';
import {
  abortAssembly,
  beginAssembly,
  completeAssembly,
  listParts,
  putPart,
} from '../store/multipart-objects.ts';
import {
  COPIES,
  DERIVED,
  headObject,
  keyOfUrl,
  MEDIA,
  publicUrlOf,
  putObject,
  type Bucket,
} from '../store/objects.ts';
import { PlatformError } from '../platforms/contract/error.ts';
import { hostUnavailable } from './fetch/host-errors.ts';
import type { RemoteFile } from './fetch/remote-file.ts';

/** In memory at a time. */
const PART_BYTES = 16 * 1024 ** 2;

/**
 * Returns a URL in the bucket from which a platform can fetch exactly this file. A file of the bucket keeps its URL; any
 * other is copied, once for each version that its host distinguishes. Throws PlatformError `transient`.
 */
export async function publishFile(
  bucket: Bucket,
  url: string,
  { size, version, read }: Pick<RemoteFile, 'size' | 'version' | 'read'>,
  { format }: Pick<MediaFacts, 'format'>,
): Promise<string> {
  if (isServed(bucket, url)) return url;
  const { type, extension } = FILE_OF_FORMAT[format];
  const name = version === null ? randomBytes(24).toString('hex') : hashOf(url, size, version);
  const key = `${DERIVED}${name}/file.${extension}`;
  try {
    if ((await headObject(bucket, key))?.size === size) return publicUrlOf(bucket, key);
    if (size <= PART_BYTES) await putObject(bucket, key, await read(0, size), type);
    else await copyInParts(bucket, key, type, { size, read });
    return publicUrlOf(bucket, key);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const reason = error instanceof Error ? error.name : 'Error';
    throw hostUnavailable(`The file could not be copied to the bucket (${reason})`);
  }
}

/** Confirmed uploads and copies are immutable and served. */
function isServed(bucket: Bucket, url: string): boolean {
  const key = keyOfUrl(bucket, url);
  return key !== null && (key.startsWith(MEDIA) || key.startsWith(COPIES));
}

const hashOf = (...values: (string | number)[]) =>
  createHash('sha256').update(JSON.stringify(values)).digest('hex');

async function copyInParts(
  bucket: Bucket,
  key: string,
  type: string,
  { size, read }: Pick<RemoteFile, 'size' | 'read'>,
): Promise<void> {
  const assembly = await beginAssembly(bucket, key, type);
  try {
    for (let start = 0, number = 1; start < size; start += PART_BYTES, number += 1) {
      await putPart(bucket, assembly, number, await read(start, Math.min(PART_BYTES, size - start)));
    }
    await completeAssembly(bucket, assembly, (await listParts(bucket, assembly)) ?? []);
  } catch (error) {
    await abortAssembly(bucket, assembly);
    throw error;
  }
}
