import type { MediaFormat } from '../model/media.ts';
import { readObject, type Bucket } from '../store/objects.ts';
import { inspectFile, READ_BUDGET_BYTES } from './inspect-file.ts';
import { findPdfAction } from './integrity/pdf-actions.ts';
import { findEmbeddedFormat } from './integrity/polyglot.ts';
import { fileFromBytes, OVERLAP_BYTES, someChunk, type SizedFile } from './probe/file-access.ts';

/** The format of a complete, harmless file, or what is wrong with it. */
export type Integrity = { format: MediaFormat } | { problem: string };

/** The most pixels common image libraries open: a decompression bomb is small as a file and huge when decoded. */
const MAX_PIXELS = 268_402_689;

/** Checks a whole file: that it is complete and decodable, and contains nothing that runs elsewhere. */
export async function checkIntegrity(file: SizedFile): Promise<Integrity> {
  const inspection = await inspectFile(file, file.size);
  if (inspection.type === 'unsupported') return { problem: inspection.message };
  const { format, width, height } = inspection.facts;
  const problem =
    pixelProblem(width, height) ??
    (format === 'PDF' ? await actionProblem(file) : null) ??
    (await polyglotProblem(format, file));
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

/** Searches the part of a document that its inspection did not read. */
async function actionProblem(file: SizedFile): Promise<string | null> {
  if (file.size <= READ_BUDGET_BYTES) return null;
  const hasAction = await someChunk(
    file,
    READ_BUDGET_BYTES - OVERLAP_BYTES,
    chunk => findPdfAction(chunk) !== null,
  );
  return hasAction ? 'The file is a PDF with a script, which is not accepted' : null;
}

function pixelProblem(width: number | null, height: number | null): string | null {
  if (width === null || height === null || width * height <= MAX_PIXELS) return null;
  return `The image has ${width} x ${height} pixels; at most ${MAX_PIXELS} pixels are accepted`;
}
