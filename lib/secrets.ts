import { ArnFormat, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { aiKeyParameter } from '../shared/ai/openai-key.ts';
import { ENV } from '../shared/aws/env.ts';
import { keyRingParameter } from '../shared/aws/key-ring.ts';
import { platformAppParameter } from '../shared/aws/platform-app.ts';
import type { PlatformId } from '../shared/model/platform.ts';
import { CONNECTORS } from '../shared/platforms/registry/connectors.ts';
import { ServiceFunction, SIZES, type Grantee } from './functions.ts';

/** Reads of one parameter, and of those that a container needs first. */
const READ = ['ssm:GetParameter', 'ssm:GetParameters'];

/**
 * The service's SSM parameters, all of type SecureString. CloudFormation cannot create those: a custom resource creates
 * the key ring at the first deployment and never changes it; the operator stores the platform apps (`npm run admin`).
 */
export class Secrets extends Construct {
  private readonly prefix: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.prefix = `/${Stack.of(this).stackName}`;
    const name = keyRingParameter(this.prefix);
    const maker = new ServiceFunction(this, 'KeyRingMaker', {
      bundle: 'key-ring',
      ...SIZES['key-ring'],
    }).allow(['ssm:PutParameter'], this.arn(name));
    new CustomResource(this, 'KeyRing', {
      resourceType: 'Custom::KeyRing',
      serviceToken: maker.lambda.functionArn,
      serviceTimeout: Duration.minutes(5),
      properties: { ParameterName: name },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** Lets the function read the key ring that seals tokens and signs cursors. */
  grantReadKeyRing(to: Grantee): void {
    to.addEnvironment(ENV.parameterPrefix, this.prefix).allow(READ, this.arn(keyRingParameter(this.prefix)));
  }

  /** Lets the function read the stack's apps of these platforms. */
  grantReadPlatformApps(to: ServiceFunction, platforms: readonly PlatformId[]): void {
    const apps = platforms.map(platform => this.arn(platformAppParameter(this.prefix, platform)));
    to.addEnvironment(ENV.parameterPrefix, this.prefix).allow(READ, ...apps);
  }

  /** Lets a publisher read what it needs for every post, in one call when it starts. */
  grantReadFirst(to: ServiceFunction, platform: PlatformId): void {
    const names = [keyRingParameter(this.prefix), platformAppParameter(this.prefix, platform)];
    to.addEnvironment(ENV.initialParameters, names.join(','));
    this.grantReadKeyRing(to);
    this.grantReadPlatformApps(to, appPlatforms(platform));
  }

  /** Lets the function read the API key of the AI provider. */
  grantReadAiKey(to: ServiceFunction): void {
    to.addEnvironment(ENV.parameterPrefix, this.prefix).allow(READ, this.arn(aiKeyParameter(this.prefix)));
  }

  private arn(parameter: string): string {
    return Stack.of(this).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: parameter.slice(1),
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}

/** Returns the platforms whose apps accounts of a platform are connected with: Instagram has logins of two apps. */
export function appPlatforms(platform: PlatformId): PlatformId[] {
  const ways = CONNECTORS[platform]?.ways ?? [];
  const others = ways.flatMap(way => (way.kind === 'oauth' ? (way.app_platform ?? []) : []));
  return [...new Set([platform, ...others])];
}
