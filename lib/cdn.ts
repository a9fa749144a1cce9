import { Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PUBLIC } from '../shared/store/objects.ts';

/** A CDN that serves the objects of a bucket below `public/`. */
export class Cdn extends Construct {
  readonly url: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, { bucket }: { bucket: IBucket }) {
    super(scope, id);
    const distribution = new Distribution(this, 'Distribution', {
      comment: 'Media of posts',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket, {
          originPath: `/${PUBLIC.slice(0, -1)}`,
          originAccessControl: new S3OriginAccessControl(this, 'AccessControl', {
            originAccessControlName: this.globalName(),
          }),
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
    this.arn = distribution.distributionArn;
    this.acknowledge();
  }

  /** CloudFront's names are unique in the account: a stack of another region has others. */
  private globalName(): string {
    return `${Stack.of(this).stackName}-${Aws.REGION}`;
  }

  /** Headers that keep browsers from sniffing types of user content and from running it. */
  private headers(): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.globalName(),
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
      'AwsSolutions-CFR1': 'Platforms fetch media from any country.',
      'AwsSolutions-CFR2':
        'Read-only files below unguessable keys: there is nothing that a web application firewall could block.',
      'AwsSolutions-CFR3': 'Media are public: an access log of each request would help nobody.',
      'AwsSolutions-CFR4':
        "The default CloudFront certificate accepts TLS 1.0 regardless of the distribution's settings.",
      'Annotation::@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac':
        'The policy of an imported bucket is written in media-bucket.ts.',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(this).acknowledge({ id, reason });
  }
}
