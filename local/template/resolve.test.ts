import { describe, expect, test } from '@jest/globals';
import type { Json } from '../../shared/model/json.ts';
import { arn } from './names.ts';
import { createReader } from './reader.ts';
import { references } from './references.ts';
import { resolve } from './resolve.ts';
import { asyncSettings, eventSourceMappings, functions } from './lambda.ts';
import { apiRoutes, queues, tables } from './resources.ts';
import type { Template } from './template.ts';

const ADDRESSES = { aws: 'http://127.0.0.1:4000', api: 'http://127.0.0.1:3000' };

const RESOURCES = {
  Table: {
    Type: 'AWS::DynamoDB::GlobalTable',
    Properties: {
      AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
      Replicas: [{ Region: { 'Fn::Anything': 'that is not resolved' } }],
    },
  },
  Queue: {
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: 'work',
      VisibilityTimeout: 180,
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 },
    },
  },
  Dead: { Type: 'AWS::SQS::Queue', Properties: {} },
  Fn: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Tags: [{ Key: 'Name', Value: 'worker' }],
      Handler: 'lib/index.handler',
      Code: { S3Bucket: 'assets', S3Key: 'abc.zip' },
      Timeout: 29,
      Environment: { Variables: { TABLE_NAME: { Ref: 'Table' }, QUEUE_URL: { Ref: 'Queue' } } },
    },
  },
  InvokeConfig: {
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: {
      FunctionName: { Ref: 'Fn' },
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Dead', 'Arn'] } } },
    },
  },
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api' } },
  Integration: {
    Type: 'AWS::ApiGatewayV2::Integration',
    Properties: { IntegrationUri: { 'Fn::GetAtt': ['Fn', 'Arn'] } },
  },
  Route: {
    Type: 'AWS::ApiGatewayV2::Route',
    Properties: {
      ApiId: { Ref: 'Api' },
      RouteKey: 'GET /v1/posts',
      Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
    },
  },
  Permission: {
    Type: 'AWS::Lambda::Permission',
    Properties: {
      FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] },
      Principal: 'apigateway.amazonaws.com',
      SourceArn: {
        'Fn::Join': ['', ['arn:aws:execute-api:us-east-1:000000000000:', { Ref: 'Api' }, '/*/*/*']],
      },
    },
  },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
      FunctionName: { Ref: 'Fn' },
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 3 },
    },
  },
  Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: {} },
} satisfies Template['resources'];

const resolved = (value: Json) => resolve(value, references(RESOURCES, ADDRESSES));

describe('intrinsic functions', () => {
  test.each<[string, Json, Json]>([
    ['keeps plain values', { a: [1, 'b', null, true] }, { a: [1, 'b', null, true] }],
    ['Ref of a table (name)', { Ref: 'Table' }, 'Table'],
    ['Ref of a queue (URL)', { Ref: 'Queue' }, 'http://127.0.0.1:4000/000000000000/work'],
    ['pseudo parameters', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Fn::GetAtt', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:work'],
    [
      'Fn::GetAtt as a string',
      { 'Fn::GetAtt': 'Fn.Arn' },
      'arn:aws:lambda:us-east-1:000000000000:function:worker',
    ],
    ['the URL of the API', { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, 'http://127.0.0.1:3000'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 3]] }, 'a-Table-3'],
    ['Fn::Select and Fn::Split', { 'Fn::Select': [1, { 'Fn::Split': ['/', 'a/b/c'] }] }, 'b'],
    ['Fn::Sub', { 'Fn::Sub': '${AWS::AccountId}:${Queue.QueueName}:${!kept}' }, '000000000000:work:${kept}'],
    ['Fn::Sub with variables', { 'Fn::Sub': ['${a}${b}', { a: 'x', b: { Ref: 'Table' } }] }, 'xTable'],
    [
      'nested values',
      { list: [{ of: { Ref: 'Dead' } }] },
      { list: [{ of: 'http://127.0.0.1:4000/000000000000/Dead' }] },
    ],
  ])('resolve %s', (_, value, expected) => expect(resolved(value)).toEqual(expected));

  test.each<[string, Json, RegExp]>([
    ['an unknown function', { 'Fn::Cidr': ['10.0.0.0/16', 1] }, /Fn::Cidr/],
    ['a missing resource', { Ref: 'Nobody' }, /Nobody/],
    ['an unsupported resource type', { Ref: 'Alarm' }, /AWS::CloudWatch::Alarm/],
    ['an unknown attribute', { 'Fn::GetAtt': ['Queue', 'Colour'] }, /Colour/],
    ['an index out of range', { 'Fn::Select': [3, ['a']] }, /index 3/],
  ])('throw on %s', (_, value, message) => expect(() => resolved(value)).toThrow(message));
});

describe('resources', () => {
  const template: Template = { resources: RESOURCES, asset: key => `/assets/${key.replace('.zip', '')}` };
  const reader = createReader(template, ADDRESSES);

  test('are read with all references resolved', () => {
    expect(tables(reader)).toMatchObject([{ name: 'Table' }]);
    expect(queues(reader)).toEqual([
      {
        name: 'work',
        attributes: {
          VisibilityTimeout: '180',
          RedrivePolicy:
            '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:Dead","maxReceiveCount":5}',
        },
      },
      { name: 'Dead', attributes: {} },
    ]);
    expect(functions(reader, template)).toEqual([
      {
        name: 'worker',
        module: '/assets/abc/lib/index',
        handler: 'handler',
        environment: { TABLE_NAME: 'Table', QUEUE_URL: 'http://127.0.0.1:4000/000000000000/work' },
        timeoutS: 29,
        memoryMb: 128,
        allowsRecursion: false,
      },
    ]);
    expect(apiRoutes(reader)).toEqual([{ key: 'GET /v1/posts', function: 'worker' }]);
    expect(eventSourceMappings(reader)).toEqual([
      {
        uuid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        enabled: true,
        source: {
          queue: 'work',
          function: 'worker',
          batchSize: 1,
          windowS: 0,
          maxConcurrency: 3,
          partialFailures: true,
        },
      },
    ]);
    expect(asyncSettings(reader)).toEqual([
      { function: 'worker', retries: 1, maxAgeS: 21_600, failureQueueArn: arn('sqs', 'Dead') },
    ]);
  });

  test('with invalid properties throw an error with their id', () => {
    const bad = {
      Fn: { Type: 'AWS::Lambda::Function', Properties: { Handler: 'a.b', Code: { ZipFile: '' } } },
    };
    const broken = { ...template, resources: bad };
    expect(() => functions(createReader(broken, ADDRESSES), broken)).toThrow(/Fn: Code.S3Key/);
  });

  test('with a route that the permission of its function does not cover throw an error with its key', () => {
    const Route = {
      ...RESOURCES.Route,
      Properties: { ...RESOURCES.Route.Properties, RouteKey: '$default' },
    };
    const denied = createReader({ ...template, resources: { ...RESOURCES, Route } }, ADDRESSES);
    expect(() => apiRoutes(denied)).toThrow('API Gateway may not invoke worker for $default');
  });
});
