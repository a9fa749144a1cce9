import type { MediaFormat } from '../model/media.ts';
import { readObject, type Bucket } from '../store/objects.ts';
import { inspectFile } from './inspect-file.ts';
import { findEmbeddedFormat } from './integrity/polyglot.ts';
import { UNLIMITED } from './probe/budget.ts';
import { fileFromBytes, type SizedFile } from './probe/file-access.ts';

/** The format of a complete, harmless file, or what is wrong with it. */
export type Integrity = { format: MediaFormat } | { problem: string };

/** The most pixels common image libraries open: a decompression bomb is small as a file and huge when decoded. */
const MAX_PIXELS = 268_402_689;

/** Checks a whole file: that it is complete and decodable, and contains nothing that runs elsewhere. */
export async function checkIntegrity(file: SizedFile): Promise<Integrity> {
  const inspection = await inspectFile(file, UNLIMITED);
  if (inspection.type === 'unsupported') return { problem: inspection.message };
  const { format, width, height } = inspection.facts;
  const problem = pixelProblem(width, height) ?? (await polyglotProblem(format, file));
  return problem === null ? { format } : { problem };
}

export const checkBytesIntegrity = (bytes: Uint8Array) => checkIntegrity(fileFromBytes(bytes));

/** Checks an object of the bucket. `etag`: the version that is meant. */
export function checkObjectIntegrity(
  bucket: Bucket,
  key: string,
  size: number,
  etag?: string,
): Promise<Integrity> {
  const version = etag === undefined ? {} : { etag };
  return checkIntegrity({
    size,
    read: async (start, end) =>
      (await readObject(bucket, key, { start, end, ...version })) ?? new Uint8Array(),
  });
}

async function polyglotProblem(format: MediaFormat, file: SizedFile): Promise<string | null> {
  const other = await findEmbeddedFormat(format, file);
  return other === null ? null : `The file is ${format} and ${other} in one, which is not accepted`;
}

function pixelProblem(width: number | null, height: number | null): string | null {
  if (width === null || height === null || width * height <= MAX_PIXELS) return null;
  return `The image has ${width} x ${height} pixels; at most ${MAX_PIXELS} pixels are accepted`;
}
