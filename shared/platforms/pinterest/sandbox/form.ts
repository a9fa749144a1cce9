import { Busboy } from '@fastify/busboy';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { SandboxHost, SandboxUpload } from '../../contract/sandbox.ts';

/** A form whose last part is a file, which is not kept in memory. */
export interface UploadForm {
  fields: Record<string, string>;
  upload: SandboxUpload;
}

/** Reads a form as the storage does; null where it is malformed, or does not end with exactly one part `file`. */
export async function readUploadForm(
  { headers, body }: Request,
  { openUpload }: Pick<SandboxHost, 'openUpload'>,
): Promise<UploadForm | null> {
  const type = headers.get('content-type') ?? '';
  if (body === null || !/boundary=/.test(type)) return null;
  const fields: Record<string, string> = {};
  let upload: SandboxUpload | null = null;
  let isSound = true;
  const parser = new Busboy({ headers: { 'content-type': type } });
  parser.on('field', (name: string, value: string) => {
    isSound &&= upload === null;
    fields[name] = value;
  });
  parser.on('file', (name: string, stream: Readable) => {
    isSound &&= upload === null && name === 'file';
    const target = (upload ??= openUpload());
    let size = 0;
    stream.on('data', (bytes: Buffer) => {
      target.write(bytes, size);
      size += bytes.length;
    });
  });
  try {
    await pipeline(Readable.fromWeb(body as ReadableStream<Uint8Array>), parser);
  } catch {
    isSound = false;
  }
  const received = upload as SandboxUpload | null;
  if (received !== null && isSound) return { fields, upload: received };
  received?.discard();
  return null;
}
