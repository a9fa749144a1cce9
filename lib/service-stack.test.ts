import { beforeAll, describe, expect, test } from '@jest/globals';
import { Validations, type App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { routes as DOCS } from '../functions/docs/routes.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { ENV, OVERDUE_METRIC, OVERDUE_SERVICE, publishQueueVariable } from '../shared/aws/env.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { INSIGHTS, RULES } from '../shared/platforms/registry.ts';
import { reachOfFunctions, type Reach } from '../test/support/reachable.ts';
import {
  actionsOf,
  idOf,
  own,
  synthesize,
  targetsOf,
  type Reference,
  type Stack,
  type Statement,
} from '../test/support/template.ts';
import { bundleFunctions, functionNames } from './bundle.ts';

let stack: Stack;
let reach: ReadonlyMap<string, Reach>;

beforeAll(() => {
  bundleFunctions();
  stack = synthesize();
  reach = reachOfFunctions();
});

const PREFIX = '/social-publishing-test';
const publishers = PLATFORM_IDS.map(platform => `publisher-${platform}`);
const bundleOf = (name: string) => (publishers.includes(name) ? 'publisher' : name);
const lambda = (name: string) => stack.functions.get(name)!;
const reachOf = (name: string) => reach.get(bundleOf(name))!;
const variables = (name: string) => Object.keys(lambda(name).Environment.Variables);

/** The fallback carries all routes to tell a wrong method from a wrong path, and runs none of them. */
const runningNames = () => [...stack.functions.keys()].filter(name => name !== 'docs');

/** Event source mappings with the queue and the function that they join. */
const mappings = () =>
  stack.all('AWS::Lambda::EventSourceMapping').map(([, mapping]) => ({
    ...mapping,
    queue: stack.at('AWS::SQS::Queue', mapping.EventSourceArn),
    worker: stack.at('AWS::Lambda::Function', mapping.FunctionName),
  }));

const mappingOf = (queue: string) => {
  const found = mappings().find(mapping => own(mapping.queue.QueueName) === queue);
  return found && { ...found, worker: own(found.worker.FunctionName) };
};

describe('queues', () => {
  test.each(PLATFORM_IDS)(
    'publish-%s has a publisher of its own, within the limits of its rules',
    platform => {
      const { worker } = RULES[platform];
      expect(mappingOf(`publish-${platform}`)).toMatchObject({
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: worker.max_concurrency },
        worker: `publisher-${platform}`,
      });
      expect(lambda(`publisher-${platform}`)).toMatchObject({
        MemorySize: worker.memory_mb,
        Timeout: worker.timeout_s,
        Environment: { Variables: { [ENV.platform]: platform } },
      });
    },
  );

  test.each([
    ['dispatch', 'dispatcher', 1],
    ['events', 'webhook-dispatcher', 10],
    ['housekeeping', 'housekeeper', 1],
    ['media', 'media-importer', 1],
    ['publish-dead-letters', 'dead-letters', 1],
  ])('%s is worked off by %s, at most %i at a time', (queue, worker, BatchSize) => {
    expect(mappingOf(queue)).toMatchObject({ worker, BatchSize });
  });

  test('hide a note for six time-outs of its worker, and take back just what failed', () => {
    for (const { queue, worker, FunctionResponseTypes } of mappings()) {
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * worker.Timeout);
      expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    }
  });

  test('keep for two weeks what failed five times', () => {
    const queues = stack.all('AWS::SQS::Queue').map(([, queue]) => queue);
    const working = queues.filter(({ QueueName }) => !QueueName.endsWith('-dead-letters'));
    expect(working).toHaveLength(PLATFORM_IDS.length + 4);
    for (const { RedrivePolicy, QueueName } of working) {
      expect(RedrivePolicy?.maxReceiveCount).toBe(5);
      expect(stack.at('AWS::SQS::Queue', RedrivePolicy!.deadLetterTargetArn)).toMatchObject({
        QueueName: `${QueueName.replace(/-publish-.*/, '-publish')}-dead-letters`,
        MessageRetentionPeriod: 14 * 24 * 60 * 60,
      });
    }
  });

  test('are encrypted, at rest and on the way', () => {
    const policies = stack.all('AWS::SQS::QueuePolicy').map(([, policy]) => policy);
    for (const [id, queue] of stack.all('AWS::SQS::Queue')) {
      expect(queue.SqsManagedSseEnabled).toBe(true);
      const policy = policies.find(({ Queues }) => Queues.some(each => idOf(each) === id));
      expect(policy?.PolicyDocument.Statement).toMatchObject([
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    }
  });
});

describe('the API', () => {
  const routes = () =>
    stack.all('AWS::ApiGatewayV2::Route').map(([, { RouteKey, Target }]) => {
      const integration = stack.at('AWS::ApiGatewayV2::Integration', Target['Fn::Join'][1][1]);
      const group = own(stack.at('AWS::Lambda::Function', integration.IntegrationUri).FunctionName);
      return { RouteKey, group, format: integration.PayloadFormatVersion };
    });

  test('has every route of every group under both prefixes, served by its group, and nothing else', () => {
    const expected = Object.entries({ ...API_GROUPS, docs: DOCS }).flatMap(([group, rows]) =>
      rows.flatMap(({ method, path }) =>
        ['/v1', '/api/v1'].map(prefix => `${method} ${prefix}${path} -> ${group}`),
      ),
    );
    const actual = routes().map(({ RouteKey, group }) => `${RouteKey} -> ${group}`);
    expect(actual.sort()).toEqual([...expected, '$default -> docs'].sort());
  });

  test('speaks payload format 2.0', () => {
    expect(new Set(routes().map(({ format }) => format))).toEqual(new Set(['2.0']));
  });

  test('is throttled, and logged without query strings, which may carry secrets', () => {
    const [, stage] = stack.all('AWS::ApiGatewayV2::Stage')[0]!;
    expect(stage).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
    });
    const format = stage.AccessLogSettings.Format;
    expect(JSON.parse(format)).toMatchObject({ status: '$context.status' });
    expect(format).not.toMatch(/query|authorization/i);
  });

  test('calls each group by one permission, however many routes it has', () => {
    const permitted = stack
      .all('AWS::Lambda::Permission')
      .filter(([, { Principal }]) => Principal === 'apigateway.amazonaws.com')
      .map(([, { FunctionName }]) => idOf(FunctionName));
    expect(permitted.length).toBeGreaterThan(0);
    expect(new Set(permitted).size).toBe(permitted.length);
  });
});

describe('functions', () => {
  test('are all those that the project has', () => {
    expect(new Set([...stack.functions.keys()].map(bundleOf))).toEqual(new Set(functionNames()));
  });

  test('run on Node.js 24 and arm64, with JSON logs for 30 days, traces and a time-out', () => {
    for (const each of stack.functions.values()) {
      expect(each).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
        TracingConfig: { Mode: 'Active' },
        Handler: 'index.handler',
      });
      expect(each.Timeout).toBeGreaterThan(3);
      expect(stack.at('AWS::Logs::LogGroup', each.LoggingConfig.LogGroup).RetentionInDays).toBe(30);
    }
  });

  test('reserve no concurrency: a small account could not deploy', () => {
    for (const each of stack.functions.values()) expect(each.ReservedConcurrentExecutions).toBeUndefined();
  });

  test('of the API answer before the gateway gives up', () => {
    for (const name of [...Object.keys(API_GROUPS), 'docs']) expect(lambda(name).Timeout).toBeLessThan(30);
  });

  test('of the publishers share one bundle', () => {
    expect(new Set(publishers.map(name => lambda(name).Code.S3Key)).size).toBe(1);
  });

  test('of the publishers carry the image library in a layer; nobody else does', () => {
    const carriers = [...stack.functions].filter(([, { Layers }]) => (Layers ?? []).length > 0);
    expect(carriers.map(([name]) => name).sort()).toEqual([...publishers].sort());
    for (const [, { Layers }] of carriers) expect(Layers).toHaveLength(1);
  });

  test('that call receivers have a thread for each of many names, so that dead name servers hold up nobody', () => {
    expect(Number(lambda('webhook-dispatcher').Environment.Variables.UV_THREADPOOL_SIZE)).toBeGreaterThan(
      100,
    );
  });

  test('cannot be told to play with sandboxes or to reach the machine they run on', () => {
    const template = JSON.stringify(stack.template.toJSON());
    expect(template).not.toMatch(/SANDBOX_URL|ALLOW_LOOPBACK|ALLOW_PRIVATE|ENDPOINT_URL/);
  });

  test('hold no secret in a variable', () => {
    for (const name of stack.functions.keys()) {
      expect(variables(name).join()).not.toMatch(/SECRET|TOKEN|PASSWORD|KEY/);
    }
  });

  test('are told every setting that their code reads', () => {
    for (const name of runningNames()) {
      const wanted = reachOf(name).settings.flatMap(setting => variablesOf(setting, name));
      const missing = wanted.filter(variable => !variables(name).includes(variable));
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });

  function variablesOf(setting: string, name: string): string[] {
    if (setting !== 'publishQueue') return [ENV[setting as keyof typeof ENV]];
    return platformsOf(name).map(publishQueueVariable);
  }
});

/** A publisher serves one platform, insights those that tell any, everything else serves all. */
function platformsOf(name: string) {
  if (name === 'insights') return PLATFORM_IDS.filter(platform => INSIGHTS[platform]);
  return PLATFORM_IDS.filter(platform => bundleOf(name) === name || name === `publisher-${platform}`);
}

describe('rights', () => {
  /** Every function writes its log and its traces; a worker takes notes off its queue. */
  const COMMON =
    /^(logs|xray):|^sqs:(ReceiveMessage|ChangeMessageVisibility|GetQueueUrl|DeleteMessage|GetQueueAttributes)$/;

  /** Statements of a function with what is particular to it. */
  const particular = (name: string): Statement[] =>
    stack
      .statements(idOf(lambda(name).Role))
      .map(statement => ({
        ...statement,
        Action: actionsOf(statement).filter(action => !COMMON.test(action)),
      }))
      .filter(({ Action }) => Action.length > 0);

  const granted = (name: string) => [...new Set(particular(name).flatMap(actionsOf))].sort();

  const withAction = (statements: Statement[], action: string) =>
    statements.filter(statement => actionsOf(statement).includes(action));

  const parametersRead = (name: string) =>
    withAction(particular(name), 'ssm:GetParameter').flatMap(targetsOf).map(parameterOf).sort();

  const parameterOf = (arn: unknown) => JSON.stringify(arn).replace(/.*:parameter(\/[^"]+)".*/, '$1');

  const sentTo = (statements: Statement[]) =>
    withAction(statements, 'sqs:SendMessage')
      .flatMap(targetsOf)
      .map(target => own(stack.at('AWS::SQS::Queue', target as Reference).QueueName))
      .sort();

  test('of a function are the actions that its code can reach, no more and no less', () => {
    const actual = runningNames().map(name => [
      name,
      granted(name).filter(each => each !== 'ssm:GetParameter'),
    ]);
    const needed = runningNames().map(name => [name, reachOf(name).actions]);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(needed));
  });

  test('to secrets are those that its code reads, parameter by parameter', () => {
    for (const name of runningNames()) {
      const { keyRing, platformApps } = reachOf(name);
      const ring = keyRing ? [`${PREFIX}/key-ring`] : [];
      const apps = platformApps ? platformsOf(name).map(platform => `${PREFIX}/platforms/${platform}`) : [];
      expect({ name, reads: parametersRead(name) }).toEqual({ name, reads: [...ring, ...apps].sort() });
    }
  });

  test('of the fallback are to look up a key', () => {
    expect(granted('docs')).toEqual(['dynamodb:GetItem']);
  });

  test('of the maker of the key ring are to put that one parameter', () => {
    const statements = particular('key-ring');
    expect(statements.flatMap(actionsOf)).toEqual(['ssm:PutParameter']);
    expect(statements.flatMap(targetsOf).map(parameterOf)).toEqual([`${PREFIX}/key-ring`]);
  });

  test('of the sweeper reach the index, not the items', () => {
    const [query] = withAction(particular('sweeper'), 'dynamodb:Query');
    expect(JSON.stringify(targetsOf(query!))).toMatch(/index\/wake/);
    expect(targetsOf(query!)).toHaveLength(1);
  });

  test('name their resources: a star stands alone for X-Ray only', () => {
    for (const [id] of stack.all('AWS::IAM::Role')) {
      for (const statement of stack.statements(id)) {
        const traces = actionsOf(statement).every(action => action.startsWith('xray:'));
        if (!traces) expect(targetsOf(statement)).not.toContain('*');
        expect(actionsOf(statement).join()).not.toContain('*');
      }
    }
  });

  test('come from no managed policy', () => {
    for (const [, role] of stack.all('AWS::IAM::Role')) expect(role.ManagedPolicyArns).toBeUndefined();
  });

  test.each(PLATFORM_IDS)(
    'of publisher-%s: send to its own queue and to the events, nowhere else',
    platform => {
      expect(sentTo(particular(`publisher-${platform}`))).toEqual(['events', `publish-${platform}`]);
    },
  );

  test('of a schedule: put a note on the queue of posts or events; and only schedules of this group have them', () => {
    const roles = stack
      .all('AWS::IAM::Role')
      .filter(([, role]) =>
        JSON.stringify(role.AssumeRolePolicyDocument).includes('scheduler.amazonaws.com'),
      );
    expect(roles).toHaveLength(1);
    const [id, role] = roles[0]!;
    expect(stack.statements(id).flatMap(actionsOf)).toEqual(['sqs:SendMessage']);
    expect(sentTo(stack.statements(id))).toEqual(['dispatch', 'events']);
    expect(role.AssumeRolePolicyDocument.Statement).toMatchObject([
      { Condition: { StringEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [expect.any(String), 'Arn'] } } } },
    ]);
  });

  test('to pass a role on are for that role and to the scheduler', () => {
    const passing = runningNames().flatMap(name => withAction(particular(name), 'iam:PassRole'));
    expect(passing.length).toBeGreaterThan(0);
    for (const statement of passing) {
      expect(statement.Condition).toEqual({
        StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
      });
      expect(targetsOf(statement)).toEqual([
        { 'Fn::GetAtt': [expect.stringContaining('SchedulesRole'), 'Arn'] },
      ]);
    }
  });
});

describe('the provider of captions', () => {
  const rights = (made: Stack) =>
    made
      .statements(idOf(made.functions.get('ai')!.Role))
      .flatMap(statement =>
        actionsOf(statement).flatMap(action => targetsOf(statement).map(on => ({ action, on }))),
      );
  const models = (made: Stack) =>
    rights(made)
      .filter(({ action }) => action.startsWith('bedrock:'))
      .map(({ action, on }) => `${action} ${JSON.stringify(on)}`);
  const told = (made: Stack) =>
    JSON.parse(String(made.functions.get('ai')!.Environment.Variables['AI_PROVIDER'])) as unknown;

  test('is a model of Bedrock, and the function may call just that one', () => {
    expect(told(stack)).toEqual({ provider: 'bedrock', model: 'amazon.nova-lite-v1:0' });
    expect(models(stack)).toEqual([
      expect.stringMatching(/^bedrock:InvokeModel .*foundation-model\/amazon\.nova-lite-v1:0/),
    ]);
  });

  test('may be an inference profile: the model behind it may then be in any region of it', () => {
    const review = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const made = synthesize({ aiModel: 'eu.amazon.nova-lite-v1:0' }, review);
    expect(models(made)).toEqual([
      expect.stringContaining('inference-profile/eu.amazon.nova-lite-v1:0'),
      expect.stringContaining(':bedrock:*::foundation-model/amazon.nova-lite-v1:0'),
    ]);
  });

  test('may be another API, with a key that lies in SSM, and no right to Bedrock', () => {
    const made = synthesize({
      aiProvider: 'openai',
      aiModel: 'gpt-test',
      aiBaseUrl: 'https://ai.example.com/v1',
    });
    expect(told(made)).toEqual({
      provider: 'openai',
      base_url: 'https://ai.example.com/v1',
      model: 'gpt-test',
    });
    expect(models(made)).toEqual([]);
    const parameters = rights(made).filter(({ action }) => action === 'ssm:GetParameter');
    expect(JSON.stringify(parameters)).toContain(`${PREFIX}/ai-provider`);
  });

  test('may be the built-in writer, which needs nothing', () => {
    const made = synthesize({ aiProvider: 'offline' });
    expect(told(made)).toEqual({ provider: 'offline' });
    expect(models(made)).toEqual([]);
    expect(JSON.stringify(rights(made))).not.toContain('ai-provider');
  });

  test.each([
    [{ aiProvider: 'other' }, 'aiProvider'],
    [{ aiProvider: 'openai' }, 'aiModel'],
    [{ aiModel: 'a model' }, 'aiModel'],
    [{ aiBaseUrl: 'http://10.0.0.1/v1' }, 'aiBaseUrl'],
  ])('is refused where it does not fit: %j', (settings, name) => {
    expect(() => synthesize(settings)).toThrow(name);
  });
});

describe('what is kept', () => {
  test('the table outlives its stack, with a way back in time', () => {
    stack.template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'PK', KeyType: 'HASH' },
          { AttributeName: 'SK', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'wake',
            KeySchema: [
              { AttributeName: 'wake_shard', KeyType: 'HASH' },
              { AttributeName: 'wake_at', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          },
        ],
        AttributeDefinitions: Match.arrayWith([{ AttributeName: 'wake_at', AttributeType: 'N' }]),
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });

  test('so does the key ring that seals what lies in it', () => {
    stack.template.hasResource('Custom::KeyRing', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });
});

describe('the sweeper', () => {
  test('looks every minute', () => {
    stack.template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Sweeper'), 'Arn'] } })],
    });
  });
});

describe('settings', () => {
  test('by default let in no browser of another origin, send users to no page, and write to nobody', () => {
    expect(lambda('integrations').Environment.Variables).toMatchObject({ REDIRECT_ALLOWLIST: 'none' });
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
    stack.template.resourceCountIs('AWS::SNS::Topic', 0);
  });

  test('say which origins are let in, who hears of alarms, and under which address the API is known', () => {
    const { template, all, functions } = synthesize({
      allowedOrigins: 'https://app.example.com,https://admin.example.com',
      alarmEmail: 'ops@example.com',
      publicUrl: 'https://api.example.com/v1',
      upgradeUrl: 'https://example.com/plans',
      redirectAllowlist: 'https://app.example.com',
      measured: 'bluesky',
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({
        AllowOrigins: ['https://app.example.com', 'https://admin.example.com'],
      }),
    });
    template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    for (const [, alarm] of all('AWS::CloudWatch::Alarm')) expect(alarm.AlarmActions).toHaveLength(1);
    const told = (name: string) => functions.get(name)?.Environment.Variables;
    for (const name of publishers)
      expect(told(name)).toMatchObject({ PUBLIC_URL: 'https://api.example.com/v1' });
    expect(told('posts')).toMatchObject({ UPGRADE_URL: 'https://example.com/plans' });
    expect(told('insights')).toMatchObject({ MEASURED_PLATFORMS: 'bluesky' });
    expect(told('integrations')).toMatchObject({ REDIRECT_ALLOWLIST: 'https://app.example.com' });
  });

  test.each([
    ['stage', 'Prod!'],
    ['publicUrl', 'http://api.example.com'],
    ['alarmEmail', 'nobody'],
    ['allowedOrigins', 'example.com'],
    ['redirectAllowlist', 'https://app.example.com/page'],
    ['upgradeUrl', ''],
    ['measured', 'x,telegram'],
  ])('that do not fit are named: %s = %j', (name, value) => {
    expect(() => synthesize({ [name]: value })).toThrow(name);
  });
});

describe('the template', () => {
  const alarms = () => stack.all('AWS::CloudWatch::Alarm').map(([, alarm]) => alarm);

  test('is the same whenever the sources are', () => {
    bundleFunctions();
    expect(synthesize().resources).toEqual(stack.resources);
  });

  test('has an alarm for the dead letters of every queue', () => {
    const watched = alarms()
      .filter(({ Namespace }) => Namespace === 'AWS/SQS')
      .map(({ Dimensions }) => idOf(Dimensions[0]!.Value));
    const dead = stack
      .all('AWS::SQS::Queue')
      .filter(([, queue]) => queue.QueueName.endsWith('-dead-letters'));
    expect(watched.toSorted()).toEqual(dead.map(([id]) => id).toSorted());
  });

  test('has an alarm for work that is not done, and for sweeps that do not happen', () => {
    expect(alarms().find(({ MetricName }) => MetricName === OVERDUE_METRIC)).toMatchObject({
      Namespace: lambda('sweeper').Environment.Variables['POWERTOOLS_METRICS_NAMESPACE'],
      Dimensions: [{ Name: 'service', Value: OVERDUE_SERVICE }],
      TreatMissingData: 'breaching',
    });
  });

  test('idles at little: few queues are polled, and the alarms and metrics are those that AWS gives for nothing', () => {
    expect(mappings().length).toBeLessThanOrEqual(PLATFORM_IDS.length + 6);
    expect(alarms().length).toBeLessThanOrEqual(10);
  });

  test('has an alarm for dead letters that were read: each is a post that the service failed', () => {
    stack.template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      Dimensions: [
        { Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp('^PublishingDeadLetters') } },
      ],
      Threshold: 0,
    });
  });

  test('passes the review of the AWS solutions rules', () => {
    const review = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => synthesize({}, review)).not.toThrow();
  });
});
