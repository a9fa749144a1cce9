import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bundleFunctions } from '../../lib/bundle.ts';
import { report, type Bench } from './bench.ts';

const DIST = new URL('../../dist/', import.meta.url);

/** Sizes of the bundles that Lambda loads at a cold start. */
export const bundles: Bench = {
  name: 'bundles',
  summary: 'sizes of all bundles',
  run: async () => {
    bundleFunctions();
    const names = readdirSync(DIST).filter(
      name => name !== 'maps' && statSync(new URL(name, DIST)).isDirectory(),
    );
    const sizes = names.map(name => [name, sizeOf(readFileSync(new URL(`${name}/index.js`, DIST)))] as const);
    report('Bundles (minified, gzipped)', Object.fromEntries(sizes));
    return Promise.resolve();
  },
};

const sizeOf = (bytes: Buffer) => `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)}`;
const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
