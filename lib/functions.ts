import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
  type ILayerVersion,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { bundleFolder } from './dist.ts';
import { named } from './names.ts';

export interface Size {
  memory_mb: number;
  timeout_s: number;
}

/** Memory and timeout of each function. Those of publishers are in the platform's `rules.ts`. */
export const SIZES = {
  /** Every endpoint group. API Gateway times out after 30 s. */
  api: { memory_mb: 512, timeout_s: 29 },
  dispatcher: { memory_mb: 256, timeout_s: 30 },
  sweeper: { memory_mb: 256, timeout_s: 50 },
  /** Buffers 32 MiB of a file at a time; more memory would only add network bandwidth at a higher price. */
  'media-importer': { memory_mb: 512, timeout_s: 300 },
  housekeeper: { memory_mb: 512, timeout_s: 120 },
  insights: { memory_mb: 256, timeout_s: 120 },
  'broadcast-controller': { memory_mb: 256, timeout_s: 60 },
  'webhook-dispatcher': { memory_mb: 256, timeout_s: 60 },
  'key-ring': { memory_mb: 256, timeout_s: 30 },
} satisfies Record<string, Size>;

export interface ServiceFunctionProps extends Size {
  /** The folder below `functions/`. */
  bundle: string;
  /** Name of the function where several share a bundle. Default: the name of the bundle. */
  name?: string;
  environment?: Record<string, string>;
  layers?: ILayerVersion[];
  /**
   * Whether the function sends messages to a queue that it consumes. Lambda would stop such a chain after 16 invocations.
   */
  recursive?: boolean;
  /** Whether X-Ray traces invocations. Default: true. */
  traced?: boolean;
}

/** What is granted permissions, and is told names of resources by environment variables. */
export interface Grantee extends Construct {
  /** Allows these actions on these resources. */
  allow: (actions: readonly string[], ...resources: string[]) => this;
  addEnvironment: (variable: string, value: string) => this;
}

/** A Lambda function with the settings that all share. Its role can only write logs and traces until more is granted. */
export class ServiceFunction extends Construct implements Grantee {
  readonly lambda: LambdaFunction;
  /** Name within the stack, without the stack's prefix. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const name = props.name ?? props.bundle;
    this.name = name;
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    this.lambda = new LambdaFunction(this, 'Function', {
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
      recursiveLoop: props.recursive === true ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.INFO,
      tracing: props.traced === false ? Tracing.DISABLED : Tracing.ACTIVE,
    });
    named(this.lambda, name);
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray actions do not support resource-level permissions; a test allows "*" for nothing else.',
    });
  }

  allow(actions: readonly string[], ...resources: string[]): this {
    this.lambda.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
    return this;
  }

  /**
   * Lets the function be invoked asynchronously: Lambda keeps the event, retries a failed invocation after one and two minutes,
   * and sends an event that still fails to the dead letters.
   */
  workInBackground({ queue }: { queue: Queue }): this {
    this.lambda.configureAsyncInvoke({
      retryAttempts: 2,
      onFailure: { bind: () => ({ destination: queue.queueArn }) },
    });
    return this.allow(['sqs:SendMessage'], queue.queueArn);
  }

  /**
   * Lets a run that fails or is throttled be: the next run of its rule is soon enough. Lambda would repeat it, for up to six
   * hours and beside later ones; `retryAttempts` of the rule's target counts what does not reach Lambda only.
   */
  neverRunAgain(): this {
    this.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    return this;
  }

  /** Lets another function invoke this one, and sets the function's name as this environment variable. */
  grantInvoke(to: ServiceFunction, variable: string): void {
    to.addEnvironment(variable, this.lambda.functionName).allow(
      ['lambda:InvokeFunction'],
      this.lambda.functionArn,
    );
  }

  addEnvironment(variable: string, value: string): this {
    this.lambda.addEnvironment(variable, value);
    return this;
  }
}
