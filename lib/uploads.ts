import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { MediaBucket } from './media-bucket.ts';
import type { ServiceTable } from './table.ts';
import { workOff, WorkQueue } from './work-queue.ts';

/** Files on their way into the bucket: imports, confirmations of large uploads, copies for posts that wait. */
export class Uploads extends Construct {
  readonly notes: WorkQueue;

  constructor(scope: Construct, id: string, { table, media }: { table: ServiceTable; media: MediaBucket }) {
    super(scope, id);
    const size = SIZES['media-importer'];
    this.notes = new WorkQueue(this, 'Media', { name: 'media', worker_timeout_s: size.timeout_s });
    const importer = new ServiceFunction(this, 'Importer', { bundle: 'media-importer', ...size });
    table.open(importer, 'GetItem', 'PutItem', 'DeleteItem');
    media.open(
      importer,
      'GetObject',
      'ListBucket',
      'PutObject',
      'DeleteObject',
      'AbortMultipartUpload',
      'ListMultipartUploadParts',
    );
    this.openForSending(importer);
    workOff(this.notes.queue, importer, { batchSize: 1, maxConcurrency: 20 });
  }

  /** Lets the function leave notes for the importer. */
  openForSending(to: ServiceFunction): void {
    this.notes.openForSending(to, ENV.mediaQueueUrl);
  }
}
