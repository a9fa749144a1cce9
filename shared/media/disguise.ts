import type { MediaFormat } from '../model/media.ts';
import type { Whole } from './access.ts';

/** So far into a file, and so far from its end, other programs look for what is theirs. */
const EDGE_BYTES = 64 * 1024 + 22;
/** Readers of documents take one that begins so far into a file (ISO 32000-1, annex H.3). */
const PDF_WITHIN = 1024;

/** Browsers and servers that guess would run it. Metadata of documents carries markup rightly. */
const MARKUP = /<(?:script|html|iframe|!doctype html)\b|<\?php\b/i;

/** What a file of a known format is beside that; null for one that is nothing else. */
export async function disguiseOf(format: MediaFormat, file: Whole): Promise<string | null> {
  const head = Buffer.from(await file.read(0, Math.min(file.size, EDGE_BYTES)));
  const tail = Buffer.from(await file.read(Math.max(0, file.size - EDGE_BYTES), file.size));
  const isPdf = format === 'PDF';
  if (!isPdf && head.subarray(0, PDF_WITHIN).includes('%PDF-')) return 'a document';
  if (endsAsArchive(tail)) return 'an archive';
  return !isPdf && [head, tail].some(edge => MARKUP.test(edge.toString('latin1'))) ? 'a web page' : null;
}

const ARCHIVE_END = Buffer.from('504b0506', 'hex');
const COMMENT_AT = 20;

/** An archive is read from its end: a record that says how long the comment behind it is (APPNOTE.TXT, 4.3.16). */
function endsAsArchive(tail: Buffer): boolean {
  const at = tail.lastIndexOf(ARCHIVE_END);
  const comment = at + COMMENT_AT;
  return at !== -1 && comment + 2 <= tail.length && comment + 2 + tail.readUInt16LE(comment) === tail.length;
}
