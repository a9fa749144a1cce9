import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readBody } from '../http.ts';
import type { LocalStore } from '../store.ts';
import type { BucketResource } from '../template/resources.ts';
import { corsHeaders } from './cors.ts';
import { openObjectStorage, type ObjectStorage } from './storage.ts';
import { S3Error } from './errors.ts';
import { applyBucketLifecycle } from './lifecycle.ts';
import { operationOf, OPERATIONS, type S3Request } from './operations.ts';
import type { S3Response } from './response.ts';
import { checkSignature } from './signature.ts';
import { element, xml } from './xml.ts';

export interface S3 {
  createBucket: (bucket: BucketResource) => ObjectStorage;
  /** Whether a path addresses a bucket. */
  serves: (path: string) => boolean;
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Reads an object without a signature, as CloudFront does with its own permissions. */
  read: (bucket: string, key: string, request: IncomingMessage) => Promise<S3Response>;
  /** Applies the buckets' lifecycle rules. */
  applyLifecycle: () => Promise<void>;
}

export interface S3Parts {
  /** Folder of the objects' bytes. */
  folder: string;
  store: LocalStore;
  now: () => number;
  /** Called for each operation. */
  count: (operation: string, request: IncomingMessage) => void;
}

interface OpenBucket {
  resource: BucketResource;
  storage: ObjectStorage;
}

/** S3 as far as the service calls it: signatures, conditional requests, limits and lifecycle rules. */
export function createS3({ folder, store, now, count }: S3Parts): S3 {
  const buckets = new Map<string, OpenBucket>();

  async function respond(request: IncomingMessage): Promise<S3Response> {
    const { path, query } = locate(request);
    const { bucket, key } = parsePath(path);
    const open = buckets.get(bucket);
    if (!open) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    const cors = corsHeaders(open.resource.cors, request);
    if (request.method === 'OPTIONS') {
      return cors
        ? { status: 200, headers: cors }
        : xml(403, errorElement('AccessForbidden', 'CORSResponse'));
    }
    const done = await respondSigned(request, open, bucket, key, query).catch(toErrorResponse);
    return { ...done, headers: { ...done.headers, ...cors } };
  }

  async function respondSigned(
    request: IncomingMessage,
    { storage }: OpenBucket,
    bucket: string,
    key: string,
    query: URLSearchParams,
  ): Promise<S3Response> {
    const { method = 'GET', headers } = request;
    checkSignature({ method, target: request.url ?? '/', headers }, now());
    const name = operationOf(method, key, query, headers);
    const run = OPERATIONS[name];
    if (!run || String(headers['x-amz-content-sha256']).startsWith('STREAMING')) {
      throw new S3Error(501, 'NotImplemented', `The local S3 does not support ${name}`);
    }
    count(name, request);
    return run({ ...unsignedRequest(storage, bucket, key, request), query });
  }

  function unsignedRequest(
    storage: ObjectStorage,
    bucket: string,
    key: string,
    request: IncomingMessage,
  ): S3Request {
    return {
      storage,
      bucket,
      key,
      query: new URLSearchParams(),
      headers: request.headers,
      body: request,
      text: async () => (await readBody(request)).toString(),
      source: pathAndKey => {
        const from = parsePath(pathAndKey.startsWith('/') ? pathAndKey : `/${pathAndKey}`);
        return buckets.get(from.bucket)?.storage.get(from.key) ?? null;
      },
    };
  }

  return {
    createBucket: resource => {
      const storage = openObjectStorage(join(folder, resource.name), resource.name, store, now);
      buckets.set(resource.name, { resource, storage });
      return storage;
    },
    serves: path => buckets.has(parsePath(path).bucket),
    handle: async (request, response) => {
      // Clients correct their clock skew by this header.
      response.setHeader('date', new Date(now()).toUTCString());
      await send(request, response, await respond(request).catch(toErrorResponse));
    },
    read: async (bucket, key, request) => {
      const open = buckets.get(bucket);
      const run = OPERATIONS[request.method === 'HEAD' ? 'HeadObject' : 'GetObject'];
      if (!open || !run) return toErrorResponse(new S3Error(403, 'AccessDenied', 'Access Denied'));
      return Promise.resolve()
        .then(() => run(unsignedRequest(open.storage, bucket, key, request)))
        .catch(toErrorResponse);
    },
    applyLifecycle: async () => {
      for (const { storage, resource } of buckets.values())
        await applyBucketLifecycle(storage, resource.lifecycle, now());
    },
  };
}

/** Sends a response and discards the rest of the request body. */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  result: S3Response,
): Promise<void> {
  response.writeHead(result.status, result.headers);
  if (result.body instanceof Readable) {
    // The client may have disconnected.
    await pipeline(result.body, response).catch(() => response.destroy());
  } else {
    response.end(request.method === 'HEAD' ? undefined : result.body);
  }
  request.resume();
}

function locate(request: IncomingMessage): { path: string; query: URLSearchParams } {
  const [path = '/', query = ''] = (request.url ?? '/').split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

/** Splits `/bucket/some/key` into bucket and decoded key. */
function parsePath(path: string): { bucket: string; key: string } {
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

const errorElement = (code: string, message: string) =>
  element('Error', element('Code', code), element('Message', message));

function toErrorResponse(error: unknown): S3Response {
  if (error instanceof S3Error) return xml(error.status, errorElement(error.code, error.message));
  console.error('Unexpected error in the local S3:', error);
  return xml(500, errorElement('InternalError', 'We encountered an internal error. Please try again.'));
}
