import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { ServiceFunction, SIZES } from './functions.ts';
import type { MediaBucket } from './media-bucket.ts';
import type { ServiceTable } from './table.ts';
import type { DeadLetters } from './work-queue.ts';

export interface UploadsProps {
  table: ServiceTable;
  media: MediaBucket;
  deadLetters: DeadLetters;
}

/** Imports files into the bucket: from URLs, large confirmed uploads, and copies of external media of scheduled posts. */
export class Uploads extends Construct {
  private readonly importer: ServiceFunction;
  private readonly media: MediaBucket;

  constructor(scope: Construct, id: string, { table, media, deadLetters }: UploadsProps) {
    super(scope, id);
    this.media = media;
    const importer = new ServiceFunction(this, 'Importer', {
      bundle: 'media-importer',
      ...SIZES['media-importer'],
    }).workInBackground(deadLetters);
    this.importer = importer;
    table.grant(importer, 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem');
    media.grant(
      importer,
      'GetObject',
      'ListBucket',
      'PutObject',
      'DeleteObject',
      'AbortMultipartUpload',
      'ListMultipartUploadParts',
    );
  }

  /** Lets the function start imports. */
  grantStart(to: ServiceFunction): void {
    this.importer.grantInvoke(to, ENV.mediaImporter);
  }

  /** Lets the function ask the importer to delete copies. It tells copies from uploads by the URL of the bucket. */
  grantReleaseCopies(to: ServiceFunction): void {
    this.media.grant(to);
    this.grantStart(to);
  }
}
