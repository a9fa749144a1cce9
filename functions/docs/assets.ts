import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ApiResponse } from '../../shared/http/errors.ts';

/** Files that the bundle carries beside the code (`lib/docs.ts` puts them there), with their types. */
export const ASSETS = {
  'openapi.json': 'application/json; charset=utf-8',
  'index.html': 'text/html; charset=utf-8',
  'start.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

export type Asset = keyof typeof ASSETS;

export function isAsset(name: string): name is Asset {
  return Object.hasOwn(ASSETS, name);
}

/** Everything comes from this very API; the viewer sets styles itself and shows images that it carries. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const compressed = new Map<Asset, Buffer>();

/** A file of the documentation, compressed where the caller takes that. */
export function assetAnswer(name: Asset, acceptEncoding = ''): ApiResponse {
  const zip = /\bgzip\b/i.test(acceptEncoding);
  return {
    status: 200,
    raw: zip ? zipped(name) : read(name),
    headers: {
      'content-type': ASSETS[name],
      'cache-control': 'public, max-age=300',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(zip ? { 'content-encoding': 'gzip' } : {}),
    },
  };
}

const read = (name: Asset) => readFileSync(join(import.meta.dirname, 'assets', name));

function zipped(name: Asset): Buffer {
  const known = compressed.get(name) ?? gzipSync(read(name));
  compressed.set(name, known);
  return known;
}
