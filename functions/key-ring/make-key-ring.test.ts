import { describe, expect, test } from '@jest/globals';
import { ParameterAlreadyExists, type PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { KeyRingSchema } from '../../shared/aws/key-ring.ts';
import type { HttpClient, HttpRequest } from '../../shared/net/http.ts';
import { answerForKeyRing } from './make-key-ring.ts';

const NAME = '/social-publishing-prod/key-ring';

const request = (type: string) => ({
  RequestType: type,
  ResponseURL: 'https://cloudformation.example/answer?signed=1',
  StackId: 'arn:aws:cloudformation:eu-west-1:111122223333:stack/s/1',
  RequestId: 'request-1',
  LogicalResourceId: 'KeyRing',
  ResourceType: 'Custom::KeyRing',
  ResourceProperties: { ServiceToken: 'arn:aws:lambda:…', ParameterName: NAME },
});

/** An SSM that knows some parameters, and an address that takes CloudFormation's answer. */
function world({ parameters = {}, refusal = null, answerStatus = 200 }: Partial<World> = {}) {
  const answers: HttpRequest[] = [];
  const bodies: string[] = [];
  const puts: PutParameterCommand['input'][] = [];
  const ssm = {
    send: ({ input }: PutParameterCommand) => {
      puts.push(input);
      if (refusal) return Promise.reject(refusal);
      const name = input.Name ?? '';
      if (name in parameters && !input.Overwrite) {
        return Promise.reject(new ParameterAlreadyExists({ $metadata: {}, message: 'exists' }));
      }
      parameters[name] = input.Value ?? '';
      return Promise.resolve({});
    },
  } as unknown as SSMClient;
  const http = {
    send: (sent: HttpRequest) => {
      answers.push(sent);
      bodies.push(typeof sent.body === 'string' ? sent.body : '');
      return Promise.resolve({ status: answerStatus, headers: {}, body: Buffer.alloc(0) });
    },
  } as HttpClient;
  const ask = (event: unknown) => answerForKeyRing(event, { ssm, http });
  const answer = () => JSON.parse(bodies[0] ?? '') as Record<string, string>;
  return { ask, answer, answers, bodies, parameters, puts };
}

interface World {
  parameters: Record<string, string>;
  refusal: Error | null;
  answerStatus: number;
}

describe('the key ring of a deployment', () => {
  test('is made at the first deploy, as a SecureString', async () => {
    const { ask, puts, parameters } = world();
    await ask(request('Create'));
    expect(puts).toMatchObject([{ Name: NAME, Type: 'SecureString', Overwrite: false }]);
    const { keys } = v.parse(KeyRingSchema, JSON.parse(parameters[NAME]!));
    expect(keys.map(({ key }) => Buffer.from(key, 'base64').length)).toEqual([32]);
  });

  test.each(['Create', 'Update'])('stays as it is when it exists (%s)', async type => {
    const { ask, answer, parameters } = world({ parameters: { [NAME]: 'the ring in use' } });
    await ask(request(type));
    expect(parameters[NAME]).toBe('the ring in use');
    expect(answer()).toMatchObject({ Status: 'SUCCESS' });
  });

  test('outlives its stack', async () => {
    const { ask, answer, puts, parameters } = world({ parameters: { [NAME]: 'the ring in use' } });
    await ask(request('Delete'));
    expect(puts).toEqual([]);
    expect(parameters[NAME]).toBe('the ring in use');
    expect(answer()).toMatchObject({ Status: 'SUCCESS' });
  });

  test('two deploys never get the same keys', async () => {
    const [one, two] = [world(), world()];
    await one.ask(request('Create'));
    await two.ask(request('Create'));
    expect(one.parameters[NAME]).not.toBe(two.parameters[NAME]);
  });
});

describe('the answer to CloudFormation', () => {
  test('names the request that it answers, and no key', async () => {
    const { ask, answer, bodies, parameters } = world();
    await ask(request('Create'));
    expect(answer()).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: NAME,
      StackId: request('Create').StackId,
      RequestId: 'request-1',
      LogicalResourceId: 'KeyRing',
    });
    const { keys } = v.parse(KeyRingSchema, JSON.parse(parameters[NAME]!));
    expect(bodies[0]).not.toContain(keys[0]!.key);
  });

  test('is a PUT without a content type, which the signature does not cover', async () => {
    const { ask, answers } = world();
    await ask(request('Create'));
    expect(answers).toMatchObject([{ method: 'PUT', url: request('Create').ResponseURL }]);
    expect(answers[0]?.headers).toBeUndefined();
  });

  test('tells why a ring could not be made', async () => {
    const { ask, answer } = world({ refusal: new Error('not authorized to perform ssm:PutParameter') });
    await ask(request('Create'));
    expect(answer()).toMatchObject({
      Status: 'FAILED',
      Reason: 'not authorized to perform ssm:PutParameter',
    });
  });

  test('that does not arrive is an error, so that Lambda tries again', async () => {
    await expect(world({ answerStatus: 403 }).ask(request('Create'))).rejects.toThrow('403');
  });

  test('is not given to what is no request', async () => {
    const { ask, answers } = world();
    await expect(ask({ RequestType: 'Create' })).rejects.toThrow();
    expect(answers).toEqual([]);
  });
});
