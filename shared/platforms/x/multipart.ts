import { randomUUID } from 'node:crypto';

export interface FilePart {
  filename: string;
  contentType: string;
  bytes: Uint8Array;
}

/** A form as RFC 7578 has it. Names and plain values are ours and need no escaping. */
export function multipart(parts: Record<string, string | FilePart>): { contentType: string; body: Buffer } {
  const boundary = randomUUID();
  const pieces = Object.entries(parts).flatMap(([name, part]) => {
    const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
    if (typeof part === 'string') return [Buffer.from(`${disposition}\r\n\r\n${part}\r\n`)];
    const head = `${disposition}; filename="${part.filename}"\r\nContent-Type: ${part.contentType}\r\n\r\n`;
    return [Buffer.from(head), part.bytes, Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
