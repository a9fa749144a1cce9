import type { Readable } from 'node:stream';

export interface S3Response {
  status: number;
  headers?: Record<string, string>;
  body?: string | Readable;
}
