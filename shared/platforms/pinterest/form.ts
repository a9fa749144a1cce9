import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { UserFile } from '../contract/media-files.ts';
import { MB } from '../kit/sizes.ts';

/** In memory at a time. */
const PIECE_BYTES = 8 * MB;

/** A form with one file, as a stream of known length: storage refuses chunked transfers. */
export interface StreamedForm {
  contentType: string;
  body: { stream: Readable; length: number };
}

/** Returns a form with the fields in their order and the file as its last part, read piece by piece. */
export function streamedForm(
  fields: Readonly<Record<string, string>>,
  { facts, size, read }: Pick<UserFile, 'facts' | 'size' | 'read'>,
): StreamedForm {
  const boundary = randomBytes(16).toString('hex');
  const disposition = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).map(([name, value]) => `${disposition(name)}\r\n\r\n${value}\r\n`);
  const file = `${disposition('file')}; filename="video"\r\nContent-Type: ${facts.type}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + file);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

  async function* pieces(): AsyncGenerator<Buffer> {
    yield head;
    for (let start = 0; start < size; start += PIECE_BYTES) {
      yield await read(start, Math.min(PIECE_BYTES, size - start));
    }
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      stream: Readable.from(pieces(), { objectMode: false }),
      length: head.length + size + tail.length,
    },
  };
}
