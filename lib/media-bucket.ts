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
import type { Grantee } from './functions.ts';

/** The S3 actions that the service uses. With `ListBucket`, S3 answers 404 for a missing object, otherwise 403. */
export type ObjectAction =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'
  | 'ListBucket';

/** Uploads that were not confirmed expire. */
const PENDING_DAYS = 1;
/** Converted images can be created again when they are needed. */
const DERIVED_DAYS = 30;
/** Posts are scheduled at most a year ahead and delete their copies; this rule removes copies that were left behind. */
const COPIES_DAYS = 400;

/**
 * The media bucket: private, with a CDN in front that serves the objects below `public/`, whose keys cannot be guessed.
 * The bucket is retained when the stack is deleted.
 */
export class MediaBucket extends Construct {
  readonly bucket: Bucket;
  /** Base of all public URLs. */
  readonly url: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
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
    const distribution = new Distribution(this, 'Cdn', {
      comment: 'Media of posts',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(asInterface(this.bucket), {
          originPath: `/${PUBLIC.slice(0, -1)}`,
        }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.headers(),
        // Media do not compress further, and compressed responses do not support ranges.
        compress: false,
      },
      // Presign returns the public URL before the file is uploaded: it must work as soon as the file exists.
      errorResponses: [{ httpStatus: 403, ttl: Duration.seconds(0) }],
    });
    this.url = `https://${distribution.distributionDomainName}`;
    this.acknowledge();
  }

  /** Allows these actions and sets the environment variables of the bucket. */
  grant(to: Grantee, ...actions: ObjectAction[]): void {
    const onObjects = actions.filter(action => action !== 'ListBucket').map(action => `s3:${action}`);
    to.addEnvironment(ENV.mediaBucket, this.bucket.bucketName).addEnvironment(ENV.mediaUrl, this.url);
    if (onObjects.length > 0) to.allow(onObjects, this.bucket.arnForObjects('*'));
    if (actions.includes('ListBucket')) to.allow(['s3:ListBucket'], this.bucket.bucketArn);
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${this.logicalId()}.Arn>/*]`,
      reason: 'Object keys are random: the bucket is the narrowest resource that can be named.',
    });
  }

  private logicalId(): string {
    const resource = this.bucket.node.defaultChild;
    if (!(resource instanceof CfnBucket)) throw new Error('The bucket construct has no CfnBucket');
    return Stack.of(this).getLogicalId(resource);
  }

  /** Headers that keep browsers from sniffing types of user content and from running it. */
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
      'AwsSolutions-S1': 'Media are public: an access log of each request would help nobody.',
      'AwsSolutions-CFR1': 'Platforms fetch media from any country.',
      'AwsSolutions-CFR2':
        'Read-only files below unguessable keys: there is nothing that a web application firewall could block.',
      'AwsSolutions-CFR3': 'Media are public: an access log of each request would help nobody.',
      'AwsSolutions-CFR4':
        "The default CloudFront certificate accepts TLS 1.0 regardless of the distribution's settings.",
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(this).acknowledge({ id, reason });
  }
}

/** Narrows a `Bucket` to `IBucket`, which it does not satisfy under `exactOptionalPropertyTypes`. */
function asInterface(bucket: object): IBucket {
  if (isBucket(bucket)) return bucket;
  throw new Error('Expected an S3 bucket');
}

function isBucket(bucket: object): bucket is IBucket {
  return bucket instanceof Bucket;
}
