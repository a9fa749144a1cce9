import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { ApiError, invalidUtf8, validationFailed } from './errors.ts';

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

export const isForm = (contentType: string) => /^multipart\/form-data\b/i.test(contentType);

/** Well above what any form of this API needs. */
const LIMITS = { fields: 100, files: 10, headerPairs: 50 };

/**
 * Returns the text and file fields of a multipart form by name; of two texts with one name the last one wins. Throws 400 for
 * a malformed form, and for two files with one name.
 */
export async function readForm(body: Uint8Array, contentType: string): Promise<Record<string, unknown>> {
  const fields = new Map<string, unknown>();
  const files: Promise<void>[] = [];
  const fileFields: string[] = [];
  const { promise: finished, resolve, reject } = Promise.withResolvers<undefined>();
  try {
    const parser = new Busboy({ headers: headersOf(contentType), limits: LIMITS, preservePath: true });
    parser.on('field', (name, value) => void fields.set(name, value));
    // A binary part without a file name is a file, too.
    parser.on('file', (name, stream, fileName: string | undefined) => {
      fileFields.push(name);
      files.push(readFile(stream, fileName ?? '').then(file => void fields.set(name, file)));
    });
    parser
      .on('finish', () => resolve(undefined))
      .on('error', reject)
      .end(Buffer.from(body));
    await finished;
    await Promise.all(files);
  } catch {
    await Promise.allSettled(files);
    throw malformedForm();
  }
  const repeated = fileFields.filter((name, index) => fileFields.indexOf(name) < index);
  if (repeated.length > 0) throw severalFiles([...new Set(repeated)]);
  const isReplaced = [...fields.values()].some(
    value => typeof value === 'string' && value.includes('\ufffd'),
  );
  if (isReplaced && !Buffer.from(body).includes('\ufffd')) throw invalidUtf8();
  return Object.fromEntries(fields);
}

const severalFiles = (fields: readonly string[]) =>
  validationFailed(
    fields.map(field => ({ field, message: `${field} must be a single file`, platform: null })),
  );

const headersOf = (contentType: string): BusboyHeaders => ({ 'content-type': contentType });

async function readFile(stream: Readable, name: string): Promise<FormFile> {
  const chunks: unknown[] = await stream.toArray();
  const bytes = Buffer.concat(chunks.filter(chunk => Buffer.isBuffer(chunk)));
  const sha256 = createHash('sha256').update(bytes).digest('base64url');
  return { name, sha256, bytes: () => bytes };
}

const malformedForm = () =>
  new ApiError({ status: 400, body: { error: 'Malformed multipart form data', code: 'MALFORMED_FORM' } });
