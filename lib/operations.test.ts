import { expect, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../test/support/template.ts';
import pinned from './logical-ids.json' with { type: 'json' };
import { QUERIES } from './queries.ts';
import { forgettable, readSettings } from './settings.ts';

/* What operators do with a stack: a second one, an upgrade, a new one in place of a destroyed one. */

const stack = synthesize({ alarmEmail: 'ops@example.com', monthlyBudget: 20 });

/** Properties that name a resource. */
const NAME = /^(Name|\w*(Function|Queue|Table|Bucket|Role|LogGroup|Alarm|Topic|Group)Name)$/;

test('names few resources, and those after the stack: two stages share no name', () => {
  const named = Object.values(stack.resources).flatMap(({ Type, Properties }) =>
    Object.entries(Properties ?? {}).flatMap(([key, value]: [string, unknown]) =>
      NAME.test(key) && typeof value === 'string' ? [`${Type}: ${value.replaceAll('-', '')}`] : [],
    ),
  );
  expect(named.sort()).toEqual([
    'AWS::ApiGatewayV2::Api: socialpublishingtest',
    'AWS::Logs::LogGroup: /aws/vendedlogs/apis/socialpublishingtest',
    ...Object.keys(QUERIES)
      .map(question => `AWS::Logs::QueryDefinition: socialpublishingtest/${question}`)
      .sort(),
    expect.stringMatching(/^AWS::Scheduler::ScheduleGroup: socialpublishingtest/),
  ]);
});

test('names what is unique in the account after the region, too: two regions share no name', () => {
  const global = Object.values(stack.resources).filter(({ Type }) => /CloudFront|Budgets/.test(Type));
  const names = global.flatMap(
    resource =>
      JSON.stringify(resource).match(/"(?:Budget)?Name":(?:"[^"]*"|\{"Fn::Join":\["",\[[^\]]*\]\]\})/g) ?? [],
  );
  expect(names).toHaveLength(3);
  for (const name of names) expect(name).toContain('"social-publishing-test-",{"Ref":"AWS::Region"}');
});

const HOW = `
A logical id has changed. CloudFormation would create a new, empty resource and leave or delete the old one: the table with all
posts and accounts, uploaded files, messages in queues, the URL of the API or of media. Give the construct its old path again.
Only for a new resource, or one that may be replaced, change lib/logical-ids.json.
`;

test('the resources that hold something, or whose address others know, keep their logical ids', () => {
  const types = new Set(Object.values(pinned));
  const found = Object.entries(synthesize().resources)
    .filter(([, { Type }]) => types.has(Type))
    .map(([id, { Type }]): [string, string] => [id, Type]);
  const actual = Object.fromEntries(found.sort(([a], [b]) => a.localeCompare(b)));
  expect({ how: HOW, ...actual }).toEqual({ how: HOW, ...pinned });
});

test('a new stack uses the table and the bucket that a destroyed one left', () => {
  const { template, functions } = synthesize({ keptTable: 'old-table', keptBucket: 'old-bucket' });
  template.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  template.resourceCountIs('AWS::S3::Bucket', 0);
  expect(functions.get('posts')!.Environment.Variables).toMatchObject({
    TABLE_NAME: 'old-table',
    MEDIA_BUCKET: 'old-bucket',
  });
  // The policy of the old stack is gone.
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    Bucket: 'old-bucket',
    PolicyDocument: {
      Statement: [
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({ Effect: 'Allow', Principal: { Service: 'cloudfront.amazonaws.com' } }),
      ],
    },
  });
});

test('without a CDN, S3 itself serves the public objects, and no others', () => {
  const { template } = synthesize({ mediaCdn: false });
  template.resourceCountIs('AWS::CloudFront::Distribution', 0);
  template.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Action: 's3:GetObject',
          Resource: { 'Fn::Join': ['', [Match.anyValue(), '/public/*']] },
        }),
      ]),
    },
  });
});

test('a custom domain has a certificate, a mapping and an output for its DNS record, and is in every link', () => {
  const { template, functions } = synthesize({
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/a',
  });
  template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
    DomainName: 'api.example.com',
    DomainNameConfigurations: [
      Match.objectLike({ CertificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/a' }),
    ],
  });
  template.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
  expect(template.findOutputs('DomainTarget')).toHaveProperty('DomainTarget');
  for (const name of ['integrations', 'publisher-x', 'housekeeper']) {
    expect(functions.get(name)!.Environment.Variables['PUBLIC_URL']).toBe('https://api.example.com/v1');
  }
});

test('a small quota is warned of, and a budget notifies of costs', () => {
  const warned = (settings: Record<string, unknown>) =>
    synthesize(settings).messages.filter(message => message.includes('concurrent invocations'));
  expect(warned({ lambdaConcurrency: 10 })).toHaveLength(1);
  expect(warned({ lambdaConcurrency: 10, platforms: ['x', 'bluesky'] })).toHaveLength(0);
  stack.template.hasResourceProperties('AWS::Budgets::Budget', {
    Budget: Match.objectLike({ BudgetLimit: { Amount: 20, Unit: 'USD' }, TimeUnit: 'MONTHLY' }),
  });
});

test('settings are read from the file of their stage, and those of the command line are reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  try {
    writeFileSync(join(folder, 'test.json'), '{ "alarmEmail": "ops@example.com", "platforms": ["x"] }');
    writeFileSync(join(folder, 'typo.json'), '{ "alarmMail": "ops@example.com" }');
    const { node } = new App({ context: { stage: 'test', mediaCdn: 'false', platforms: 'bluesky' } });
    expect(readSettings(node, folder)).toMatchObject({
      alarmEmail: 'ops@example.com',
      platforms: ['bluesky'],
      mediaCdn: false,
    });
    expect(forgettable(node, folder, { context: { upgradeUrl: '' } })).toEqual(['mediaCdn']);
    expect(() => readSettings(new App({ context: { stage: 'typo' } }).node, folder)).toThrow('alarmMail');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
