import {
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { Bucket } from '../../shared/store/objects.ts';

export interface MemoryBucket extends Bucket {
  objects: Map<string, { bytes: Buffer; type: string }>;
  /** Makes every request fail. */
  fail: (why: Error | null) => void;
}

/** Returns an in-memory bucket with the S3 commands that publishers use. */
export function memoryBucket(): MemoryBucket {
  const objects: MemoryBucket['objects'] = new Map();
  let failure: Error | null = null;
  const send = (command: unknown): Promise<unknown> => {
    if (failure) return Promise.reject(failure);
    if (command instanceof PutObjectCommand) {
      const { Key, Body, ContentType } = command.input;
      objects.set(Key!, { bytes: Buffer.from(Body as Uint8Array), type: ContentType! });
      return Promise.resolve({});
    }
    if (command instanceof HeadObjectCommand || command instanceof GetObjectCommand) {
      const found = objects.get(command.input.Key!);
      if (!found) return Promise.reject(new NotFound({ message: 'NotFound', $metadata: {} }));
      const head = { ContentLength: found.bytes.length, ContentType: found.type, ETag: '"1"' };
      const range = command instanceof GetObjectCommand ? command.input.Range : undefined;
      const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
      const part = found.bytes.subarray(Number(start ?? 0), end ? Number(end) + 1 : undefined);
      return Promise.resolve({ ...head, Body: Readable.from([part]) });
    }
    return Promise.reject(new Error('The in-memory bucket does not support this command'));
  };
  return {
    client: { send } as unknown as S3Client,
    name: 'media',
    publicUrl: 'https://media.example.com',
    objects,
    fail: why => (failure = why),
  };
}
