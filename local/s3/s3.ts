import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readBody } from '../http.ts';
import type { LocalStore } from '../store.ts';
import type { BucketResource } from '../template/resources.ts';
import { corsHeaders } from './cors.ts';
import { openDisk, type Disk } from './disk.ts';
import { S3Error } from './errors.ts';
import { tidyBucket } from './lifecycle.ts';
import { operationOf, OPERATIONS, type S3Answer, type S3Request } from './operations.ts';
import { checkSignature } from './signature.ts';
import { element, xml } from './xml.ts';

export interface S3 {
  createBucket: (bucket: BucketResource) => Disk;
  /** Whether a path is one of a bucket. */
  serves: (path: string) => boolean;
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Reads an object as CloudFront does, which has rights of its own. */
  read: (bucket: string, key: string, request: IncomingMessage) => Promise<S3Answer>;
  /** Does what the buckets' lifecycle rules ask for. */
  tidy: () => Promise<void>;
}

export interface S3Parts {
  /** Where the bytes lie. */
  folder: string;
  store: LocalStore;
  now: () => number;
  /** Told of each operation. */
  count: (operation: string, request: IncomingMessage) => void;
}

interface OpenBucket {
  resource: BucketResource;
  disk: Disk;
}

/** S3 as far as the service calls it, with its own signatures, conditions, limits and lifecycle. */
export function createS3({ folder, store, now, count }: S3Parts): S3 {
  const buckets = new Map<string, OpenBucket>();

  async function answer(request: IncomingMessage): Promise<S3Answer> {
    const { path, query } = locate(request);
    const { bucket, key } = placeOf(path);
    const open = buckets.get(bucket);
    if (!open) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    const cors = corsHeaders(open.resource.cors, request);
    if (request.method === 'OPTIONS') {
      return cors ? { status: 200, headers: cors } : xml(403, refusal('AccessForbidden', 'CORSResponse'));
    }
    const done = await signedAnswer(request, open, bucket, key, query).catch(asAnswer);
    return { ...done, headers: { ...done.headers, ...cors } };
  }

  async function signedAnswer(
    request: IncomingMessage,
    { disk }: OpenBucket,
    bucket: string,
    key: string,
    query: URLSearchParams,
  ): Promise<S3Answer> {
    const { method = 'GET', headers } = request;
    checkSignature({ method, target: request.url ?? '/', headers }, now());
    const name = operationOf(method, key, query, headers);
    const run = OPERATIONS[name];
    if (!run || String(headers['x-amz-content-sha256']).startsWith('STREAMING')) {
      throw new S3Error(501, 'NotImplemented', `The local S3 has no such ${name}`);
    }
    count(name, request);
    return run({ ...bare(disk, bucket, key, request), query });
  }

  function bare(disk: Disk, bucket: string, key: string, request: IncomingMessage): S3Request {
    return {
      disk,
      bucket,
      key,
      query: new URLSearchParams(),
      headers: request.headers,
      body: request,
      text: async () => (await readBody(request)).toString(),
      source: pathAndKey => {
        const from = placeOf(pathAndKey.startsWith('/') ? pathAndKey : `/${pathAndKey}`);
        return buckets.get(from.bucket)?.disk.get(from.key) ?? null;
      },
    };
  }

  return {
    createBucket: resource => {
      const disk = openDisk(join(folder, resource.name), resource.name, store, now);
      buckets.set(resource.name, { resource, disk });
      return disk;
    },
    serves: path => buckets.has(placeOf(path).bucket),
    handle: async (request, response) => {
      // Clients set their clocks by this header, and sign by them.
      response.setHeader('date', new Date(now()).toUTCString());
      await send(request, response, await answer(request).catch(asAnswer));
    },
    read: async (bucket, key, request) => {
      const open = buckets.get(bucket);
      const run = OPERATIONS[request.method === 'HEAD' ? 'HeadObject' : 'GetObject'];
      if (!open || !run) return asAnswer(new S3Error(403, 'AccessDenied', 'Access Denied'));
      return Promise.resolve()
        .then(() => run(bare(open.disk, bucket, key, request)))
        .catch(asAnswer);
    },
    tidy: async () => {
      for (const { disk, resource } of buckets.values()) await tidyBucket(disk, resource.lifecycle, now());
    },
  };
}

/** Sends an answer, and lets go of what the client still sends. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: S3Answer,
): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  if (answer.body instanceof Readable) {
    // A client that hangs up is its own affair.
    await pipeline(answer.body, response).catch(() => response.destroy());
  } else {
    response.end(request.method === 'HEAD' ? undefined : answer.body);
  }
  request.resume();
}

function locate(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

/** `/bucket/some/key` → both, decoded. */
function placeOf(path: string): { bucket: string; key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  return { bucket, key: decoded(key) };
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const refusal = (code: string, message: string) =>
  element('Error', element('Code', code), element('Message', message));

function asAnswer(error: unknown): S3Answer {
  if (error instanceof S3Error) return xml(error.status, refusal(error.code, error.message));
  console.error('The local S3 broke:', error);
  return xml(500, refusal('InternalError', 'We encountered an internal error. Please try again.'));
}
