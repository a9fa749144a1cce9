import { GetParametersCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ssm as ssmClient } from './clients.ts';
import { ENV } from './env.ts';
import { readParameter } from './parameters.ts';

beforeAll(() => void (process.env[ENV.initialParameters] = '/p/key-ring,/p/platforms/x'));
afterAll(() => void Reflect.deleteProperty(process.env, ENV.initialParameters));

test('the first read of a container reads all its parameters in one call, later reads one', async () => {
  const calls: unknown[] = [];
  let isThrottled = true;
  const send = (command: { input: { Name?: string } }) => {
    calls.push(command.input);
    if (isThrottled) return Promise.reject(new Error('ThrottlingException'));
    if (command instanceof GetParametersCommand) {
      return Promise.resolve({ Parameters: [{ Name: '/p/key-ring', Value: 'ring' }] });
    }
    if (command.input.Name !== '/p/key-ring') {
      return Promise.reject(new ParameterNotFound({ message: '', $metadata: {} }));
    }
    return Promise.resolve({ Parameter: { Value: 'ring 2' } });
  };
  const ssm = { send } as unknown as SSMClient;
  await expect(readParameter(ssm, '/p/key-ring')).rejects.toThrow('Throttling');
  isThrottled = false;
  const read = (name: string) => readParameter(ssm, name);
  expect(await Promise.all(['/p/key-ring', '/p/platforms/x'].map(read))).toEqual(['ring', null]);
  expect(calls).toHaveLength(2);
  expect([await read('/p/key-ring'), await read('/p/platforms/x')]).toEqual(['ring 2', null]);
  expect(calls).toHaveLength(4);
});

test('a throttled read is retried for seconds', async () => {
  const { config } = await ssmClient();
  expect(await config.maxAttempts()).toBe(8);
});
