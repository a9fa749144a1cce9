import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { ObjectStorage, Meta, MultipartUpload, Part, StoredObject } from './storage.ts';
import { invalidArgument, noSuchKey, noSuchUpload, preconditionFailed, S3Error } from './errors.ts';
import { parseRange, type ByteRange } from './range.ts';
import type { S3Response } from './response.ts';
import { element, list, textOf, xml } from './xml.ts';

export interface S3Request {
  storage: ObjectStorage;
  bucket: string;
  /** Empty for a request to the bucket. */
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Readable;
  /** Reads the body as text. */
  text: () => Promise<string>;
  /** The source object of a copy; null if it does not exist. */
  source: (pathAndKey: string) => StoredObject | null;
}

type Operation = (request: S3Request) => S3Response | Promise<S3Response>;

/** Limits of S3. */
const MAX_PUT = 5 * 1024 ** 3;
const MIN_PART = 5 * 1024 ** 2;
const MAX_PARTS = 10_000;
const PAGE = 1000;

/** The S3 operations that the service calls, by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  PutObject: async ({ storage, key, headers, body }) => {
    assertLength(headers);
    if (headers['if-none-match'] === '*' && storage.get(key)) throw preconditionFailed();
    const part = await storage.write(body);
    await storage.put(key, metadataOf(headers), [part], part.etag);
    return { status: 200, headers: { etag: quoted(part.etag) } };
  },

  CopyObject: async ({ storage, key, headers, source }) => {
    const from = copySource(headers, source);
    if (from.size > MAX_PUT) throw invalidArgument('The source is larger than 5 GB');
    const part = await storage.copy(from, null);
    const meta = headers['x-amz-metadata-directive'] === 'REPLACE' ? metadataOf(headers) : from;
    await storage.put(key, { type: meta.type, headers: meta.headers }, [part], part.etag);
    return xml(200, element('CopyObjectResult', element('ETag', quoted(part.etag))));
  },

  GetObject: ({ storage, key, headers }) => {
    const { object, range, response } = findObject(storage, key, headers);
    return { ...response, body: storage.read(object, range) };
  },

  HeadObject: ({ storage, key, headers }) => findObject(storage, key, headers).response,

  DeleteObject: async ({ storage, key }) => {
    await storage.delete(key);
    return { status: 204 };
  },

  ListObjectsV2: ({ storage, bucket, query }) => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const all = storage.list().filter(({ key }) => key.startsWith(prefix) && key > after);
    const page = all.slice(0, Number(query.get('max-keys') ?? PAGE));
    const truncated = page.length < all.length;
    return xml(
      200,
      element(
        'ListBucketResult',
        element('Name', bucket),
        element('Prefix', prefix),
        element('KeyCount', page.length),
        element('IsTruncated', truncated),
        ...(truncated ? [element('NextContinuationToken', page.at(-1)?.key ?? '')] : []),
        ...page.map(({ key, object }) =>
          element(
            'Contents',
            element('Key', key),
            element('LastModified', new Date(object.modified_at).toISOString()),
            element('ETag', quoted(object.etag)),
            element('Size', object.size),
          ),
        ),
      ),
    );
  },

  CreateMultipartUpload: ({ storage, bucket, key, headers }) => {
    const id = storage.uploads.begin(key, metadataOf(headers));
    return xml(
      200,
      element(
        'InitiateMultipartUploadResult',
        element('Bucket', bucket),
        element('Key', key),
        element('UploadId', id),
      ),
    );
  },

  UploadPart: async request => {
    const { id, number } = partOf(request);
    assertLength(request.headers);
    const part = await request.storage.write(request.body);
    await request.storage.uploads.setPart(id, number, part);
    return { status: 200, headers: { etag: quoted(part.etag) } };
  },

  UploadPartCopy: async request => {
    const { id, number } = partOf(request);
    const from = copySource(request.headers, request.source);
    const range = parseRange(String(request.headers['x-amz-copy-source-range'] ?? ''), from.size);
    if (range === 'outside') throw invalidArgument('The range is not valid for the source');
    const part = await request.storage.copy(from, range);
    await request.storage.uploads.setPart(id, number, part);
    return xml(200, element('CopyPartResult', element('ETag', quoted(part.etag))));
  },

  ListParts: request => {
    const { id } = findUpload(request);
    const after = Number(request.query.get('part-number-marker') ?? 0);
    const all = [...request.storage.uploads.parts(id)].filter(([number]) => number > after);
    const page = all.slice(0, Number(request.query.get('max-parts') ?? PAGE));
    return xml(
      200,
      element(
        'ListPartsResult',
        element('UploadId', id),
        element('IsTruncated', page.length < all.length),
        element('NextPartNumberMarker', page.at(-1)?.[0] ?? 0),
        ...page.map(([number, { etag, size }]) =>
          element(
            'Part',
            element('PartNumber', number),
            element('ETag', quoted(etag)),
            element('Size', size),
          ),
        ),
      ),
    );
  },

  CompleteMultipartUpload: async request => {
    const { id, upload } = findUpload(request);
    const named = list(await request.text(), 'Part').map(part => ({
      number: Number(textOf(part, 'PartNumber')),
      etag: textOf(part, 'ETag').replaceAll('&quot;', '').replaceAll('"', ''),
    }));
    const parts = selectParts(request.storage.uploads.parts(id), named);
    const etag = `${md5Of(parts)}-${parts.length}`;
    await request.storage.put(upload.key, { type: upload.type, headers: upload.headers }, parts, etag);
    await request.storage.uploads.end(id, parts);
    return xml(
      200,
      element('CompleteMultipartUploadResult', element('Key', upload.key), element('ETag', quoted(etag))),
    );
  },

  AbortMultipartUpload: async request => {
    await request.storage.uploads.end(findUpload(request).id, []);
    return { status: 204 };
  },
};

/** Name of the S3 operation that a request calls. */
export function operationOf(
  method: string,
  key: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): string {
  const copies = headers['x-amz-copy-source'] !== undefined;
  const inUpload = query.has('uploadId');
  if (method === 'PUT' && inUpload) return copies ? 'UploadPartCopy' : 'UploadPart';
  if (method === 'PUT') return copies ? 'CopyObject' : 'PutObject';
  if (method === 'POST' && query.has('uploads')) return 'CreateMultipartUpload';
  if (method === 'POST' && inUpload) return 'CompleteMultipartUpload';
  if (method === 'DELETE') return inUpload ? 'AbortMultipartUpload' : 'DeleteObject';
  if (method === 'GET' && key === '') return 'ListObjectsV2';
  if (method === 'GET') return inUpload ? 'ListParts' : 'GetObject';
  return method === 'HEAD' ? 'HeadObject' : method;
}

function findObject(
  storage: ObjectStorage,
  key: string,
  headers: IncomingHttpHeaders,
): { object: StoredObject; range: ByteRange | null; response: S3Response } {
  const object = storage.get(key);
  if (!object) throw noSuchKey();
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== quoted(object.etag)) throw preconditionFailed();
  const range = parseRange(headers.range, object.size);
  if (range === 'outside') throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
  const { start, end } = range ?? { start: 0, end: object.size };
  return {
    object,
    range,
    response: {
      status: range ? 206 : 200,
      headers: {
        ...object.headers,
        'content-type': object.type,
        'content-length': String(end - start),
        'accept-ranges': 'bytes',
        etag: quoted(object.etag),
        'last-modified': new Date(object.modified_at).toUTCString(),
        ...(range && { 'content-range': `bytes ${start}-${end - 1}/${object.size}` }),
      },
    },
  };
}

function copySource(headers: IncomingHttpHeaders, source: S3Request['source']): StoredObject {
  const from = source(decodeURIComponent(String(headers['x-amz-copy-source'])));
  if (!from) throw noSuchKey();
  const wanted = headers['x-amz-copy-source-if-match'];
  if (wanted !== undefined && wanted !== quoted(from.etag)) throw preconditionFailed();
  return from;
}

function findUpload({ storage, key, query }: S3Request): { id: string; upload: MultipartUpload } {
  const id = query.get('uploadId') ?? '';
  const upload = storage.uploads.get(id);
  if (upload?.key !== key) throw noSuchUpload();
  return { id, upload };
}

function partOf(request: S3Request): { id: string; number: number } {
  const number = Number(request.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) {
    throw invalidArgument('Part number must be an integer between 1 and 10000');
  }
  return { id: findUpload(request).id, number };
}

/** Parts named by CompleteMultipartUpload. Throws if order, ETags or sizes are wrong. */
function selectParts(
  parts: ReadonlyMap<number, Part>,
  named: readonly { number: number; etag: string }[],
): Part[] {
  if (named.length === 0)
    throw new S3Error(
      400,
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    );
  return named.map(({ number, etag }, index) => {
    const part = parts.get(number);
    if (part?.etag !== etag)
      throw new S3Error(
        400,
        'InvalidPart',
        'One or more of the specified parts could not be found or its ETag does not match',
      );
    if (index > 0 && number <= (named[index - 1]?.number ?? 0)) {
      throw new S3Error(400, 'InvalidPartOrder', 'The list of parts was not in ascending order');
    }
    if (part.size < MIN_PART && index < named.length - 1) {
      throw new S3Error(
        400,
        'EntityTooSmall',
        'Your proposed upload is smaller than the minimum allowed size',
      );
    }
    return part;
  });
}

function assertLength(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] === undefined) {
    throw new S3Error(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  if (Number(headers['content-length']) > MAX_PUT) {
    throw new S3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
  }
}

const KEPT_HEADERS = /^(cache-control|content-disposition|content-language|x-amz-meta-.+)$/;

function metadataOf(headers: IncomingHttpHeaders): Meta {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
  return {
    type: headers['content-type'] ?? 'binary/octet-stream',
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
  };
}

const quoted = (etag: string) => `"${etag}"`;

function md5Of(parts: readonly Part[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'));
  return hash.digest('hex');
}
