import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

/** A file of a form: in memory, or of known size and read piece by piece while it is sent. */
export type FormFilePart = { name: string; type: string } & (
  { bytes: Uint8Array } | { size: number; read: (start: number, length: number) => Promise<Uint8Array> }
);

export interface MultipartBody {
  contentType: string;
  body: { stream: Readable; length: number };
}

const CRLF = '\r\n';
/** In memory at a time of a file that is read piece by piece. */
const PIECE_BYTES = 4 * 1024 ** 2;

/**
 * Returns a multipart/form-data body (RFC 7578) of known length. No file is copied; one that is read piece by piece takes
 * constant memory, whatever its size. The stream fails with what `read` throws, and where it returns too few bytes.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, FormFilePart>>,
): MultipartBody {
  const boundary = `part-${randomUUID()}`;
  const head = (disposition: string) =>
    `--${boundary}${CRLF}Content-Disposition: form-data; ${disposition}${CRLF}`;
  const parts: (Uint8Array | FormFilePart)[] = [];
  const text = (part: string) => void parts.push(Buffer.from(part));

  for (const [name, value] of Object.entries(fields)) {
    text(`${head(`name="${quoted(name)}"`)}${CRLF}${value}${CRLF}`);
  }
  for (const [name, file] of Object.entries(files)) {
    const disposition = `name="${quoted(name)}"; filename="${quoted(file.name)}"`;
    text(`${head(disposition)}Content-Type: ${file.type}${CRLF}${CRLF}`);
    parts.push(file);
    text(CRLF);
  }
  text(`--${boundary}--${CRLF}`);

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      stream: Readable.from(chunksOf(parts)),
      length: parts.reduce((sum, part) => sum + lengthOf(part), 0),
    },
  };
}

function lengthOf(part: Uint8Array | FormFilePart): number {
  if (part instanceof Uint8Array) return part.byteLength;
  return 'bytes' in part ? part.bytes.byteLength : part.size;
}

async function* chunksOf(parts: readonly (Uint8Array | FormFilePart)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part;
    else if ('bytes' in part) yield part.bytes;
    else yield* piecesOf(part);
  }
}

async function* piecesOf({ name, size, read }: Extract<FormFilePart, { size: number }>) {
  for (let start = 0; start < size; start += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, size - start);
    const piece = await read(start, length);
    if (piece.byteLength !== length)
      throw new Error(`${name} ended after ${start + piece.byteLength} of ${size} bytes`);
    yield piece;
  }
}

/** Percent-encodes what would end the header or the quotes, as browsers do. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}

/** Returns a multipart/related body (RFC 2387) of a JSON object and a text: Google's uploads with metadata. */
export function relatedBody(
  json: object,
  { type, text }: { type: string; text: string },
): { contentType: string; body: string } {
  const boundary = `part-${randomUUID()}`;
  const part = (contentType: string, content: string) =>
    `--${boundary}${CRLF}Content-Type: ${contentType}${CRLF}${CRLF}${content}${CRLF}`;
  const body = `${part('application/json; charset=UTF-8', JSON.stringify(json))}${part(type, text)}--${boundary}--${CRLF}`;
  return { contentType: `multipart/related; boundary=${boundary}`, body };
}
