import type { MediaFormat } from '../model/media.ts';
import { readObject, type Bucket } from '../store/objects.ts';
import { anyPart, inMemory, OVERLAP_BYTES, type Whole } from './access.ts';
import { disguiseOf } from './disguise.ts';
import { inspect, WHOLE_BYTES } from './inspect.ts';
import { activeContent } from './pdf.ts';

/** What a whole file is, when nothing is wrong with it. */
export type Integrity = { format: MediaFormat } | { fault: string };

/** A picture with more would not be opened by anybody: it is small as a file and huge when it is shown. */
const MAX_PIXELS = 268_402_689;

/** Looks at a whole file from its first byte to its last, as far as its format needs. */
export async function checkIntegrity(file: Whole): Promise<Integrity> {
  const look = await inspect(file, file.size);
  if (look.type === 'unsupported') return { fault: look.message };
  const { format, width, height } = look.facts;
  const fault =
    pixelFault(width, height) ??
    (format === 'PDF' ? await scriptFault(file) : null) ??
    (await disguiseFault(format, file));
  return fault === null ? { format } : { fault };
}

export const checkBytesIntegrity = (bytes: Uint8Array) => checkIntegrity(inMemory(bytes));

/** The same of a file in the bucket. `etag`: the version that is meant. */
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

async function disguiseFault(format: MediaFormat, file: Whole): Promise<string | null> {
  const other = await disguiseOf(format, file);
  return other === null ? null : `It is ${format} and ${other} in one, which the service does not pass on`;
}

/** The first look goes so far and no further into a document. */
async function scriptFault(file: Whole): Promise<string | null> {
  if (file.size <= WHOLE_BYTES) return null;
  const isActive = await anyPart(file, WHOLE_BYTES - OVERLAP_BYTES, part => activeContent(part) !== null);
  return isActive ? 'It is a PDF with a script in it, which the service does not pass on' : null;
}

function pixelFault(width: number | null, height: number | null): string | null {
  if (width === null || height === null || width * height <= MAX_PIXELS) return null;
  return `The picture has ${width} x ${height} pixels; at most ${MAX_PIXELS} are taken`;
}
