import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { boundaryOf } from './boundary.ts';
import { ApiError, invalidUtf8, validationFailed } from './errors.ts';
import { decodeUtf8 } from './utf8.ts';

/** A file of a multipart form. */
export interface FormFile {
  /** File name as sent; may be empty. */
  name: string;
  /** Represents the bytes in the idempotency fingerprint, which leaves functions out. */
  sha256: string;
  bytes: () => Uint8Array;
}

const isFormFile = (value: unknown): value is FormFile =>
  typeof value === 'object' && value !== null && 'sha256' in value && 'bytes' in value;

/** Schema of a field that holds a file; only a multipart form can have one. */
export const formFile = v.pipe(
  v.custom<FormFile>(isFormFile, 'Must be a file of a multipart form'),
  v.metadata({ openapi: { type: 'string', format: 'binary' } }),
);

export const isForm = (contentType: string) => /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType);

/** Well above what any form of this API needs. */
const LIMITS = { parts: 100, headerPairs: 50 };

/** One part of a form. A part without a file name is a text field. */
interface Part {
  name: string;
  file_name: string | null;
  bytes: Buffer;
}

/**
 * Returns the text and file fields of a multipart form by name; of two texts with one name the last one wins. Throws 400 for
 * a malformed form, for text that is not UTF-8, and for two files with one name.
 */
export async function readForm(body: Uint8Array, contentType: string): Promise<Record<string, unknown>> {
  const parts = await readParts(body, contentType);
  const files = parts.filter(({ file_name }) => file_name !== null).map(({ name }) => name);
  const repeated = files.filter((name, index) => files.indexOf(name) < index);
  if (repeated.length > 0) throw severalFiles([...new Set(repeated)]);
  return Object.fromEntries(parts.map(part => [part.name, valueOf(part)]));
}

async function readParts(body: Uint8Array, contentType: string): Promise<Part[]> {
  const boundary = boundaryOf(contentType);
  if (boundary === null) throw malformedForm('its boundary must have 1 to 70 characters of RFC 2046');
  const { Busboy } = await import('./form-parser.ts');
  const { promise: finished, resolve, reject } = Promise.withResolvers<undefined>();
  const parts: Promise<Part>[] = [];
  const parser = new Busboy({
    // Unquoted, the parser would take a space or a colon for the end of the boundary.
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: LIMITS,
    preservePath: true,
    // The parser would cut long texts and replace invalid bytes.
    isPartAFile: () => true,
  });
  try {
    parser.on('file', (name: string | undefined, stream, fileName: string | undefined, _, type) => {
      parts.push(readPart({ name, fileName, type }, stream));
    });
    parser
      .on('partsLimit', () => reject(new Error('Too many parts')))
      .on('finish', () => resolve(undefined))
      .on('error', reject)
      .end(Buffer.from(body));
    await finished;
    return await Promise.all(parts);
  } catch (error) {
    await Promise.allSettled(parts);
    throw error instanceof ApiError ? error : malformedForm();
  }
}

interface PartHeader {
  name: string | undefined;
  fileName: string | undefined;
  type: string;
}

async function readPart({ name = '', fileName, type }: PartHeader, stream: Readable): Promise<Part> {
  const chunks: unknown[] = await stream.toArray();
  // The parser replaces invalid bytes of a header.
  if (`${name}${fileName ?? ''}`.includes('\ufffd')) throw invalidUtf8();
  // A binary part without a file name is a file, too.
  const isFile = fileName !== undefined || type === 'application/octet-stream';
  return {
    name,
    file_name: isFile ? (fileName ?? '') : null,
    bytes: Buffer.concat(chunks.filter(chunk => Buffer.isBuffer(chunk))),
  };
}

function valueOf({ file_name, bytes }: Part): string | FormFile {
  if (file_name !== null) {
    return {
      name: file_name,
      sha256: createHash('sha256').update(bytes).digest('base64url'),
      bytes: () => bytes,
    };
  }
  const text = decodeUtf8(bytes);
  if (text === null) throw invalidUtf8();
  return text;
}

const severalFiles = (fields: readonly string[]) =>
  validationFailed(
    fields.map(field => ({ field, message: `${field} must be a single file`, platform: null })),
  );

const malformedForm = (reason?: string) =>
  new ApiError({
    status: 400,
    body: {
      error: `Malformed multipart form data${reason === undefined ? '' : `: ${reason}`}`,
      code: 'MALFORMED_FORM',
    },
  });
