import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import type { LocalStore } from '../store.ts';
import type { ByteRange } from './range.ts';

const SegmentSchema = v.object({ file: v.string(), size: v.number() });
type Segment = v.InferOutput<typeof SegmentSchema>;

const MetaSchema = v.object({
  type: v.string(),
  /** Headers returned with the object: cache-control, content-disposition, x-amz-meta-…. */
  headers: v.record(v.string(), v.string()),
});
export type Meta = v.InferOutput<typeof MetaSchema>;

const ObjectSchema = v.object({
  ...MetaSchema.entries,
  /** Files that hold the bytes, in order: a multipart object keeps its parts as separate files. */
  segments: v.array(SegmentSchema),
  size: v.number(),
  etag: v.string(),
  /** Epoch milliseconds. */
  modified_at: v.number(),
});
export type StoredObject = v.InferOutput<typeof ObjectSchema>;

const PartSchema = v.object({ ...SegmentSchema.entries, etag: v.string() });
export type Part = v.InferOutput<typeof PartSchema>;

const UploadSchema = v.object({
  ...MetaSchema.entries,
  key: v.string(),
  /** Epoch milliseconds. */
  initiated_at: v.number(),
});
export type MultipartUpload = v.InferOutput<typeof UploadSchema>;

/** Content of a bucket: bytes in files, metadata in collections. Writes are atomic. */
export interface ObjectStorage {
  get: (key: string) => StoredObject | null;
  list: () => { key: string; object: StoredObject }[];
  read: (object: StoredObject, range: ByteRange | null) => Readable;
  /** Stores a stream of bytes that belongs to no key yet. */
  write: (bytes: Readable) => Promise<Part>;
  put: (key: string, meta: Meta, parts: readonly Part[], etag: string) => Promise<void>;
  copy: (from: StoredObject, range: ByteRange | null) => Promise<Part>;
  delete: (key: string) => Promise<void>;
  drop: (segment: Segment) => Promise<void>;
  uploads: {
    begin: (key: string, meta: Meta) => string;
    get: (id: string) => MultipartUpload | null;
    all: () => { id: string; upload: MultipartUpload }[];
    setPart: (id: string, number: number, part: Part) => Promise<void>;
    /** By number. */
    parts: (id: string) => Map<number, Part>;
    /** Deletes the upload and the parts that are not in `kept`. */
    end: (id: string, kept: readonly Part[]) => Promise<void>;
  };
}

export function openObjectStorage(
  folder: string,
  bucket: string,
  store: LocalStore,
  now: () => number,
): ObjectStorage {
  mkdirSync(folder, { recursive: true });
  const objects = store.collection(`s3-object:${bucket}`, ObjectSchema);
  const uploads = store.collection(`s3-upload:${bucket}`, UploadSchema);
  const partsOf = (id: string) => store.collection(`s3-part:${id}`, PartSchema);
  const path = ({ file }: Pick<Segment, 'file'>) => join(folder, file);
  const drop = (segment: Segment) => rm(path(segment), { force: true });
  const dropAll = (segments: readonly Segment[]) => Promise.all(segments.map(drop));

  async function write(bytes: Readable): Promise<Part> {
    const file = randomUUID();
    const hash = createHash('md5');
    let size = 0;
    const meter = new Transform({
      transform: (chunk: Buffer, _, done) => {
        hash.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    try {
      await pipeline(bytes, meter, createWriteStream(path({ file })));
    } catch (error) {
      await rm(path({ file }), { force: true });
      throw error;
    }
    return { file, size, etag: hash.digest('hex') };
  }

  async function replace(key: string, object: StoredObject): Promise<void> {
    const old = objects.get(key);
    objects.set(key, object);
    if (old) await dropAll(old.segments);
  }

  return {
    get: key => objects.get(key),
    list: () => objects.all().map(({ name, value }) => ({ key: name, object: value })),
    read: (object, range) => Readable.from(bytesOf(object, range ?? { start: 0, end: object.size }, path)),
    write,
    put: (key, meta, parts, etag) =>
      replace(key, {
        ...meta,
        segments: parts.map(({ file, size }) => ({ file, size })),
        size: parts.reduce((sum, { size }) => sum + size, 0),
        etag,
        modified_at: now(),
      }),
    copy: async (from, range) => {
      const [only, ...others] = from.segments;
      if (!only || others.length > 0 || range) {
        return write(Readable.from(bytesOf(from, range ?? { start: 0, end: from.size }, path)));
      }
      const file = randomUUID();
      await copyFile(path(only), path({ file }));
      return { file, size: only.size, etag: from.etag };
    },
    delete: async key => {
      const object = objects.get(key);
      if (!object) return;
      objects.delete(key);
      await dropAll(object.segments);
    },
    drop,
    uploads: {
      begin: (key, meta) => {
        const id = randomUUID();
        uploads.set(id, { ...meta, key, initiated_at: now() });
        return id;
      },
      get: id => uploads.get(id),
      all: () => uploads.all().map(({ name, value }) => ({ id: name, upload: value })),
      setPart: async (id, number, part) => {
        const old = partsOf(id).get(String(number));
        partsOf(id).set(String(number), part);
        if (old) await drop(old);
      },
      parts: id =>
        new Map(
          partsOf(id)
            .all()
            .map(({ name, value }) => [Number(name), value] as const)
            .sort(([a], [b]) => a - b),
        ),
      end: async (id, kept) => {
        const stored = partsOf(id);
        const parts = stored.all();
        uploads.delete(id);
        for (const { name } of parts) stored.delete(name);
        const files = new Set(kept.map(({ file }) => file));
        await dropAll(parts.map(({ value }) => value).filter(({ file }) => !files.has(file)));
      },
    },
  };
}

/** Yields the bytes of a range across the files that hold them. */
async function* bytesOf(
  { segments }: StoredObject,
  { start, end }: ByteRange,
  path: (segment: Segment) => string,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const segment of segments) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, segment.size);
    offset += segment.size;
    if (from >= to) continue;
    for await (const chunk of createReadStream(path(segment), { start: from, end: to - 1 })) {
      const bytes: unknown = chunk;
      if (Buffer.isBuffer(bytes)) yield bytes;
    }
  }
}
