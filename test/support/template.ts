import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleAll } from '../../lib/bundle-all.ts';
import { STAMP } from '../../lib/dist.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { readSettings } from '../../lib/settings.ts';

export interface Reference {
  Ref?: string;
  'Fn::GetAtt'?: [id: string, attribute: string];
}

interface Tag {
  Key: string;
  Value: string;
}

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

interface PolicyDocument {
  Statement: Statement[];
}

/** The properties of resources that tests inspect. */
export interface PropertiesOf {
  'AWS::ApiGatewayV2::Integration': { IntegrationUri: Reference; PayloadFormatVersion: string };
  'AWS::ApiGatewayV2::Route': { RouteKey: string; Target: { 'Fn::Join': [string, [string, Reference]] } };
  'AWS::ApiGatewayV2::Stage': {
    AccessLogSettings: { Format: string };
    RouteSettings: Record<string, unknown>;
  };
  'AWS::CloudWatch::Alarm': {
    Namespace: string;
    MetricName: string;
    TreatMissingData: string;
    AlarmActions?: Reference[];
    Dimensions: { Value: Reference }[];
  };
  'AWS::Events::Rule': { ScheduleExpression?: string; Targets: { Arn: Reference }[] };
  'AWS::IAM::Policy': { Roles: Reference[]; PolicyDocument: PolicyDocument };
  'AWS::IAM::Role': { ManagedPolicyArns?: unknown; AssumeRolePolicyDocument: PolicyDocument };
  'AWS::Lambda::EventInvokeConfig': {
    FunctionName: Reference;
    MaximumRetryAttempts: number;
    MaximumEventAgeInSeconds?: number;
    DestinationConfig: { OnFailure: { Destination: Reference } };
  };
  'AWS::Lambda::EventSourceMapping': {
    Enabled?: boolean;
    EventSourceArn: Reference;
    FunctionName: Reference;
    BatchSize: number;
    FunctionResponseTypes: string[];
    ScalingConfig?: { MaximumConcurrency: number };
  };
  'AWS::Lambda::Function': {
    Tags: Tag[];
    TracingConfig?: { Mode: string };
    Code: { S3Key: string };
    Environment: { Variables: Record<string, unknown> };
    Layers?: unknown[];
    RecursiveLoop?: 'Allow' | 'Terminate';
    LoggingConfig: { LogGroup: Reference };
    MemorySize: number;
    ReservedConcurrentExecutions?: number;
    Role: Reference;
    Timeout: number;
  };
  'AWS::Lambda::Permission': {
    FunctionName: Reference;
    Principal: string;
    SourceArn: { 'Fn::Join'?: [string, unknown[]] };
  };
  'AWS::Logs::LogGroup': { RetentionInDays: number };
  'AWS::SNS::Subscription': { TopicArn: Reference };
  'AWS::SNS::Topic': Record<string, unknown>;
  'AWS::SNS::TopicPolicy': { Topics: Reference[]; PolicyDocument: PolicyDocument };
  'AWS::SQS::Queue': {
    Tags: Tag[];
    MessageRetentionPeriod?: number;
    SqsManagedSseEnabled: boolean;
    VisibilityTimeout: number;
    RedrivePolicy?: { deadLetterTargetArn: Reference; maxReceiveCount: number };
  };
  'AWS::SQS::QueuePolicy': { Queues: Reference[]; PolicyDocument: PolicyDocument };
}

export type ResourceType = keyof PropertiesOf;
type Resources = Record<string, { Type: string; Properties?: Record<string, unknown> }>;

const NAME = 'social-publishing-test';

const { context: flags } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')) as {
  context: Record<string, unknown>;
};

// The CDK's own validation of templates takes longer than all else here; `npm run synth` does it.
process.env['CDK_VALIDATION'] = 'false';

/** Synthesizes the stack with `cdk.json` and these settings and returns ways to inspect its template. */
export function synthesize(settings: Record<string, unknown> = {}, review?: (app: App) => void, name = NAME) {
  if (!existsSync(STAMP)) bundleAll();
  const outdir = mkdtempSync(join(tmpdir(), 'stack-'));
  try {
    const context = { ...flags, ...settings, 'aws:cdk:disable-asset-staging': true };
    const app = new App({ context, outdir, analyticsReporting: false });
    const stack = new ServiceStack(app, name, { settings: readSettings(app.node, null) });
    review?.(app);
    return { ...reader(Template.fromStack(stack)), messages: messagesOf(stack) };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** Informations and warnings that the synthesis shows. */
const messagesOf = (stack: ServiceStack) =>
  stack.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => /^aws:cdk:(info|warning)$/.test(type))
    .map(({ data }) => String(data));

export type Stack = ReturnType<typeof synthesize>;

function reader(template: Template) {
  const resources = template.toJSON()['Resources'] as Resources;

  /** Properties of all resources of a type, by logical id. */
  const all = <T extends ResourceType>(type: T): [id: string, properties: PropertiesOf[T]][] =>
    Object.entries(resources).flatMap(([id, { Type, Properties }]) =>
      Type === type ? [[id, Properties as PropertiesOf[T]]] : [],
    );

  /** Properties of the referenced resource. */
  const at = <T extends ResourceType>(type: T, reference: Reference): PropertiesOf[T] => {
    const found = resources[idOf(reference)];
    if (found?.Type !== type) throw new Error(`${JSON.stringify(reference)} is not a ${type}`);
    return found.Properties as PropertiesOf[T];
  };

  /** Functions by name without the stack's prefix. */
  const functions = new Map(all('AWS::Lambda::Function').map(([, each]) => [nameOf(each), each]));

  /** The policy statements of a role. */
  const statements = (roleId: string): Statement[] =>
    all('AWS::IAM::Policy')
      .filter(([, { Roles }]) => Roles.some(role => role.Ref === roleId))
      .flatMap(([, { PolicyDocument }]) => PolicyDocument.Statement);

  return { template, resources, all, at, functions, statements };
}

/** The readable name of a function or queue, without the stack's prefix. */
export const nameOf = ({ Tags }: { Tags: Tag[] }) =>
  Tags.find(({ Key }) => Key === 'Name')!.Value.replace(`${NAME}-`, '');

export const idOf = (reference: Reference) => reference.Ref ?? reference['Fn::GetAtt']?.[0] ?? '';
export const actionsOf = (statement: Statement) => [statement.Action].flat();
export const targetsOf = (statement: Statement) => [statement.Resource].flat();
