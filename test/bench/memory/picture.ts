import { serve } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { serveContent } from '../../../local/sandbox/media/serve.ts';

/** The most pixels that are converted, in a file of about 20 MB. */
const SIDE = 10_000;
/** It is made of tiles, since noise takes long to make. */
const TILE = 1000;
const NOISE = { type: 'gaussian', mean: 128, sigma: 20 } as const;
const QUALITY = 70;
/** The last number of the first quantization table, which follows the start of the image. */
const CHANGED_AT = 70;

export interface PictureHost {
  /** Returns the URL of a picture whose pixels no other has, up to 255 times: a conversion is kept for the same picture. */
  newUrl: () => string;
  bytes: number;
  close: () => Promise<void>;
}

/** Serves JPEGs of 100 megapixels, which every platform gets converted. */
export async function startPictureHost(): Promise<PictureHost> {
  const plain = (side: number) => ({ width: side, height: side, channels: 3, background: 'grey' }) as const;
  const tile = await sharp({ create: { ...plain(TILE), noise: NOISE } })
    .png()
    .toBuffer();
  const picture = await sharp({ create: plain(SIDE) })
    .composite([{ input: tile, tile: true }])
    .jpeg({ quality: QUALITY })
    .toBuffer();
  let pictures = 0;
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  const server = serve(
    {
      port: 0,
      hostname: '127.0.0.1',
      overrideGlobalObjects: false,
      fetch: ({ url, headers }: Request) => {
        const number = Number(/\d+/.exec(new URL(url).pathname)?.[0]);
        const pieces = [picture.subarray(0, CHANGED_AT), Buffer.of(number), picture.subarray(CHANGED_AT + 1)];
        return serveContent(pieces, { type: 'image/jpeg', range: headers.get('range') ?? '' });
      },
    },
    resolve,
  );
  const { port } = await promise;
  return {
    newUrl: () => `http://127.0.0.1:${port}/${++pictures}.jpg`,
    bytes: picture.length,
    close: () => new Promise<void>(done => server.close(() => done())),
  };
}
