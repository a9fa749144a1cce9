import { Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';
import { SocialPublishing } from './social-publishing.ts';

export interface ServiceStackProps extends StackProps {
  settings: Settings;
}

/** The whole service, and what an earlier stack left. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const { keptTable, keptBucket, domainName, certificateArn, ...service } = settings;
    // The CDK leaves the id `Default` out of logical ids, which deployed stacks have without it.
    new SocialPublishing(this, 'Default', {
      ...service,
      table: keptTable === undefined ? undefined : TableV2.fromTableName(this, 'KeptTable', keptTable),
      bucket: keptBucket === undefined ? undefined : Bucket.fromBucketName(this, 'KeptBucket', keptBucket),
      domain: this.domainOf(domainName, certificateArn),
    });
  }

  private domainOf(name: string | undefined, certificateArn: string | undefined) {
    if (name === undefined || certificateArn === undefined) return undefined;
    return { name, certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn) };
  }
}
