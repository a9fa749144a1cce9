import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface UploadFile {
  name: string;
  type: string;
  bytes: Uint8Array;
}

export interface MultipartBody {
  contentType: string;
  body: { stream: Readable; length: number };
}

const CRLF = '\r\n';

/** Returns a multipart/form-data body (RFC 7578) of known length, without copying any file's bytes. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, UploadFile>>,
): MultipartBody {
  const boundary = `part-${randomUUID()}`;
  const head = (disposition: string) =>
    `--${boundary}${CRLF}Content-Disposition: form-data; ${disposition}${CRLF}`;
  const chunks: Uint8Array[] = [];
  const text = (part: string) => void chunks.push(Buffer.from(part));

  for (const [name, value] of Object.entries(fields)) {
    text(`${head(`name="${name}"`)}${CRLF}${value}${CRLF}`);
  }
  for (const [name, file] of Object.entries(files)) {
    const disposition = `name="${name}"; filename="${quoted(file.name)}"`;
    text(`${head(disposition)}Content-Type: ${file.type}${CRLF}${CRLF}`);
    chunks.push(file.bytes);
    text(CRLF);
  }
  text(`--${boundary}--${CRLF}`);

  const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: { stream: Readable.from(chunks), length },
  };
}

/** Percent-encodes what would end the header or the quotes, as browsers do. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
