import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { MediaBucket } from './media-bucket.ts';
import type { ServiceTable } from './table.ts';
import { consume, WorkQueue } from './work-queue.ts';

/** Imports files into the bucket: from URLs, large confirmed uploads, and copies of external media of scheduled posts. */
export class Uploads extends Construct {
  readonly queue: WorkQueue;

  private readonly media: MediaBucket;

  constructor(scope: Construct, id: string, { table, media }: { table: ServiceTable; media: MediaBucket }) {
    super(scope, id);
    this.media = media;
    const size = SIZES['media-importer'];
    this.queue = new WorkQueue(this, 'Media', { name: 'media', worker_timeout_s: size.timeout_s });
    const importer = new ServiceFunction(this, 'Importer', {
      bundle: 'media-importer',
      ...size,
      recursive: true,
    });
    table.grant(importer, 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem');
    media.grant(
      importer,
      'GetObject',
      'ListBucket',
      'PutObject',
      'DeleteObject',
      'AbortMultipartUpload',
      'ListMultipartUploadParts',
    );
    this.grantSend(importer);
    consume(this.queue.queue, importer, { batchSize: 1, maxConcurrency: 20 });
  }

  /** Lets the function send messages to the media queue. */
  grantSend(to: ServiceFunction): void {
    this.queue.grantSend(to, ENV.mediaQueueUrl);
  }

  /** Lets the function ask the importer to delete copies. It tells copies from uploads by the URL of the bucket. */
  grantReleaseCopies(to: ServiceFunction): void {
    this.media.grant(to);
    this.grantSend(to);
  }
}
