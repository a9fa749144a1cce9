import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
  type ILayerVersion,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFolder } from './bundle.ts';

export interface Size {
  memory_mb: number;
  timeout_s: number;
}

/** What each function gets. Publishers are not here: the rules of their platform tell. */
export const SIZES = {
  /** Every endpoint group. The gateway gives up after 30 s: a function that takes longer answers nobody. */
  api: { memory_mb: 512, timeout_s: 29 },
  dispatcher: { memory_mb: 256, timeout_s: 30 },
  sweeper: { memory_mb: 256, timeout_s: 50 },
  'dead-letters': { memory_mb: 256, timeout_s: 30 },
  /** Holds 32 MiB of a file at a time; more memory would bring more network, and cost more. */
  'media-importer': { memory_mb: 512, timeout_s: 300 },
  housekeeper: { memory_mb: 512, timeout_s: 120 },
  insights: { memory_mb: 256, timeout_s: 120 },
  'webhook-dispatcher': { memory_mb: 512, timeout_s: 60 },
  'key-ring': { memory_mb: 256, timeout_s: 30 },
} satisfies Record<string, Size>;

export interface ServiceFunctionProps extends Size {
  /** The folder under `functions/`. */
  bundle: string;
  /** What the function is called, where its bundle serves several. Default: the bundle's name. */
  name?: string;
  environment?: Record<string, string>;
  layers?: ILayerVersion[];
}

/** A function with the settings that all share. Its role may write its log and its traces, and nothing else yet. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** Its name within the stack; its metrics carry it. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const name = props.name ?? props.bundle;
    this.name = name;
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${Stack.of(this).stackName}-${name}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName: `${Stack.of(this).stackName}-${name}`,
      code: Code.fromAsset(bundleFolder(props.bundle)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory_mb,
      timeout: Duration.seconds(props.timeout_s),
      environment: {
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_METRICS_NAMESPACE: Stack.of(this).stackName,
        ...props.environment,
      },
      layers: props.layers ?? [],
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: Tracing.ACTIVE,
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray takes traces for no resource in particular; a test allows "*" for nothing else.',
    });
  }

  /** Lets the function do just these actions on just these resources. */
  allow(actions: readonly string[], ...resources: string[]): this {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
    return this;
  }

  set(variable: string, value: string): this {
    this.lambda.addEnvironment(variable, value);
    return this;
  }
}
