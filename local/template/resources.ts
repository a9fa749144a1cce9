import * as v from 'valibot';
import type { CorsRule } from '../s3/cors.ts';
import type { LifecycleRule } from '../s3/lifecycle.ts';
import type { Json } from '../../shared/model/json.ts';
import { arn } from './names.ts';
import type { Reader } from './reader.ts';

export const Whole = v.pipe(v.union([v.number(), v.pipe(v.string(), v.transform(Number))]), v.integer());
const Keys = v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) }));

export interface TableResource {
  name: string;
  properties: v.InferOutput<v.ObjectSchema<typeof TableMembers, undefined>>;
}

const TableMembers = {
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) }),
  ),
  KeySchema: Keys,
  GlobalSecondaryIndexes: v.optional(
    v.array(
      v.object({
        IndexName: v.string(),
        KeySchema: Keys,
        Projection: v.object({
          ProjectionType: v.picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: v.optional(v.array(v.string())),
        }),
      }),
    ),
  ),
  TimeToLiveSpecification: v.optional(v.object({ AttributeName: v.string(), Enabled: v.boolean() })),
};

export function tables({ all, references }: Reader): TableResource[] {
  return all(['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'], TableMembers).map(
    ({ id, properties }) => ({ name: references.ref(id), properties }),
  );
}

export interface QueueResource {
  name: string;
  /** Attributes of CreateQueue. */
  attributes: Record<string, string>;
}

/** Properties that are queue attributes of the same name. */
const QUEUE_ATTRIBUTES = {
  DelaySeconds: v.optional(Whole),
  VisibilityTimeout: v.optional(Whole),
  MessageRetentionPeriod: v.optional(Whole),
  MaximumMessageSize: v.optional(Whole),
  ReceiveMessageWaitTimeSeconds: v.optional(Whole),
  RedrivePolicy: v.optional(v.object({ deadLetterTargetArn: v.string(), maxReceiveCount: Whole })),
};

export function queues({ all, references }: Reader): QueueResource[] {
  return all(['AWS::SQS::Queue'], QUEUE_ATTRIBUTES).map(({ id, properties }) => ({
    name: references.attribute(id, 'QueueName'),
    attributes: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        typeof value === 'number' ? String(value) : JSON.stringify(value),
      ]),
    ),
  }));
}

export interface BucketResource {
  name: string;
  cors: CorsRule[];
  lifecycle: LifecycleRule[];
}

const Names = v.optional(v.array(v.string()), []);

export function buckets({ all, references }: Reader): BucketResource[] {
  return all(['AWS::S3::Bucket'], {
    CorsConfiguration: v.optional(
      v.object({
        CorsRules: v.array(
          v.object({
            AllowedMethods: v.array(v.string()),
            AllowedOrigins: v.array(v.string()),
            AllowedHeaders: Names,
            ExposedHeaders: Names,
          }),
        ),
      }),
    ),
    LifecycleConfiguration: v.optional(
      v.object({
        Rules: v.array(
          v.object({
            Prefix: v.optional(v.string(), ''),
            ExpirationInDays: v.optional(Whole),
            AbortIncompleteMultipartUpload: v.optional(v.object({ DaysAfterInitiation: Whole })),
          }),
        ),
      }),
    ),
  }).map(({ id, properties: { CorsConfiguration, LifecycleConfiguration } }) => ({
    name: references.ref(id),
    cors: CorsConfiguration?.CorsRules ?? [],
    lifecycle: (LifecycleConfiguration?.Rules ?? []).map(rule => ({
      prefix: rule.Prefix,
      expireDays: rule.ExpirationInDays ?? null,
      abortDays: rule.AbortIncompleteMultipartUpload?.DaysAfterInitiation ?? null,
    })),
  }));
}

export interface DistributionResource {
  bucket: string;
  /** Prefix of every path: begins with a slash and does not end with one. */
  originPath: string;
  /** Headers of every response. */
  headers: Record<string, string>;
}

/** The distribution with its headers; undefined if the template has none. */
export function distribution({ all }: Reader): DistributionResource | undefined {
  const [headers] = all(['AWS::CloudFront::ResponseHeadersPolicy'], {
    ResponseHeadersPolicyConfig: v.object({
      SecurityHeadersConfig: v.object({
        ContentSecurityPolicy: v.object({ ContentSecurityPolicy: v.string() }),
      }),
    }),
  });
  const security = headers?.properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig;
  const [found] = all(['AWS::CloudFront::Distribution'], {
    DistributionConfig: v.object({
      Origins: v.tuple([v.object({ DomainName: v.string(), OriginPath: v.optional(v.string(), '') })]),
    }),
  });
  const origin = found?.properties.DistributionConfig.Origins[0];
  return (
    origin && {
      bucket: origin.DomainName.split('.s3.')[0] ?? '',
      originPath: origin.OriginPath,
      headers: {
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'content-security-policy': security?.ContentSecurityPolicy.ContentSecurityPolicy ?? '',
      },
    }
  );
}

export interface ApiRoute {
  /** `GET /v1/posts/{id}`, `$default`. */
  key: string;
  function: string;
}

/** Throws for a route whose function API Gateway may not invoke: such a route answers 500. */
export function apiRoutes(reader: Reader): ApiRoute[] {
  const { all, references } = reader;
  const isPermitted = gatewayPermissions(reader);
  const integrations = new Map(
    all(['AWS::ApiGatewayV2::Integration'], { IntegrationUri: v.string() }).map(({ id, properties }) => [
      `integrations/${references.ref(id)}`,
      functionName(properties.IntegrationUri),
    ]),
  );
  return all(['AWS::ApiGatewayV2::Route'], {
    ApiId: v.string(),
    RouteKey: v.string(),
    Target: v.string(),
  }).map(({ properties: { ApiId, RouteKey, Target } }) => {
    const target = integrations.get(Target);
    if (target === undefined) throw new Error(`The route ${RouteKey} has no function`);
    // `GET /v1/posts` is `GET/v1/posts` here, and the default route has one segment only.
    const source = arn('execute-api', `${ApiId}/$default/${RouteKey.replace(' ', '')}`);
    if (!isPermitted(target, source)) throw new Error(`API Gateway may not invoke ${target} for ${RouteKey}`);
    return { key: RouteKey, function: target };
  });
}

/** Returns whether API Gateway may invoke a function for a source: the ARN of a route. */
function gatewayPermissions({ all }: Reader): (invoked: string, source: string) => boolean {
  const permissions = all(['AWS::Lambda::Permission'], {
    FunctionName: v.string(),
    Principal: v.string(),
    SourceArn: v.optional(v.string(), '*'),
  })
    .map(({ properties }) => properties)
    .filter(({ Principal }) => Principal === 'apigateway.amazonaws.com');
  return (invoked, source) =>
    permissions.some(
      ({ FunctionName, SourceArn }) => functionName(FunctionName) === invoked && isLike(source, SourceArn),
    );
}

/** Returns whether a text matches a pattern of IAM, in which `*` stands for any characters. */
function isLike(text: string, pattern: string): boolean {
  const literal = pattern.replace(/[.$+?()[\]{}|^\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`).test(text);
}

export function scheduleGroups({ all, references }: Reader): string[] {
  return all(['AWS::Scheduler::ScheduleGroup'], {}).map(({ id }) => references.ref(id));
}

export interface RateRule {
  name: string;
  expression: string;
  targetArns: string[];
}

/** Enabled recurring rules of EventBridge. */
export function rateRules({ all }: Reader): RateRule[] {
  return all(['AWS::Events::Rule'], {
    ScheduleExpression: v.optional(v.string()),
    State: v.optional(v.string(), 'ENABLED'),
    Targets: v.array(v.object({ Arn: v.string() })),
  }).flatMap(({ id, properties: { ScheduleExpression: expression, State, Targets } }) => {
    if (expression === undefined || State !== 'ENABLED') return [];
    return [{ name: id, expression, targetArns: Targets.map(({ Arn }) => Arn) }];
  });
}

export interface CustomResource {
  id: string;
  type: string;
  function: string;
  properties: Json;
}

export function customResources({ allProperties }: Reader): CustomResource[] {
  return allProperties(
    type => type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource',
  ).map(({ id, type, properties }) => {
    const { ServiceToken } = v.parse(v.looseObject({ ServiceToken: v.string() }), properties);
    return { id, type, function: functionName(ServiceToken), properties };
  });
}

/** Name of a function by its ARN, invocation URI or name. */
export function functionName(text: string): string {
  return /function:([\w-]+)/.exec(text)?.[1] ?? text;
}

export function lastPart(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}
