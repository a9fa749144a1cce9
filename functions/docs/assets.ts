import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Files that `lib/docs.ts` adds to the bundle, with their content types. */
export const ASSETS = {
  'openapi.json': 'application/json; charset=utf-8',
  'index.html': 'text/html; charset=utf-8',
  errors: 'text/html; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
} as const;

export type Asset = keyof typeof ASSETS;

export function isAsset(name: string): name is Asset {
  return Object.hasOwn(ASSETS, name);
}

/** Everything is loaded from this API; the icon is an empty data URL. */
const POLICY = "default-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

const compressed = new Map<Asset, Buffer>();

/** Returns a file of the documentation, gzip-compressed where the client accepts that. */
export function assetResponse(name: Asset, acceptEncoding = '') {
  const zip = /\bgzip\b/i.test(acceptEncoding);
  return {
    status: 200,
    raw: zip ? gzipped(name) : readAsset(name),
    headers: {
      'content-type': ASSETS[name],
      'cache-control': 'public, max-age=300',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(zip ? { 'content-encoding': 'gzip' } : {}),
    },
  } as const;
}

/** Returns a file of the documentation as `lib/docs.ts` wrote it. */
export const readAsset = (name: Asset) => readFileSync(join(import.meta.dirname, 'assets', name));

function gzipped(name: Asset): Buffer {
  const bytes = compressed.get(name) ?? gzipSync(readAsset(name));
  compressed.set(name, bytes);
  return bytes;
}
