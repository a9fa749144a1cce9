import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from './run-command.ts';

const environment = process.env;
beforeAll(() => {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith('AWS_'));
  process.env = {
    ...Object.fromEntries(others),
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
});
afterAll(() => void (process.env = environment));

const run = (words: string) => runCommand(words.split(' '));

test.each([
  ['platform set x y z --client-id a', 'Unexpected: y z'],
  ['workspace create --name A --plan pro --owner-email a@b.co extra', 'Unexpected: extra'],
])('refuses words that a command does not take: %s', async (words, message) => {
  await expect(run(words)).rejects.toThrow(message);
});

test.each(['--help', 'platform set --help', 'workspace create --name A -h'])(
  'shows the usage for %s',
  async words => {
    expect(await run(words)).toMatch(/^Usage:/);
  },
);

test.each([
  ['a region', 'workspace list --stage prod', /Region is missing.* --region/],
  ['credentials', 'workspace list --stage prod --region eu-west-1', /Could not load credentials.* --profile/],
])('says what to do without %s', async (_, words, message) => {
  await expect(run(words)).rejects.toThrow(message);
});
