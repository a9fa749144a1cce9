import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { COPIES, DERIVED, PENDING } from '../shared/store/objects.ts';

/** Uploads that were not confirmed expire. */
const PENDING_DAYS = 1;
/** Converted images can be created again when they are needed. */
const DERIVED_DAYS = 30;
/** Posts are scheduled at most a year ahead and delete their copies; this rule removes copies that were left behind. */
const COPIES_DAYS = 400;

/** Lets a bucket policy allow public reads, but no access control list. */
const BLOCK_PUBLIC_ACLS = new BlockPublicAccess({
  blockPublicAcls: true,
  ignorePublicAcls: true,
  blockPublicPolicy: false,
  restrictPublicBuckets: false,
});

/** Creates the media bucket. `isPublic`: whether its policy may allow public reads. */
export function createBucket(scope: Construct, { isPublic }: { isPublic: boolean }): Bucket {
  return new Bucket(scope, 'Bucket', {
    blockPublicAccess: isPublic ? BLOCK_PUBLIC_ACLS : BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // Browsers upload to presigned URLs and read the ETag of each part.
    cors: [
      {
        allowedMethods: [HttpMethods.PUT],
        allowedOrigins: ['*'],
        allowedHeaders: ['content-type'],
        exposedHeaders: ['ETag'],
        maxAge: 3600,
      },
    ],
    lifecycleRules: [
      { prefix: PENDING, expiration: Duration.days(PENDING_DAYS) },
      { prefix: DERIVED, expiration: Duration.days(DERIVED_DAYS) },
      { prefix: COPIES, expiration: Duration.days(COPIES_DAYS) },
      { abortIncompleteMultipartUploadAfter: Duration.days(PENDING_DAYS) },
    ],
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
