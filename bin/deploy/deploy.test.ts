import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { expect, test } from '@jest/globals';
import { readCommandLine } from './command-line.ts';
import { deployedSettings, undone } from './settings.ts';

/** A CloudFormation that answers every call with this. */
const answering = (send: () => Promise<unknown>) =>
  Object.assign(new CloudFormationClient({ region: 'eu-west-1' }), { send });

test.each<[string, Record<string, unknown>, string[]]>([
  ['that are given again, changed or not', { alarmEmail: 'b@example.com', platforms: ['x'] }, []],
  ['that are left out', { platforms: ['x'], live: false }, ['alarmEmail: "a@example.com"']],
])('names no settings but those that a deployment undoes: %s', async (_, next, expected) => {
  const Metadata = JSON.stringify({ Settings: { alarmEmail: 'a@example.com', platforms: ['x'] } });
  const client = answering(() => Promise.resolve({ Metadata }));
  expect(undone(await deployedSettings(client, 'stack'), next)).toEqual(expected);
});

test.each([
  ['there is no stack', () => Promise.reject(new Error('Stack with id stack does not exist'))],
  ['an earlier version deployed the stack', () => Promise.resolve({ Metadata: '{"other":1}' })],
  ['the template has no metadata', () => Promise.resolve({})],
])('has nothing to compare when %s', async (_, send) => {
  expect(await deployedSettings(answering(send), 'stack')).toEqual({});
});

test('an error other than a missing stack is told', async () => {
  const client = answering(() => Promise.reject(new Error('Access denied')));
  await expect(deployedSettings(client, 'stack')).rejects.toThrow('Access denied');
});

test.each([
  [
    ['-c', 'stage=test', '--context', 'aiModel=a=b'],
    { context: { stage: 'test', aiModel: 'a=b' }, profile: null },
  ],
  [
    ['--context=live=false', '--profile', 'p', '--require-approval', 'never'],
    { context: { live: 'false' }, profile: 'p' },
  ],
  [['--profile=q', '-c'], { context: {}, profile: 'q' }],
])('reads stage, settings and profile from the options of cdk deploy: %j', (args, expected) => {
  expect(readCommandLine(args)).toEqual(expected);
});
