import { Stack, Tags } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Tags a resource with a readable name. CloudFormation generates the physical name: with an explicit one, a resource whose
 * construct has moved could not be created beside the old one.
 */
export function named(resource: IConstruct, name: string): void {
  Tags.of(resource).add('Name', `${Stack.of(resource).stackName}-${name}`);
}
