import { Busboy } from '@fastify/busboy';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** A form with at most one file. */
export interface PartForm {
  fields: ReadonlyMap<string, string>;
  file: { name: string; bytes: Buffer } | null;
}

/** Reads a form; null where it is malformed or has two files. `FormData` would copy a large part several times. */
export async function readPartForm({ headers, body }: Request): Promise<PartForm | null> {
  const type = headers.get('content-type') ?? '';
  if (body === null || !type.includes('boundary=')) return null;
  const fields = new Map<string, string>();
  const files: { name: string; pieces: Buffer[] }[] = [];
  const parser = new Busboy({ headers: { 'content-type': type } });
  parser.on('field', (name: string, value: string) => void fields.set(name, value));
  parser.on('file', (name: string, stream: Readable) => {
    const pieces: Buffer[] = [];
    files.push({ name, pieces });
    stream.on('data', (bytes: Buffer) => void pieces.push(bytes));
  });
  try {
    await pipeline(Readable.fromWeb(body as ReadableStream<Uint8Array>), parser);
  } catch {
    return null;
  }
  const [first, second] = files;
  if (second) return null;
  return { fields, file: first ? { name: first.name, bytes: Buffer.concat(first.pieces) } : null };
}
