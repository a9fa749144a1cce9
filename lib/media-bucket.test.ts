import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { MediaBucket } from './media-bucket.ts';

let template: Template;
beforeAll(() => {
  const stack = new Stack(new App({ analyticsReporting: false }), 'media');
  new MediaBucket(stack, 'Media', { cdn: true });
  template = Template.fromStack(stack);
});

describe('the media bucket', () => {
  test('is private: only its own CDN can read it, and only with TLS', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    const policies = Object.values(template.findResources('AWS::S3::BucketPolicy'));
    const statements = policies.flatMap(
      ({ Properties }) =>
        (Properties as { PolicyDocument: { Statement: Record<string, unknown>[] } }).PolicyDocument.Statement,
    );
    expect(statements).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 's3:GetObject',
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
      }),
    ]);
  });

  test('is retained, and expires objects that nobody needs', () => {
    template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Retain' });
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: [
          { Prefix: 'pending/', ExpirationInDays: 1, Status: 'Enabled' },
          { Prefix: 'public/derived/', ExpirationInDays: 30, Status: 'Enabled' },
          { Prefix: 'public/copies/', ExpirationInDays: 400, Status: 'Enabled' },
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
        ],
      },
    });
  });
});

test('the CDN serves public objects only, over TLS, uncompressed, with a policy that blocks scripts', () => {
  template.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Origins: [
        Match.objectLike({
          OriginPath: '/public',
          OriginAccessControlId: Match.anyValue(),
        }),
      ],
      DefaultCacheBehavior: Match.objectLike({
        ViewerProtocolPolicy: 'https-only',
        Compress: false,
        ResponseHeadersPolicyId: Match.anyValue(),
      }),
    },
  });
  template.hasResourceProperties('AWS::CloudFront::ResponseHeadersPolicy', {
    ResponseHeadersPolicyConfig: {
      SecurityHeadersConfig: {
        ContentTypeOptions: { Override: true },
        ContentSecurityPolicy: { ContentSecurityPolicy: "default-src 'none'; sandbox", Override: true },
      },
    },
  });
});
