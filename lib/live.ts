import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AwsLogDriverMode,
  CfnCluster,
  Cluster,
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LinuxParameters,
  LogDrivers,
  OperatingSystemFamily,
  type ContainerDefinition,
} from 'aws-cdk-lib/aws-ecs';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENV } from '../shared/aws/env.ts';
import { PUBLIC } from '../shared/store/objects.ts';
import type { StreamSize } from '../workers/broadcaster/sizes.ts';
import { bootProgram, bundleFolder, WORKER } from './dist.ts';
import type { Grantee, ServiceFunction } from './functions.ts';
import { BROADCASTER_LAYER } from './layers.ts';
import { LiveNetwork } from './live-network.ts';
import type { MediaBucket } from './media-bucket.ts';
import type { Secrets } from './secrets.ts';
import type { ServiceTable } from './table.ts';

export interface LiveProps {
  table: ServiceTable;
  secrets: Secrets;
  media: MediaBucket;
  size: DeployedSize;
}

export type DeployedSize = Exclude<StreamSize, '180p'>;

/** CPU units and MiB of memory that encoding and one decoder need. */
const TASK_SIZES: Readonly<Record<DeployedSize, { cpu: number; memoryLimitMiB: number }>> = {
  '360p': { cpu: 512, memoryLimitMiB: 1024 },
  '720p': { cpu: 1024, memoryLimitMiB: 2048 },
  '1080p': { cpu: 2048, memoryLimitMiB: 4096 },
};

/** Docker's official image in the public gallery of ECR: the worker needs nothing but Node.js and glibc. */
const IMAGE = 'public.ecr.aws/docker/library/node:24-slim';
/** `nobody` in the image. */
const DECODER_USER = '65534';

/** The stream worker of live broadcasts: a Fargate task that is started for each broadcast. Costs nothing while none runs. */
export class Live extends Construct implements Grantee {
  private readonly network: LiveNetwork;
  private readonly cluster: Cluster;
  private readonly task: FargateTaskDefinition;
  private readonly container: ContainerDefinition;

  constructor(scope: Construct, id: string, { table, secrets, media, size }: LiveProps) {
    super(scope, id);
    this.network = new LiveNetwork(this, 'Network');
    this.cluster = new Cluster(this, 'Cluster', { vpc: this.network.vpc });
    this.task = new FargateTaskDefinition(this, 'Task', {
      family: `${Stack.of(this).stackName}-${WORKER}`,
      ...TASK_SIZES[size],
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
    });
    this.container = this.addContainer(size);
    table.grant(this, 'GetItem', 'UpdateItem');
    secrets.grantReadKeyRing(this);
    media.grantBelow(PUBLIC, this, 'GetObject');
    this.acknowledge();
  }

  allow(actions: readonly string[], ...resources: string[]): this {
    this.task.addToTaskRolePolicy(new PolicyStatement({ actions: [...actions], resources }));
    return this;
  }

  addEnvironment(variable: string, value: string): this {
    this.container.addEnvironment(variable, value);
    return this;
  }

  /** Lets the function start and stop workers. */
  grantRun(to: ServiceFunction): void {
    to.addEnvironment(ENV.liveWorker, this.settings());
    const tasks = Stack.of(this).formatArn({
      service: 'ecs',
      resource: 'task',
      resourceName: `${this.cluster.clusterName}/*`,
    });
    const inCluster = { ArnEquals: { 'ecs:cluster': this.cluster.clusterArn } };
    const statements = [
      { actions: ['ecs:RunTask'], resources: [this.task.taskDefinitionArn], conditions: inCluster },
      { actions: ['ecs:StopTask', 'ecs:DescribeTasks'], resources: [tasks], conditions: inCluster },
      // Lists are not of a resource.
      { actions: ['ecs:ListTasks'], resources: ['*'], conditions: inCluster },
      {
        actions: ['iam:PassRole'],
        resources: [this.task.taskRole.roleArn, this.task.obtainExecutionRole().roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      },
    ];
    for (const statement of statements) to.lambda.addToRolePolicy(new PolicyStatement(statement));
    Validations.of(to).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:task/<${this.clusterId()}>/*]`,
      reason:
        'Tasks have no ids before they run; the condition on the cluster leaves the stream workers only.',
    });
  }

  /** Sends the ids of a broadcast to the queue when its task has stopped, whatever the reason. */
  onStopped(queue: Queue): void {
    new Rule(this, 'Stopped', {
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Task State Change'],
        detail: { clusterArn: [this.cluster.clusterArn], lastStatus: ['STOPPED'] },
      },
      targets: [
        new SqsQueue(queue, {
          message: RuleTargetInput.fromObject({
            workspace_id: EventField.fromPath('$.detail.group'),
            broadcast_id: EventField.fromPath('$.detail.startedBy'),
          }),
        }),
      ],
    });
  }

  private addContainer(size: DeployedSize): ContainerDefinition {
    const code = new Asset(this, 'Code', { path: bundleFolder(WORKER) });
    const library = new Asset(this, 'MediaLibrary', {
      path: BROADCASTER_LAYER.path,
      // Its version says what is in it; to read 146 MB at each synthesis would take longer.
      assetHash: BROADCASTER_LAYER.hash(),
    });
    this.allow(
      ['s3:GetObject'],
      ...[code, library].map(asset => asset.bucket.arnForObjects(asset.s3ObjectKey)),
    );
    return this.task.addContainer(WORKER, {
      image: ContainerImage.fromRegistry(IMAGE),
      command: ['node', '--input-type=module', '--eval', bootProgram()],
      environment: {
        AWS_REGION: Stack.of(this).region,
        // The code last: its package.json, which says that it is ES modules, replaces that of the library.
        CODE_URLS: `${library.httpUrl} ${code.httpUrl}`,
        POWERTOOLS_SERVICE_NAME: WORKER,
        [ENV.broadcastSize]: size,
        [ENV.decoderUserId]: DECODER_USER,
      },
      logging: LogDrivers.awsLogs({
        logGroup: new LogGroup(this, 'Log', {
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        streamPrefix: WORKER,
        mode: AwsLogDriverMode.NON_BLOCKING,
      }),
      stopTimeout: Duration.seconds(60),
      // Passes SIGTERM on, and collects decoders that have ended.
      linuxParameters: new LinuxParameters(this, 'Linux', { initProcessEnabled: true }),
    });
  }

  private clusterId(): string {
    const resource = this.cluster.node.defaultChild;
    if (!(resource instanceof CfnCluster)) throw new Error('The cluster construct has no CfnCluster');
    return Stack.of(this).getLogicalId(resource);
  }

  private acknowledge(): void {
    const reasons = {
      'AwsSolutions-ECS2':
        'The variables hold names only: the worker reads secrets itself, with its own role.',
      'AwsSolutions-ECS4':
        'Workers report into their session every 15 seconds; Container Insights would cost more than a worker.',
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(this).acknowledge({ id, reason });
  }

  /** See `WorkerSettingsSchema` in shared/broadcasts. */
  private settings(): string {
    return Stack.of(this).toJsonString({
      cluster: this.cluster.clusterName,
      task_definition: this.task.taskDefinitionArn,
      container: WORKER,
      subnets: this.network.vpc.publicSubnets.map(({ subnetId }) => subnetId),
      security_groups: [this.network.securityGroup.securityGroupId],
    });
  }
}
