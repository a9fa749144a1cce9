import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { JsonSchema, type Json } from '../../shared/model/json.ts';
import { ACCOUNT, arn, REGION } from './names.ts';
import type { References } from './resolve.ts';
import type { Resource } from './template.ts';

/** Addresses of the local services. */
export interface Addresses {
  /** Endpoint of all AWS calls. */
  aws: string;
  /** Root of the HTTP API, without a path. */
  api: string;
}

interface Identity {
  /** Value of `Ref`. */
  ref: string;
  attributes: Readonly<Record<string, string>>;
}

interface Kind {
  /** Property that holds the resource's name, if it has one. */
  named?: string;
  identify: (name: string, addresses: Addresses) => Identity;
}

const table: Kind = {
  named: 'TableName',
  identify: name => ({ ref: name, attributes: { Arn: arn('dynamodb', `table/${name}`) } }),
};

const KINDS: Readonly<Record<string, Kind>> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::DynamoDB::Table': table,
  'AWS::SQS::Queue': {
    named: 'QueueName',
    identify: (name, { aws }) => ({
      ref: `${aws}/${ACCOUNT}/${name}`,
      attributes: { Arn: arn('sqs', name), QueueName: name, QueueUrl: `${aws}/${ACCOUNT}/${name}` },
    }),
  },
  'AWS::S3::Bucket': {
    named: 'BucketName',
    identify: name => ({
      ref: name.toLowerCase(),
      attributes: {
        Arn: `arn:aws:s3:::${name.toLowerCase()}`,
        RegionalDomainName: `${name.toLowerCase()}.s3.${REGION}.amazonaws.com`,
      },
    }),
  },
  // Not reachable by this name: the functions get the address of the stand-in from the runner.
  'AWS::CloudFront::Distribution': {
    identify: name => ({ ref: name, attributes: { DomainName: `${name.toLowerCase()}.cloudfront.net` } }),
  },
  'AWS::CloudFront::OriginAccessControl': { identify: name => ({ ref: name, attributes: { Id: name } }) },
  'AWS::CloudFront::ResponseHeadersPolicy': { identify: name => ({ ref: name, attributes: { Id: name } }) },
  // Its id is a UUID.
  'AWS::Lambda::EventSourceMapping': { identify: id => ({ ref: uuidOf(id), attributes: {} }) },
  'AWS::Lambda::Function': {
    named: 'FunctionName',
    identify: name => ({ ref: name, attributes: { Arn: arn('lambda', `function:${name}`) } }),
  },
  'AWS::Events::Rule': {
    named: 'Name',
    identify: name => ({ ref: name, attributes: { Arn: arn('events', `rule/${name}`) } }),
  },
  'AWS::IAM::Role': {
    named: 'RoleName',
    identify: name => ({ ref: name, attributes: { Arn: `arn:aws:iam::${ACCOUNT}:role/${name}` } }),
  },
  'AWS::Scheduler::ScheduleGroup': {
    named: 'Name',
    identify: name => ({ ref: name, attributes: { Arn: arn('scheduler', `schedule-group/${name}`) } }),
  },
  'AWS::ApiGatewayV2::Api': {
    identify: (name, { api }) => ({ ref: name.toLowerCase(), attributes: { ApiId: name, ApiEndpoint: api } }),
  },
  'AWS::ApiGatewayV2::Integration': { identify: name => ({ ref: name, attributes: {} }) },
  'AWS::ECS::Cluster': {
    named: 'ClusterName',
    identify: name => ({ ref: name, attributes: { Arn: arn('ecs', `cluster/${name}`) } }),
  },
  'AWS::ECS::TaskDefinition': {
    named: 'Family',
    identify: name => ({ ref: arn('ecs', `task-definition/${name}:1`), attributes: {} }),
  },
  // Tasks are processes of this machine: their network is only a name.
  'AWS::EC2::Subnet': { identify: name => ({ ref: name, attributes: {} }) },
  'AWS::EC2::SecurityGroup': { identify: name => ({ ref: name, attributes: { GroupId: name } }) },
  'AWS::Logs::LogGroup': {
    named: 'LogGroupName',
    identify: name => ({ ref: name, attributes: { Arn: arn('logs', `log-group:${name}:*`) } }),
  },
};

/** Resolves `Ref` and `Fn::GetAtt` to the names that the local services use. */
export function references(resources: Readonly<Record<string, Resource>>, addresses: Addresses): References {
  function identity(id: string): Identity {
    const resource = resources[id];
    if (!resource) throw new Error(`The template refers to ${id}, which does not exist`);
    const kind = KINDS[resource.Type];
    if (!kind) throw new Error(`The local stack does not support references to ${id} (${resource.Type})`);
    return kind.identify(nameOf(resource, kind) ?? id, addresses);
  }
  return {
    ref: id => identity(id).ref,
    attribute: (id, name) => {
      const value = identity(id).attributes[name];
      if (value === undefined)
        throw new Error(`The local stack does not support the attribute ${name} of ${id}`);
      return value;
    },
  };
}

const TagsSchema = v.array(v.object({ Key: v.string(), Value: JsonSchema }));

/** Returns the explicit name, else the tag `Name`: CloudFormation would generate a name, which is harder to read. */
function nameOf({ Properties }: Resource, { named }: Kind): string | null {
  const explicit = literal(Properties[named ?? '']);
  if (explicit !== null || named === undefined) return explicit;
  const tags = v.safeParse(TagsSchema, Properties['Tags']);
  return literal(tags.success ? tags.output.find(({ Key }) => Key === 'Name')?.Value : undefined);
}

/** Returns a UUID that is the same at every start. */
function uuidOf(id: string): string {
  const hash = createHash('sha256').update(id).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
}

function literal(name: Json | undefined): string | null {
  return typeof name === 'string' ? name : null;
}
