import { Resource, Stack, Validations } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, BucketPolicy, CfnBucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { PUBLIC } from '../shared/store/objects.ts';
import { createBucket } from './bucket.ts';
import { Cdn } from './cdn.ts';
import type { Grantee } from './functions.ts';

/** The S3 actions that the service uses. With `ListBucket`, S3 answers 404 for a missing object, otherwise 403. */
export type ObjectAction =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'
  | 'ListBucket';

export interface MediaBucketProps {
  /** Whether a CDN serves the public objects; otherwise S3 does. */
  cdn: boolean;
  /** Is used in place of a new bucket. One that is imported must have no policy: it gets one. */
  existing?: IBucket | undefined;
}

/**
 * The media bucket, whose objects below `public/` can be read by anyone who knows their keys, which cannot be guessed. The bucket
 * is retained when the stack is deleted.
 */
export class MediaBucket extends Construct {
  /** Base of all public URLs. */
  readonly url: string;
  readonly name: string;
  private readonly bucket: IBucket;

  constructor(scope: Construct, id: string, { cdn, existing }: MediaBucketProps) {
    super(scope, id);
    this.bucket = existing ?? asInterface(createBucket(this, { isPublic: !cdn }));
    this.name = this.bucket.bucketName;
    this.url = cdn ? this.serveByCdn() : this.serveByS3();
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Media are public: an access log of each request would help nobody.',
    });
  }

  /** Allows these actions on objects below `prefix`, and sets the environment variables of the bucket. */
  grantBelow(prefix: string, to: Grantee, ...actions: ObjectAction[]): void {
    const onObjects = actions.filter(action => action !== 'ListBucket').map(action => `s3:${action}`);
    to.addEnvironment(ENV.mediaBucket, this.bucket.bucketName).addEnvironment(ENV.mediaUrl, this.url);
    if (onObjects.length > 0) to.allow(onObjects, this.bucket.arnForObjects(`${prefix}*`));
    if (actions.includes('ListBucket')) to.allow(['s3:ListBucket'], this.bucket.bucketArn);
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${this.shownArn()}/${prefix}*]`,
      reason:
        prefix === ''
          ? 'The function works on files of every kind, and their keys are random.'
          : `The keys below ${prefix} are random: it is the narrowest resource that can be named.`,
    });
  }

  /** Allows these actions on all objects. */
  grant(to: Grantee, ...actions: ObjectAction[]): void {
    this.grantBelow('', to, ...actions);
  }

  /** Returns the ARN of the bucket as cdk-nag shows it. */
  private shownArn(): string {
    const resource = this.bucket.node.defaultChild;
    if (!(resource instanceof CfnBucket)) return `arn:<AWS::Partition>:s3:::${this.bucket.bucketName}`;
    return `<${Stack.of(this).getLogicalId(resource)}.Arn>`;
  }

  /** Returns the URL of the CDN, which extends only the policy of a bucket of this app. */
  private serveByCdn(): string {
    const cdn = new Cdn(this, 'Cdn', { bucket: this.bucket });
    if (!Resource.isOwnedResource(this.bucket)) {
      this.addPolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
          actions: ['s3:GetObject'],
          resources: [this.bucket.arnForObjects(`${PUBLIC}*`)],
          conditions: { StringEquals: { 'AWS:SourceArn': cdn.arn } },
        }),
      );
    }
    return cdn.url;
  }

  private serveByS3(): string {
    const read = new PolicyStatement({
      principals: [new AnyPrincipal()],
      actions: ['s3:GetObject'],
      resources: [this.bucket.arnForObjects(`${PUBLIC}*`)],
    });
    if (!this.bucket.addToResourcePolicy(read).statementAdded) this.addPolicy(read);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-S2',
      reason: 'Without a CDN, platforms fetch media from S3 itself; only objects below public/ can be read.',
    });
    return `https://${this.bucket.bucketRegionalDomainName}/${PUBLIC.slice(0, -1)}`;
  }

  private addPolicy(allowed: PolicyStatement): void {
    const overTlsOnly = new PolicyStatement({
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: ['s3:*'],
      resources: [this.bucket.bucketArn, this.bucket.arnForObjects('*')],
      conditions: { Bool: { 'aws:SecureTransport': 'false' } },
    });
    new BucketPolicy(this, 'Policy', { bucket: this.bucket }).document.addStatements(overTlsOnly, allowed);
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
