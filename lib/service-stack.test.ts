import { beforeAll, describe, expect, test } from '@jest/globals';
import { Validations, type App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { routes as DOCS } from '../functions/docs/routes.ts';
import { API_GROUPS } from '../functions/routes.ts';
import { ENV, publishMappingVariable, publishQueueVariable } from '../shared/aws/env.ts';
import { CAPACITY } from '../shared/delivery/load.ts';
import { PLATFORM_IDS } from '../shared/model/platform.ts';
import { BASICS } from '../shared/platforms/registry/basics.ts';
import { RULES } from '../shared/platforms/registry/rules.ts';
import { reachOfFunctions, type Reach } from '../test/support/reachable.ts';
import {
  actionsOf,
  idOf,
  nameOf,
  synthesize,
  targetsOf,
  type Reference,
  type Stack,
  type Statement,
} from '../test/support/template.ts';
import { bundleAll } from './bundle-all.ts';
import { bundleFunction, functionNames } from './bundle.ts';
import { appPlatforms } from './secrets.ts';

let stack: Stack;
let reach: ReadonlyMap<string, Reach>;

beforeAll(() => {
  bundleAll();
  stack = synthesize();
  reach = reachOfFunctions();
});

const PREFIX = '/social-publishing-test';
const publishers = PLATFORM_IDS.map(platform => `publisher-${platform}`);
const bundleOf = (name: string) => (publishers.includes(name) ? 'publisher' : name);
const lambda = (name: string) => stack.functions.get(name)!;
const reachOf = (name: string) => reach.get(bundleOf(name))!;
const variables = (name: string) => Object.keys(lambda(name).Environment.Variables);

/** The `docs` fallback bundles all routes to tell 404 from 405, but runs none of them. */
const workingNames = () => [...stack.functions.keys()].filter(name => name !== 'docs');

/** Event source mappings with their queue and function. */
const mappings = () =>
  stack.all('AWS::Lambda::EventSourceMapping').map(([, mapping]) => ({
    ...mapping,
    queue: stack.at('AWS::SQS::Queue', mapping.EventSourceArn),
    worker: stack.at('AWS::Lambda::Function', mapping.FunctionName),
  }));

const mappingOf = (queue: string) => {
  const found = mappings().find(mapping => nameOf(mapping.queue) === queue);
  return found && { ...found, worker: nameOf(found.worker) };
};

describe('queues', () => {
  test.each(PLATFORM_IDS)('publish-%s has its own publisher with the limits of its rules', platform => {
    const { worker } = RULES[platform];
    expect(mappingOf(`publish-${platform}`)).toMatchObject({
      BatchSize: CAPACITY,
      // The first connection of the platform turns it on.
      Enabled: false,
      ScalingConfig: { MaximumConcurrency: worker.max_concurrency },
      worker: `publisher-${platform}`,
    });
    expect(lambda(`publisher-${platform}`)).toMatchObject({
      MemorySize: worker.memory_mb,
      Timeout: worker.timeout_s,
      Environment: { Variables: { [ENV.platform]: platform } },
    });
  });

  test.each([
    ['dispatch', 'dispatcher', 10],
    ['events', 'webhook-dispatcher', 10],
  ])('%s is consumed by %s in batches of at most %i', (queue, worker, BatchSize) => {
    expect(mappingOf(queue)).toMatchObject({ worker, BatchSize });
    expect(mappingOf(queue)!.Enabled ?? true).toBe(true);
  });

  test('exist for the platforms of the setting only', () => {
    const made = synthesize({ platforms: 'bluesky,x' });
    const names = made.all('AWS::SQS::Queue').map(([, queue]) => nameOf(queue));
    expect(names.sort()).toEqual([
      'broadcasts',
      'dead-letters',
      'dispatch',
      'events',
      'publish-bluesky',
      'publish-x',
    ]);
    expect([...made.functions.keys()].filter(name => name.startsWith('publisher'))).toEqual([
      'publisher-bluesky',
      'publisher-x',
    ]);
    const { Variables } = made.functions.get('posts')!.Environment;
    expect(Variables[ENV.disabledPlatforms]).toBe(
      PLATFORM_IDS.filter(id => id !== 'bluesky' && id !== 'x').join(','),
    );
  });

  test('hide a message for six timeouts of its consumer, and redeliver only failed messages of a batch', () => {
    for (const { queue, worker, FunctionResponseTypes } of mappings()) {
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * worker.Timeout);
      expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    }
  });

  test('move a message to the dead-letter queue after five receives and keep it for two weeks', () => {
    const queues = stack.all('AWS::SQS::Queue').map(([, queue]) => queue);
    const workQueues = queues.filter(queue => nameOf(queue) !== 'dead-letters');
    expect(workQueues).toHaveLength(PLATFORM_IDS.length + 3);
    for (const { RedrivePolicy } of workQueues) {
      expect(RedrivePolicy?.maxReceiveCount).toBe(5);
      const dead = stack.at('AWS::SQS::Queue', RedrivePolicy!.deadLetterTargetArn);
      expect([nameOf(dead), dead.MessageRetentionPeriod]).toEqual(['dead-letters', 14 * 24 * 60 * 60]);
    }
  });

  test.each(['housekeeper', 'media-importer'])(
    'are replaced for %s by retried invocations with the dead letters as failure destination',
    name => {
      const settings = stack
        .all('AWS::Lambda::EventInvokeConfig')
        .map(([, setting]) => setting)
        .find(({ FunctionName }) => nameOf(stack.at('AWS::Lambda::Function', FunctionName)) === name)!;
      expect(settings.MaximumRetryAttempts).toBe(2);
      const { Destination } = settings.DestinationConfig.OnFailure;
      expect(nameOf(stack.at('AWS::SQS::Queue', Destination))).toBe('dead-letters');
      const sends = stack
        .statements(idOf(lambda(name).Role))
        .filter(statement => actionsOf(statement).includes('sqs:SendMessage'));
      expect(sends.flatMap(targetsOf)).toContainEqual(Destination);
    },
  );

  test('are not needed for runs of a rule, of which none is repeated: the next one is soon enough', () => {
    const settings = stack.all('AWS::Lambda::EventInvokeConfig').map(([, setting]) => setting);
    const targets = stack
      .all('AWS::Events::Rule')
      .filter(([, { ScheduleExpression }]) => ScheduleExpression !== undefined)
      .flatMap(([, { Targets }]) => Targets.map(({ Arn }) => idOf(Arn)));
    expect(targets).toHaveLength(2);
    for (const target of targets) {
      expect(settings.find(({ FunctionName }) => idOf(FunctionName) === target)).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
      });
    }
  });

  test('are encrypted at rest and in transit', () => {
    const policies = stack.all('AWS::SQS::QueuePolicy').map(([, policy]) => policy);
    for (const [id, queue] of stack.all('AWS::SQS::Queue')) {
      expect(queue.SqsManagedSseEnabled).toBe(true);
      const policy = policies.find(({ Queues }) => Queues.some(each => idOf(each) === id));
      const denied = policy?.PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Deny');
      expect(denied).toMatchObject([
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
    }
  });
});

describe('the API', () => {
  const routes = () =>
    stack.all('AWS::ApiGatewayV2::Route').map(([, { RouteKey, Target }]) => {
      const integration = stack.at('AWS::ApiGatewayV2::Integration', Target['Fn::Join'][1][1]);
      const group = nameOf(stack.at('AWS::Lambda::Function', integration.IntegrationUri));
      return { RouteKey, group, format: integration.PayloadFormatVersion };
    });

  test('routes exactly the routes of every group, below both prefixes, to the function of the group', () => {
    const expected = Object.entries({ ...API_GROUPS, docs: DOCS }).flatMap(([group, rows]) =>
      rows.flatMap(({ method, path }) =>
        ['/v1', '/api/v1'].map(prefix => `${method} ${prefix}${path} -> ${group}`),
      ),
    );
    const actual = routes().map(({ RouteKey, group }) => `${RouteKey} -> ${group}`);
    expect(actual.sort()).toEqual([...expected, '$default -> docs'].sort());
  });

  test('uses payload format 2.0', () => {
    expect(new Set(routes().map(({ format }) => format))).toEqual(new Set(['2.0']));
  });

  test('is throttled, and logs requests without query strings, which may hold secrets', () => {
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

  test('throttles every route that needs no key below the others', () => {
    const [, stage] = stack.all('AWS::ApiGatewayV2::Stage')[0]!;
    const open = Object.values({ ...API_GROUPS, docs: DOCS })
      .flat()
      .filter(({ auth }) => auth === 'none')
      .flatMap(({ method, path }) => [`${method} /v1${path}`, `${method} /api/v1${path}`]);
    const { RouteSettings } = stage;
    expect(Object.keys(RouteSettings).sort()).toEqual([...open, '$default'].sort());
    for (const setting of Object.values(RouteSettings)) {
      expect(setting).toEqual({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 });
    }
  });

  test('invokes each function with one permission for all its routes, and one more for the default route', () => {
    const permitted = stack
      .all('AWS::Lambda::Permission')
      .filter(([, { Principal }]) => Principal === 'apigateway.amazonaws.com')
      .map(([, { FunctionName, SourceArn }]) => {
        const path = SourceArn['Fn::Join']![1].at(-1);
        return `${nameOf(stack.at('AWS::Lambda::Function', FunctionName))} ${String(path)}`;
      });
    const groups = [...Object.keys(API_GROUPS), 'docs'].map(group => `${group} /*/*/*`);
    // The source of the default route is `<stage>/$default`: a segment less than that of others.
    expect(permitted.sort()).toEqual([...groups, 'docs /*/*'].sort());
  });
});

describe('functions', () => {
  test('are deployed for every folder with an entry point', () => {
    expect(new Set([...stack.functions.keys()].map(bundleOf))).toEqual(new Set(functionNames()));
  });

  test('run on Node.js 24 and arm64, with JSON logs kept for 30 days and a timeout', () => {
    for (const each of stack.functions.values()) {
      expect(each).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
        Handler: 'index.handler',
      });
      expect(each.Timeout).toBeGreaterThan(3);
      expect(stack.at('AWS::Logs::LogGroup', each.LoggingConfig.LogGroup).RetentionInDays).toBe(30);
    }
  });

  test('are traced, except those that run on a rule, whose traces would cost more than they do', () => {
    const untraced = [...stack.functions].filter(([, { TracingConfig }]) => TracingConfig?.Mode !== 'Active');
    expect(untraced.map(([name]) => name).sort()).toEqual(['insights', 'sweeper']);
  });

  test('reserve no concurrency, which would keep new AWS accounts from deploying', () => {
    for (const each of stack.functions.values()) expect(each.ReservedConcurrentExecutions).toBeUndefined();
  });

  test('of the API time out before API Gateway does', () => {
    for (const name of [...Object.keys(API_GROUPS), 'docs']) expect(lambda(name).Timeout).toBeLessThan(30);
  });

  test('of publishers share one bundle', () => {
    expect(new Set(publishers.map(name => lambda(name).Code.S3Key)).size).toBe(1);
  });

  test('of publishers have the image library as a layer, and no other functions do', () => {
    const carriers = [...stack.functions].filter(([, { Layers }]) => (Layers ?? []).length > 0);
    expect(carriers.map(([name]) => name).sort()).toEqual([...publishers].sort());
    for (const [, { Layers }] of carriers) expect(Layers).toHaveLength(1);
  });

  test('cannot be configured to use sandboxes or to reach loopback addresses', () => {
    const template = JSON.stringify(stack.template.toJSON());
    expect(template).not.toMatch(/SANDBOX_URL|ALLOW_LOOPBACK|ALLOW_PRIVATE|ENDPOINT_URL/);
  });

  test('of publishers write only images that they converted', () => {
    for (const name of publishers) {
      const writing = stack
        .statements(idOf(lambda(name).Role))
        .filter(statement => actionsOf(statement).includes('s3:PutObject'));
      expect(writing).toHaveLength(1);
      expect(JSON.stringify(targetsOf(writing[0]!))).toContain('/public/derived/*');
    }
  });

  test('read unconfirmed uploads only where they confirm or import them', () => {
    const all = new Set<string>();
    for (const [name, { Role }] of stack.functions) {
      const reads = stack
        .statements(idOf(Role))
        .filter(statement => actionsOf(statement).includes('s3:GetObject'));
      const paths = reads.flatMap(targetsOf).map(arn => JSON.stringify(arn));
      if (paths.some(path => !path.includes('/public/'))) all.add(name);
    }
    expect([...all].sort()).toEqual(['media-importer', 'uploads']);
  });

  test('have no secrets in environment variables', () => {
    for (const name of stack.functions.keys()) {
      expect(variables(name).join()).not.toMatch(/SECRET|TOKEN|PASSWORD|KEY/);
    }
  });

  test('have every environment variable that their code reads', () => {
    for (const name of workingNames()) {
      const wanted = reachOf(name).settings.flatMap(setting => variablesOf(setting, name));
      const missing = wanted.filter(variable => !variables(name).includes(variable));
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
  });

  function variablesOf(setting: string, name: string): string[] {
    if (setting === 'publishQueue') return platformsOf(name).map(publishQueueVariable);
    if (setting === 'publishMapping') return platformsOf(name).map(publishMappingVariable);
    return [ENV[setting as keyof typeof ENV]];
  }
});

/** Platforms of a function: one for a publisher, those with metrics for insights, with a shown quota for workspace, otherwise all. */
function platformsOf(name: string) {
  if (name === 'workspace') return ['youtube' as const];
  if (name === 'broadcasts' || name === 'broadcast-controller') return ['youtube' as const];
  if (name === 'insights') return PLATFORM_IDS.filter(platform => BASICS[platform].reading_ages_ms);
  return PLATFORM_IDS.filter(platform => bundleOf(name) === name || name === `publisher-${platform}`);
}

describe('permissions', () => {
  /** Permissions to write logs and traces and to consume a queue, which are not particular to a function. */
  const COMMON =
    /^(logs|xray):|^sqs:(ReceiveMessage|ChangeMessageVisibility|GetQueueUrl|DeleteMessage|GetQueueAttributes)$/;

  /** Statements of a function without the common actions. */
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
      .map(target => nameOf(stack.at('AWS::SQS::Queue', target as Reference)))
      .sort();

  test('of a function are exactly the actions that its code can reach', () => {
    const actual = workingNames().map(name => [
      name,
      granted(name).filter(each => !each.startsWith('ssm:GetParameter')),
    ]);
    // Lambda itself sends events that were given up, with the role of the function.
    const gaveUp = (name: string) =>
      ['housekeeper', 'media-importer'].includes(name) ? ['sqs:SendMessage'] : [];
    const needed = workingNames().map(name => [
      name,
      [...new Set([...reachOf(name).actions, ...gaveUp(name)])].sort(),
    ]);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(needed));
  });

  test('to read parameters are exactly those that the code reads', () => {
    for (const name of workingNames()) {
      const { keyRing, platformApps } = reachOf(name);
      const ring = keyRing ? [`${PREFIX}/key-ring`] : [];
      const used = new Set(platformApps ? platformsOf(name).flatMap(appPlatforms) : []);
      const apps = [...used].map(platform => `${PREFIX}/platforms/${platform}`);
      expect({ name, reads: parametersRead(name) }).toEqual({ name, reads: [...ring, ...apps].sort() });
    }
  });

  test('of the fallback are limited to reading items', () => {
    expect(granted('docs')).toEqual(['dynamodb:GetItem']);
  });

  test('of the key ring function are limited to writing that parameter', () => {
    const statements = particular('key-ring');
    expect(statements.flatMap(actionsOf)).toEqual(['ssm:PutParameter']);
    expect(statements.flatMap(targetsOf).map(parameterOf)).toEqual([`${PREFIX}/key-ring`]);
  });

  test('to change event source mappings are limited to those of the queues that they open', () => {
    const mappingsOf = (queue: RegExp) =>
      stack
        .all('AWS::Lambda::EventSourceMapping')
        .filter(([, { EventSourceArn }]) => queue.test(nameOf(stack.at('AWS::SQS::Queue', EventSourceArn))))
        .map(([id]) => id);
    for (const [name, queues] of [
      ['integrations', /^publish-/],
      ['broadcasts', /^broadcasts$/],
      ['sweeper', /^publish-|^broadcasts$/],
    ] as const) {
      const ids = withAction(particular(name), 'lambda:UpdateEventSourceMapping')
        .flatMap(targetsOf)
        .map(arn => /event-source-mapping:.*"Ref":"(\w+)"/.exec(JSON.stringify(arn))?.[1]);
      expect([name, ids.sort()]).toEqual([name, mappingsOf(queues).toSorted()]);
    }
  });

  test('name their resources: only X-Ray actions and lists of tasks have "*"', () => {
    for (const [id] of stack.all('AWS::IAM::Role')) {
      for (const statement of stack.statements(id)) {
        const isUnlimited = actionsOf(statement).every(action => /^xray:|^ecs:ListTasks$/.test(action));
        if (!isUnlimited) expect(targetsOf(statement)).not.toContain('*');
        expect(actionsOf(statement).join()).not.toContain('*');
      }
    }
  });

  test('do not come from managed policies', () => {
    for (const [, role] of stack.all('AWS::IAM::Role')) expect(role.ManagedPolicyArns).toBeUndefined();
  });

  test.each(PLATFORM_IDS)(
    'of publisher-%s allow to send to its own queue and to the events queue only',
    platform => {
      expect(sentTo(particular(`publisher-${platform}`))).toEqual(['events', `publish-${platform}`]);
    },
  );

  test('of a schedule allow to send to three queues only, for schedules of this group only', () => {
    const roles = stack
      .all('AWS::IAM::Role')
      .filter(([, role]) =>
        JSON.stringify(role.AssumeRolePolicyDocument).includes('scheduler.amazonaws.com'),
      );
    expect(roles).toHaveLength(1);
    const [id, role] = roles[0]!;
    expect(stack.statements(id).flatMap(actionsOf)).toEqual(['sqs:SendMessage']);
    expect(sentTo(stack.statements(id))).toEqual(['broadcasts', 'dispatch', 'events']);
    expect(role.AssumeRolePolicyDocument.Statement).toMatchObject([
      { Condition: { StringEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [expect.any(String), 'Arn'] } } } },
    ]);
  });

  test('to pass a role are limited to the schedule role and Scheduler, and to the roles of the worker and ECS', () => {
    const passing = workingNames().flatMap(name => withAction(particular(name), 'iam:PassRole'));
    const toService = (service: string) =>
      passing.filter(
        ({ Condition }) =>
          JSON.stringify(Condition) === JSON.stringify({ StringEquals: { 'iam:PassedToService': service } }),
      );
    const toScheduler = toService('scheduler.amazonaws.com');
    expect(toScheduler.length).toBeGreaterThan(0);
    for (const statement of toScheduler) {
      expect(targetsOf(statement)).toEqual([
        { 'Fn::GetAtt': [expect.stringContaining('SchedulesRole'), 'Arn'] },
      ]);
    }
    const [toTasks, ...others] = passing.filter(statement => !toScheduler.includes(statement));
    expect(others).toEqual([]);
    expect(toService('ecs-tasks.amazonaws.com')).toEqual([toTasks]);
    expect(targetsOf(toTasks!)).toEqual([
      { 'Fn::GetAtt': [expect.stringContaining('TaskExecutionRole'), 'Arn'] },
      { 'Fn::GetAtt': [expect.stringContaining('TaskTaskRole'), 'Arn'] },
    ]);
  });
});

describe('the caption provider', () => {
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
  const settingOf = (made: Stack) =>
    JSON.parse(String(made.functions.get('ai')!.Environment.Variables['AI_PROVIDER'])) as unknown;

  test('is one Bedrock model, the only one that the function may invoke', () => {
    expect(settingOf(stack)).toEqual({ provider: 'bedrock', model: null });
    expect(models(stack)).toEqual([
      // The region of the stack decides which inference profile it is (`shared/ai/default-model.ts`).
      expect.stringContaining(':inference-profile/*.amazon.nova-lite-v1:0'),
      expect.stringContaining(':bedrock:*::foundation-model/amazon.nova-lite-v1:0'),
    ]);
  });

  test('may be an inference profile, whose model may then be invoked in any region', () => {
    const review = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const made = synthesize({ aiModel: 'eu.amazon.nova-lite-v1:0' }, review);
    expect(models(made)).toEqual([
      expect.stringContaining('inference-profile/eu.amazon.nova-lite-v1:0'),
      expect.stringContaining(':bedrock:*::foundation-model/amazon.nova-lite-v1:0'),
    ]);
  });

  test('may be an OpenAI-compatible API, with its key in SSM and without access to Bedrock', () => {
    const made = synthesize({
      aiProvider: 'openai',
      aiModel: 'gpt-test',
      aiBaseUrl: 'https://ai.example.com/v1',
    });
    expect(settingOf(made)).toEqual({
      provider: 'openai',
      base_url: 'https://ai.example.com/v1',
      model: 'gpt-test',
    });
    expect(models(made)).toEqual([]);
    const parameters = rights(made).filter(({ action }) => action === 'ssm:GetParameter');
    expect(JSON.stringify(parameters)).toContain(`${PREFIX}/ai-provider`);
  });

  test('may be the offline writer, which needs no permissions', () => {
    const made = synthesize({ aiProvider: 'offline' });
    expect(settingOf(made)).toEqual({ provider: 'offline' });
    expect(models(made)).toEqual([]);
    expect(JSON.stringify(rights(made))).not.toContain('ai-provider');
  });

  test.each([
    [{ aiProvider: 'other' }, 'aiProvider'],
    [{ aiProvider: 'openai' }, 'aiModel'],
    [{ aiModel: 'a model' }, 'aiModel'],
    [{ aiBaseUrl: 'http://10.0.0.1/v1' }, 'aiBaseUrl'],
  ])('is refused with invalid settings %j', (settings, name) => {
    expect(() => synthesize(settings)).toThrow(name);
  });
});

describe('retained resources', () => {
  test('include the table, with point-in-time recovery', () => {
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

  test('include the key ring', () => {
    stack.template.hasResource('Custom::KeyRing', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });
});

describe('the sweeper', () => {
  test('runs every minute', () => {
    stack.template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Sweeper'), 'Arn'] } })],
    });
  });
});

describe('settings', () => {
  test('by default allow no CORS origin, no redirect origin, and no alarm e-mail', () => {
    expect(lambda('integrations').Environment.Variables).toMatchObject({ REDIRECT_ALLOWLIST: 'none' });
    stack.template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
    stack.template.resourceCountIs('AWS::SNS::Topic', 0);
  });

  test('set CORS origins, the alarm e-mail, URLs, redirect origins and platforms with insights', () => {
    const { template, all, functions } = synthesize({
      allowedOrigins: 'https://app.example.com,https://admin.example.com',
      alarmEmail: 'ops@example.com',
      publicUrl: 'https://api.example.com/v1',
      upgradeUrl: 'https://example.com/plans',
      redirectAllowlist: 'https://app.example.com',
      insightsPlatforms: 'bluesky',
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: Match.objectLike({
        AllowOrigins: ['https://app.example.com', 'https://admin.example.com'],
        AllowHeaders: Match.arrayWith(['authorization', 'content-type', 'idempotency-key', 'prefer']),
      }),
    });
    template.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
    for (const [, alarm] of all('AWS::CloudWatch::Alarm')) expect(alarm.AlarmActions).toHaveLength(1);
    const variablesOf = (name: string) => functions.get(name)?.Environment.Variables;
    for (const name of publishers)
      expect(variablesOf(name)).toMatchObject({ PUBLIC_URL: 'https://api.example.com/v1' });
    expect(variablesOf('posts')).toMatchObject({ UPGRADE_URL: 'https://example.com/plans' });
    expect(variablesOf('insights')).toMatchObject({ MEASURED_PLATFORMS: 'bluesky' });
    expect(variablesOf('integrations')).toMatchObject({ REDIRECT_ALLOWLIST: 'https://app.example.com' });
  });

  test.each([
    ['stage', 'Prod!'],
    ['domainName', 'api.example.com'],
    ['certificateArn', 'arn:aws:iam::1:server-certificate/a'],
    ['monthlyBudget', '20'],
    ['lambdaConcurrency', '5'],
    ['mediaCdn', 'no'],
    ['publicUrl', 'http://api.example.com'],
    ['alarmEmail', 'nobody'],
    ['allowedOrigins', 'example.com'],
    ['redirectAllowlist', 'https://app.example.com/page'],
    ['upgradeUrl', ''],
    ['insightsPlatforms', 'x,telegram'],
  ])('are refused by name when they are invalid: %s = %j', (name, value) => {
    expect(() => synthesize({ [name]: value })).toThrow(name);
  });
});

describe('the template', () => {
  const alarms = () => stack.all('AWS::CloudWatch::Alarm').map(([, alarm]) => alarm);

  test('is deterministic', () => {
    for (const name of ['posts', 'publisher', 'media-importer']) bundleFunction(name);
    expect(synthesize().resources).toEqual(stack.resources);
  });

  test('has four alarms: each costs 0.10 dollars a month', () => {
    const watched = alarms().map(({ MetricName, TreatMissingData }) => `${MetricName}: ${TreatMissingData}`);
    expect(watched.sort()).toEqual([
      '5xx: notBreaching',
      'DeadLetters: notBreaching',
      // Of the sweeper: it writes the metric at each run.
      'Errors: breaching',
      'Overdue: notBreaching',
    ]);
  });

  test('passes the AWS Solutions checks of cdk-nag', () => {
    const review = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => synthesize({}, review)).not.toThrow();
  });
});
