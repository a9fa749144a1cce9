import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStack, type TestStack } from '../support/stack.ts';

/** The operator's commands, as `npm run admin -- …` runs them on a local stack. */

const PROGRAM = new URL('../../bin/admin.ts', import.meta.url).pathname;
/** Containers cache keys for up to 30 s. */
const CACHE_S = 31;

let stack: TestStack;
let data: string;
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'admin-'));
  stack = await startStack({ data });
});
afterAll(async () => {
  await stack.close();
  rmSync(data, { recursive: true, force: true });
});

const admin = (...words: string[]) =>
  execFileSync(process.execPath, [PROGRAM, ...words, '--data', data], { encoding: 'utf8' });

/** Runs a command that fails; returns its exit status and error output. */
function runFailing(...words: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...words, '--data', data], {
    encoding: 'utf8',
  });
  return { status, message: stderr };
}

const field = (text: string, name: RegExp) => name.exec(text)![1]!;

const statusWith = async (key: string) =>
  (await stack.api('GET', '/agency/profiles', undefined, { authorization: `Bearer ${key}` })).status;

test('creates a workspace, changes its plan, creates and revokes keys', async () => {
  const created = admin(
    'workspace',
    'create',
    '--name',
    'Acme',
    '--plan',
    'pro',
    '--owner-email',
    'a@example.com',
  );
  const workspace = field(created, /Workspace: (\S+)/);
  const first = field(created, /API key \(shown once\): (sps_\w{40})/);
  expect(await statusWith(first)).toBe(200);

  const second = admin('key', 'create', '--workspace', workspace, '--name', 'CI');
  const secondKey = field(second, /API key \(shown once\): (sps_\w{40})/);
  expect(await statusWith(secondKey)).toBe(200);

  admin('key', 'revoke', '--workspace', workspace, '--key', field(second, /Key id: (\S+)/));
  await stack.advance(CACHE_S);
  expect([await statusWith(secondKey), await statusWith(first)]).toEqual([401, 200]);

  admin('workspace', 'set-plan', '--workspace', workspace, '--plan', 'free');
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

test('stores the app of a platform, which the next connect uses', async () => {
  admin('platform', 'set', 'x', '--client-id', 'my-app', '--client-secret', 'my-secret');
  await stack.advance(301);
  const { body } = await stack.api('POST', '/integrations/x/connect', { profile_name: 'Demo' });
  expect(new URL(body.authorize_url).searchParams.get('client_id')).toBe('my-app');
});

test('rotates the key ring; what was sealed before stays readable', async () => {
  const create = await stack.api('POST', '/webhooks', { url: `${stack.sandbox_url}/_receiver/rotated` });
  expect(admin('key-ring', 'rotate')).toMatch(/^The key ring has 2 keys; the new one seals from 2\S+Z on/);
  expect(runFailing('key-ring', 'rotate')).toMatchObject({
    status: 1,
    message: expect.stringMatching(/seals from/),
  });
  await stack.advance(16 * 60);
  const { id } = create.body.webhook;
  const sent = await stack.api('POST', `/webhooks/${id}/test`);
  expect([sent.status, (await stack.api('POST', `/webhooks/${id}/rotate-secret`)).status]).toEqual([
    expect.any(Number),
    200,
  ]);
});

test.each([
  ['no command', [], /Usage:/],
  ['an unknown command', ['workspace', 'paint'], /Usage:/],
  ['a missing option', ['workspace', 'create', '--name', 'A'], /Missing: --plan, --owner-email/],
  [
    'an unknown plan',
    ['workspace', 'create', '--name', 'A', '--plan', 'gold', '--owner-email', 'a@b.co'],
    /--plan must be one of/,
  ],
  [
    'an invalid e-mail address',
    ['workspace', 'create', '--name', 'A', '--plan', 'pro', '--owner-email', 'a'],
    /e-mail/,
  ],
  [
    'an unknown workspace',
    ['workspace', 'set-plan', '--workspace', 'w', '--plan', 'pro'],
    /Workspace not found/,
  ],
  ['an unknown key', ['key', 'revoke', '--workspace', 'w', '--key', 'k'], /API key not found/],
  [
    'an unknown platform',
    ['platform', 'set', 'myspace', '--client-id', 'a', '--client-secret', 'b'],
    /PLATFORM must be/,
  ],
  [
    'a field that the platform does not know',
    ['platform', 'set', 'x', '--client-id', 'a', '--client-secret', 'b', '--field', 'colour=red'],
    /Unknown field colour/,
  ],
  [
    'a stage without its table, which would change the local stack',
    ['workspace', 'set-plan', '--workspace', 'w', '--plan', 'pro', '--stage', 'prod'],
    /--stage requires --table/,
  ],
])('fails with a message for %s', (_, words, expected) => {
  const { status, message } = runFailing(...words);
  expect(status).toBe(1);
  expect(message).toMatch(expected);
  expect(message).not.toMatch(/^\s+at /m);
});

test('explains how to choose a stack when none is running', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [PROGRAM, 'key', 'create', '--workspace', 'w', '--name', 'n', '--data', join(data, 'nowhere')],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining('npm start')]);
});
