import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Disk, Meta, MultipartUpload, Part, StoredObject } from './disk.ts';
import { invalidArgument, noSuchKey, noSuchUpload, preconditionFailed, S3Error } from './errors.ts';
import { spanOf, type Span } from './range.ts';
import { element, list, textOf, xml } from './xml.ts';

export interface S3Request {
  disk: Disk;
  bucket: string;
  /** Empty for the bucket itself. */
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Readable;
  /** The small body of a request that names parts. */
  text: () => Promise<string>;
  /** The object that a copy is made of; its bucket is the only one. */
  source: (pathAndKey: string) => StoredObject | null;
}

export interface S3Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Readable;
}

type Operation = (request: S3Request) => S3Answer | Promise<S3Answer>;

/** S3's own limits. */
const MAX_PUT = 5 * 1024 ** 3;
const MIN_PART = 5 * 1024 ** 2;
const MAX_PARTS = 10_000;
const PAGE = 1000;

/** The operations that the service calls, by the names that S3 has for them. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  PutObject: async ({ disk, key, headers, body }) => {
    assertLength(headers);
    if (headers['if-none-match'] === '*' && disk.get(key)) throw preconditionFailed();
    const part = await disk.take(body);
    await disk.put(key, metaOf(headers), [part], part.etag);
    return { status: 200, headers: { etag: quoted(part.etag) } };
  },

  CopyObject: async ({ disk, key, headers, source }) => {
    const from = copied(headers, source);
    if (from.size > MAX_PUT) throw invalidArgument('The source is larger than 5 GB');
    const part = await disk.copy(from, null);
    const meta = headers['x-amz-metadata-directive'] === 'REPLACE' ? metaOf(headers) : from;
    await disk.put(key, { type: meta.type, headers: meta.headers }, [part], part.etag);
    return xml(200, element('CopyObjectResult', element('ETag', quoted(part.etag))));
  },

  GetObject: ({ disk, key, headers }) => {
    const { object, span, answer } = found(disk, key, headers);
    return { ...answer, body: disk.read(object, span) };
  },

  HeadObject: ({ disk, key, headers }) => found(disk, key, headers).answer,

  DeleteObject: async ({ disk, key }) => {
    await disk.delete(key);
    return { status: 204 };
  },

  ListObjectsV2: ({ disk, bucket, query }) => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const all = disk.list().filter(({ key }) => key.startsWith(prefix) && key > after);
    const page = all.slice(0, Number(query.get('max-keys') ?? PAGE));
    const more = page.length < all.length;
    return xml(
      200,
      element(
        'ListBucketResult',
        element('Name', bucket),
        element('Prefix', prefix),
        element('KeyCount', page.length),
        element('IsTruncated', more),
        ...(more ? [element('NextContinuationToken', page.at(-1)?.key ?? '')] : []),
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

  CreateMultipartUpload: ({ disk, bucket, key, headers }) => {
    const id = disk.uploads.begin(key, metaOf(headers));
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
    const { id, number } = partPlace(request);
    assertLength(request.headers);
    const part = await request.disk.take(request.body);
    await request.disk.uploads.setPart(id, number, part);
    return { status: 200, headers: { etag: quoted(part.etag) } };
  },

  UploadPartCopy: async request => {
    const { id, number } = partPlace(request);
    const from = copied(request.headers, request.source);
    const span = spanOf(String(request.headers['x-amz-copy-source-range'] ?? ''), from.size);
    if (span === 'outside') throw invalidArgument('The range is not valid for the source');
    const part = await request.disk.copy(from, span);
    await request.disk.uploads.setPart(id, number, part);
    return xml(200, element('CopyPartResult', element('ETag', quoted(part.etag))));
  },

  ListParts: request => {
    const { id } = begun(request);
    const after = Number(request.query.get('part-number-marker') ?? 0);
    const all = [...request.disk.uploads.parts(id)].filter(([number]) => number > after);
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
    const { id, upload } = begun(request);
    const named = list(await request.text(), 'Part').map(part => ({
      number: Number(textOf(part, 'PartNumber')),
      etag: textOf(part, 'ETag').replaceAll('&quot;', '').replaceAll('"', ''),
    }));
    const parts = chosenParts(request.disk.uploads.parts(id), named);
    const etag = `${md5Of(parts)}-${parts.length}`;
    await request.disk.put(upload.key, { type: upload.type, headers: upload.headers }, parts, etag);
    await request.disk.uploads.end(id, parts);
    return xml(
      200,
      element('CompleteMultipartUploadResult', element('Key', upload.key), element('ETag', quoted(etag))),
    );
  },

  AbortMultipartUpload: async request => {
    await request.disk.uploads.end(begun(request).id, []);
    return { status: 204 };
  },
};

/** Which operation a request is. */
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

function found(
  disk: Disk,
  key: string,
  headers: IncomingHttpHeaders,
): { object: StoredObject; span: Span | null; answer: S3Answer } {
  const object = disk.get(key);
  if (!object) throw noSuchKey();
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== quoted(object.etag)) throw preconditionFailed();
  const span = spanOf(headers.range, object.size);
  if (span === 'outside') throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
  const { start, end } = span ?? { start: 0, end: object.size };
  return {
    object,
    span,
    answer: {
      status: span ? 206 : 200,
      headers: {
        ...object.headers,
        'content-type': object.type,
        'content-length': String(end - start),
        'accept-ranges': 'bytes',
        etag: quoted(object.etag),
        'last-modified': new Date(object.modified_at).toUTCString(),
        ...(span && { 'content-range': `bytes ${start}-${end - 1}/${object.size}` }),
      },
    },
  };
}

function copied(headers: IncomingHttpHeaders, source: S3Request['source']): StoredObject {
  const from = source(decodeURIComponent(String(headers['x-amz-copy-source'])));
  if (!from) throw noSuchKey();
  const wanted = headers['x-amz-copy-source-if-match'];
  if (wanted !== undefined && wanted !== quoted(from.etag)) throw preconditionFailed();
  return from;
}

function begun({ disk, key, query }: S3Request): { id: string; upload: MultipartUpload } {
  const id = query.get('uploadId') ?? '';
  const upload = disk.uploads.get(id);
  if (upload?.key !== key) throw noSuchUpload();
  return { id, upload };
}

function partPlace(request: S3Request): { id: string; number: number } {
  const number = Number(request.query.get('partNumber'));
  if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS) {
    throw invalidArgument('Part number must be an integer between 1 and 10000');
  }
  return { id: begun(request).id, number };
}

/** The parts that complete an upload: named in order, as they were taken, and none too small but the last. */
function chosenParts(
  parts: ReadonlyMap<number, Part>,
  named: readonly { number: number; etag: string }[],
): Part[] {
  if (named.length === 0) throw new S3Error(400, 'MalformedXML', 'No part is named');
  return named.map(({ number, etag }, index) => {
    const part = parts.get(number);
    if (part?.etag !== etag) throw new S3Error(400, 'InvalidPart', `Part ${number} is not as named`);
    if (index > 0 && number <= (named[index - 1]?.number ?? 0)) {
      throw new S3Error(400, 'InvalidPartOrder', 'The parts must be named in ascending order');
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

function metaOf(headers: IncomingHttpHeaders): Meta {
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
