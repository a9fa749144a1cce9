import type { MediaFormat } from '../../model/media.ts';
import type { SizedFile } from '../probe/file-access.ts';

/** Other programs search this far into a file, and this far from its end, for a format of theirs. */
const EDGE_BYTES = 64 * 1024 + 22;
/** PDF readers accept a header this far into a file (ISO 32000-1, annex H.3). */
const PDF_HEADER_WITHIN = 1024;

/** Browsers that sniff types, and servers, would run it. The metadata of PDFs legitimately contains markup. */
const MARKUP = /<(?:script|html|iframe|!doctype html)\b|<\?php\b/i;

/** Returns what else a file of a known format would be opened as; null for nothing. */
export async function findEmbeddedFormat(format: MediaFormat, file: SizedFile): Promise<string | null> {
  const head = Buffer.from(await file.read(0, Math.min(file.size, EDGE_BYTES)));
  const tail = Buffer.from(await file.read(Math.max(0, file.size - EDGE_BYTES), file.size));
  const isPdf = format === 'PDF';
  if (!isPdf && head.subarray(0, PDF_HEADER_WITHIN).includes('%PDF-')) return 'a PDF';
  if (endsWithZipRecord(tail)) return 'an archive';
  return !isPdf && [head, tail].some(edge => MARKUP.test(edge.toString('latin1'))) ? 'a web page' : null;
}

const ZIP_END_RECORD = Buffer.from('504b0506', 'hex');
const COMMENT_LENGTH_AT = 20;

/** ZIP archives are read from their end: a record that declares the length of the comment behind it (APPNOTE, 4.3.16). */
function endsWithZipRecord(tail: Buffer): boolean {
  const at = tail.lastIndexOf(ZIP_END_RECORD);
  const comment = at + COMMENT_LENGTH_AT;
  return at !== -1 && comment + 2 <= tail.length && comment + 2 + tail.readUInt16LE(comment) === tail.length;
}
