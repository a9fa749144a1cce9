import { fileTypeFromBuffer } from 'file-type';
import { probe } from '../../local/sandbox/media/probe.ts';
import type { SandboxHost, StoredMedia } from '../../shared/platforms/contract/sandbox.ts';

/** Keeps what a platform receives in `received`, by its digest. */
export function memoryStorage(
  received: Map<string, Uint8Array>,
): Pick<SandboxHost, 'storeMedia' | 'openUpload'> {
  async function storeMedia(bytes: Uint8Array): Promise<StoredMedia> {
    const media = await probe(bytes);
    received.set(media.sha256, bytes);
    return media;
  }
  return {
    storeMedia,
    openUpload: () => {
      const pieces = new Map<number, Uint8Array>();
      return {
        write: (bytes, start) => void pieces.set(start, Buffer.from(bytes)),
        store: () =>
          storeMedia(Buffer.concat([...pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece))),
        discard: () => pieces.clear(),
      };
    },
  };
}

/** Serves a file, or the range of it that is asked for. */
export async function serveMedia(bytes: Uint8Array | undefined, range: string | null): Promise<Response> {
  if (!bytes) return new Response('Not found', { status: 404 });
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? 'application/octet-stream';
  const headers = { 'content-type': type, 'accept-ranges': 'bytes' };
  const match = /^bytes=(\d*)-(\d*)$/.exec(range ?? '');
  if (!match) return new Response(new Uint8Array(bytes), { headers });

  const [, from = '', to = ''] = match;
  const last = bytes.length - 1;
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const end = from === '' || to === '' ? last : Math.min(last, Number(to));
  if (start > end) {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } });
  }
  return new Response(new Uint8Array(bytes.subarray(start, end + 1)), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end}/${bytes.length}` },
  });
}
