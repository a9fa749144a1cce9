import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  HttpMethods,
  type IBucket,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { COPIES, DERIVED, PENDING, PUBLIC } from '../shared/store/objects.ts';
import type { ServiceFunction } from './functions.ts';

/** The actions on objects that the service knows. `ListBucket` tells a missing object from a forbidden one. */
export type ObjectAction =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'
  | 'ListBucket';

/** An upload that nobody confirmed is worth nothing after a day. */
const PENDING_DAYS = 1;
/** What a platform was given is made again where it is needed once more. */
const DERIVED_DAYS = 30;
/** A post waits for a year at most; its copies go with it, and this rule takes what was forgotten. */
const COPIES_DAYS = 400;

/**
 * Where media lie: a private bucket, and a CDN in front that serves what lies below `public/` under keys that nobody
 * can guess. The bucket outlives its stack.
 */
export class MediaBucket extends Construct {
  readonly bucket: Bucket;
  /** Root of all public addresses. */
  readonly url: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // A browser may put a file to an address that was signed for it, and a tool may see what became of each part.
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
    const distribution = new Distribution(this, 'Cdn', {
      comment: 'Media of posts',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(asInterface(this.bucket), {
          originPath: `/${PUBLIC.slice(0, -1)}`,
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.headers(),
        // Video does not get smaller, and a compressed answer knows no ranges.
        compress: false,
      },
      // An address that is told before its file has come must work as soon as it has.
      errorResponses: [{ httpStatus: 403, ttl: Duration.seconds(0) }],
    });
    this.url = `https://${distribution.distributionDomainName}`;
    this.acknowledge();
  }

  /** Tells the function the bucket, and lets it do just these actions on objects. */
  open(to: ServiceFunction, ...actions: ObjectAction[]): void {
    const onObjects = actions.filter(action => action !== 'ListBucket').map(action => `s3:${action}`);
    to.set(ENV.mediaBucket, this.bucket.bucketName).set(ENV.mediaUrl, this.url);
    if (onObjects.length > 0) to.allow(onObjects, this.bucket.arnForObjects('*'));
    if (actions.includes('ListBucket')) to.allow(['s3:ListBucket'], this.bucket.bucketArn);
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${this.logicalId()}.Arn>/*]`,
      reason:
        'Keys of objects are drawn at random: the bucket is the narrowest thing that can be named here.',
    });
  }

  private logicalId(): string {
    const resource = this.bucket.node.defaultChild;
    if (!(resource instanceof CfnBucket)) throw new Error('The bucket has no resource');
    return Stack.of(this).getLogicalId(resource);
  }

  /** What comes from users is shown as what it is, or not at all, and runs nothing. */
  private headers(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        contentSecurityPolicy: { contentSecurityPolicy: "default-src 'none'; sandbox", override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
      },
      corsBehavior: {
        accessControlAllowCredentials: false,
        accessControlAllowHeaders: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowOrigins: ['*'],
        originOverride: true,
      },
    });
  }

  private acknowledge(): void {
    const reasons = {
      'AwsSolutions-S1': 'Who fetches media is nobody whom a log of each request would help.',
      'AwsSolutions-CFR1': 'Platforms fetch media from wherever they are.',
      'AwsSolutions-CFR2':
        'Files under unguessable names, read only: there is nothing that a firewall could keep out.',
      'AwsSolutions-CFR3': 'Who fetches media is nobody whom a log of each request would help.',
      'AwsSolutions-CFR4':
        "The certificate is CloudFront's own; its domain takes TLS 1.0 whatever is asked for.",
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(this).acknowledge({ id, reason });
  }
}

/** The class leaves open what its interface wants to know (under `exactOptionalPropertyTypes`). */
function asInterface(bucket: object): IBucket {
  if (isBucket(bucket)) return bucket;
  throw new Error('This is no bucket');
}

function isBucket(bucket: object): bucket is IBucket {
  return bucket instanceof Bucket;
}
