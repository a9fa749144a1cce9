import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { localClientConfig } from '../../local/aws/tables.ts';
import { stackFileBeside } from '../../local/ready.ts';
import { OUTPUTS } from '../../lib/outputs.ts';
import { ENV } from '../../shared/aws/env.ts';
import { runAdmin, runHere, type AdminRun } from '../support/admin.ts';
import { fakeDeployment, type FakeDeployment } from '../support/fake-deployment.ts';
import { startStack, type TestStack } from '../support/stack.ts';

/** The operator's commands, as `npm run admin -- …` runs them on an ephemeral local stack. */

/** Containers cache keys for up to 30 s. */
const CACHE_S = 31;

let stack: TestStack;
/** Environment variables of the stack's functions. */
let environment: Record<string, string>;
beforeAll(async () => {
  stack = await startStack();
  const file = readFileSync(stackFileBeside(stack.readyFile), 'utf8');
  environment = (JSON.parse(file) as { environment: Record<string, string> }).environment;
});
afterAll(() => stack.close());

/** In a process of its own where the command reads its standard input or sets the exit code. */
function onStack(words: readonly string[], input?: string): Promise<AdminRun> {
  const all = [...words, '--ready-file', stack.readyFile];
  return input === undefined ? runHere(all) : runAdmin(all, { input });
}

/** Runs a command that succeeds, and returns what it prints. */
async function admin(words: string, input?: string): Promise<string> {
  const { status, output, errors } = await onStack(words.split(' '), input);
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  return output;
}

const field = (text: string, name: RegExp) => name.exec(text)![1]!;

const statusWith = async (key: string) =>
  (await stack.api('GET', '/agency/profiles', undefined, { authorization: `Bearer ${key}` })).status;

test('creates a workspace, lists it, changes its plan, creates and revokes keys', async () => {
  const created = await admin('workspace create --name Acme --plan pro --owner-email a@example.com');
  const workspace = field(created, /Workspace: (\S+)/);
  const first = field(created, /API key \(shown once\): (sps_\w{40})/);
  expect(await statusWith(first)).toBe(200);

  expect(await admin('workspace list')).toMatch(
    new RegExp(`^ID.*\n\\S+ +business +\\S+ +Demo\n${workspace} +pro +2\\S+ +Acme\n$`),
  );

  const second = await admin(`key create --workspace ${workspace} --name CI`);
  const secondKey = field(second, /API key \(shown once\): (sps_\w{40})/);
  expect(await statusWith(secondKey)).toBe(200);

  await admin(`key revoke --workspace ${workspace} --key ${field(second, /Key id: (\S+)/)}`);
  await stack.advance(CACHE_S);
  expect([await statusWith(secondKey), await statusWith(first)]).toEqual([401, 200]);

  await admin(`workspace set-plan --workspace ${workspace} --plan free`);
  await stack.advance(CACHE_S);
  const refused = await stack.api('GET', '/agency/profiles', undefined, { authorization: `Bearer ${first}` });
  expect([refused.status, refused.body]).toEqual([
    403,
    {
      error: expect.any(String),
      required_tier: 'starter',
      current_tier: 'free',
      upgrade_url: expect.stringMatching(/^https:/),
    },
  ]);
});

test('stores the app of a platform with a secret from standard input; the next connect uses it', async () => {
  await admin('platform set x --client-id my-app', 'my-secret\n');
  await stack.advance(301);
  const { body } = await stack.api('POST', '/integrations/x/connect', { profile_name: 'Demo' });
  expect(new URL(body.authorize_url).searchParams.get('client_id')).toBe('my-app');

  const listed = await admin('platform list');
  expect(listed).toMatch(/^x +my-app +2\S+$/m);
  expect(listed).toMatch(/^telegram +needs none$/m);
  expect(listed).not.toContain('my-secret');
});

test('rotates the key ring; what was sealed before stays readable', async () => {
  const create = await stack.api('POST', '/webhooks', { url: `${stack.sandbox_url}/_receiver/rotated` });
  expect(await admin('key-ring rotate')).toMatch(/^The key ring has 2 keys; the new one seals from 2\S+Z on/);
  expect(await onStack(['key-ring', 'rotate'])).toMatchObject({
    status: 1,
    errors: expect.stringMatching(/seals from/),
  });
  await stack.advance(16 * 60);
  const { id } = create.body.webhook;
  const sent = await stack.api('POST', `/webhooks/${id}/test`);
  expect([sent.status, (await stack.api('POST', `/webhooks/${id}/rotate-secret`)).status]).toEqual([
    expect.any(Number),
    200,
  ]);
});

test('finds nothing to do on a healthy stack', async () => {
  const { status, output } = await onStack(['doctor'], '');
  expect(output.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^ok +key ring +2 keys/),
    expect.stringMatching(/^ok +apps/),
    expect.stringMatching(/^ok +API versions/),
    expect.stringMatching(/^ok +queues +No dead letters/),
    expect.stringMatching(/^ok +polling +Lambda polls 14 queues$/),
    expect.stringMatching(/^ok +schedules/),
    expect.stringMatching(/^ok +tokens/),
    expect.stringMatching(/^ok +alarms/),
    expect.stringMatching(/^ok +TikTok domain/),
  ]);
  expect(status).toBe(0);
});

describe('a dead letter that only its queue understands', () => {
  const sqs = () => new SQSClient({ ...localClientConfig(stack.aws.endpoint), useQueueUrlAsEndpoint: false });
  const deadLetters = async () => {
    const { body } = await stack.local<{ queues: { name: string; dead_letters: number | null }[] }>(
      'GET',
      '/_local/queues',
    );
    return body.queues.find(({ name }) => environment[ENV.eventsQueueUrl]!.endsWith(name))!.dead_letters!;
  };

  test('is listed, told by the doctor, and returned to its queue', async () => {
    const QueueUrl = environment[ENV.eventsQueueUrl]!;
    await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: 'not an event' }));
    await stack.until('a dead letter', async () => {
      await stack.advance(600);
      return (await deadLetters()) === 1;
    });
    const listed = await stack.until('a visible dead letter', async () => {
      const output = await admin('dlq list');
      return output.includes('not an event') && output;
    });
    expect(listed).toMatch(
      new RegExp(`^SENT.*\n2\\S+Z +\\d+ times +${QueueUrl.split('/').at(-1)} +not an event\n$`),
    );
    expect((await onStack(['doctor'], '')).output).toMatch(
      /^todo +queues +1 dead letter\. See them with npm run admin -- dlq list --ready-file /m,
    );
    expect(await admin('dlq redrive')).toBe('1 dead letters are returned to their queues\n');
    expect(await deadLetters()).toBe(0);
    await stack.local('DELETE', '/_local/queues');
    expect(await admin('dlq list')).toBe('There are no dead letters\n');
  });
});

describe('a deployed stack', () => {
  let deployment: FakeDeployment;
  beforeAll(async () => {
    const outputs = {
      [OUTPUTS.table]: stack.aws.table,
      [OUTPUTS.bucket]: stack.aws.bucket,
      [OUTPUTS.mediaUrl]: 'https://media.example.com',
      [OUTPUTS.sweeper]: 'sweeper',
      [OUTPUTS.scheduleGroup]: 'group',
    };
    deployment = await fakeDeployment('social-publishing-test', outputs, environment);
  });
  afterAll(() => deployment.close());

  const KEYS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  const onStage = (words: string, credentials: Record<string, string> = KEYS) =>
    runAdmin(words.split(' '), {
      env: { AWS_ENDPOINT_URL: stack.aws.endpoint, ...credentials, ...deployment.env },
    });

  test.each(['--stage test', '--stack social-publishing-test'])('is found by %s', async words => {
    expect((await onStage(`workspace list ${words} --region us-east-1`)).output).toMatch(/ Demo\n/);
  });

  test('is found with the credentials and the region of a profile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'profile-'));
    const config = join(folder, 'config');
    const keys = 'aws_access_key_id = local\naws_secret_access_key = local\n';
    writeFileSync(config, `[profile company]\nregion = eu-central-1\n${keys}`);
    const files = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: config };
    try {
      const listed = await onStage('workspace list --stage test --profile company', files);
      expect(listed.output).toMatch(/ Demo\n/);
      const missing = await onStage('workspace list --stage other --profile company', files);
      expect(missing.errors).toContain('no stack social-publishing-other in eu-central-1');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('has its parts found by the outputs', async () => {
    expect(await onStage('dlq list --stage test --region us-east-1')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/dead letters/),
    });
  });

  test('is refused by name where there is none', async () => {
    const { status, errors } = await onStage('workspace list --stage other --region eu-west-1');
    expect(status).toBe(1);
    expect(errors).toBe(
      'There is no stack social-publishing-other in eu-west-1. Choose another with --stage, --stack, --region or --profile\n',
    );
  });
});

test.each([
  ['no command', '', /Usage:/],
  ['an unknown command', 'workspace paint', /Usage:/],
  ['a missing option', 'workspace create --name A', /Missing: --plan, --owner-email/],
  ['an unknown plan', 'workspace create --name A --plan gold --owner-email a@b.co', /--plan must be one of/],
  ['an invalid e-mail address', 'workspace create --name A --plan pro --owner-email a', /e-mail/],
  ['an unknown workspace', 'workspace set-plan --workspace w --plan pro', /Workspace not found/],
  ['an unknown key', 'key revoke --workspace w --key k', /API key not found/],
  ['an unknown platform', 'platform set myspace --client-id a', /PLATFORM must be/],
  ['an empty secret', 'platform set x --client-id a', /The client secret is empty/],
  ['a secret on the command line', 'platform set x --client-id a --client-secret=b', /standard input/],
  [
    'a field that the platform does not know',
    'platform set x --client-id a --field colour=red',
    /Unknown field colour/,
  ],
])('fails with a message for %s', async (_, words, expected) => {
  const isAlone = words === '' || words.startsWith('platform set');
  const { status, errors } = await onStack(words.split(' '), isAlone ? '' : undefined);
  expect(status).toBe(1);
  expect(errors).toMatch(expected);
  expect(errors).not.toMatch(/^\s+at /m);
});

test('explains how to choose a stack when none is running', async () => {
  const nowhere = join(stack.readyFile, 'nowhere');
  const { status, errors } = await runAdmin(['workspace', 'list', '--data', nowhere]);
  expect([status, errors]).toEqual([1, expect.stringMatching(/npm start.*--stage prod/)]);
});
