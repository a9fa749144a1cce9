import { describe, expect, test } from '@jest/globals';
import { ParameterAlreadyExists, type PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { KeyRingSchema } from '../../shared/aws/key-ring.ts';
import type { HttpClient, HttpRequest } from '../../shared/net/http.ts';
import { handleKeyRingEvent } from './create-key-ring.ts';

const NAME = '/social-publishing-prod/key-ring';

const request = (type: string) => ({
  RequestType: type,
  ResponseURL: 'https://cloudformation.example/response?signed=1',
  StackId: 'arn:aws:cloudformation:eu-west-1:111122223333:stack/s/1',
  RequestId: 'request-1',
  LogicalResourceId: 'KeyRing',
  ResourceType: 'Custom::KeyRing',
  ResourceProperties: { ServiceToken: 'arn:aws:lambda:…', ParameterName: NAME },
});

/** An SSM with some parameters, and a CloudFormation response URL that records what it receives. */
function world({ parameters = {}, ssmError = null, responseStatus = 200 }: Partial<World> = {}) {
  const responses: HttpRequest[] = [];
  const bodies: string[] = [];
  const puts: PutParameterCommand['input'][] = [];
  const ssm = {
    send: ({ input }: PutParameterCommand) => {
      puts.push(input);
      if (ssmError) return Promise.reject(ssmError);
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
      responses.push(sent);
      bodies.push(typeof sent.body === 'string' ? sent.body : '');
      return Promise.resolve({ status: responseStatus, headers: {}, body: Buffer.alloc(0) });
    },
  } as HttpClient;
  const handle = (event: unknown) => handleKeyRingEvent(event, { ssm, http });
  const response = () => JSON.parse(bodies[0] ?? '') as Record<string, string>;
  return { handle, response, responses, bodies, parameters, puts };
}

interface World {
  parameters: Record<string, string>;
  ssmError: Error | null;
  responseStatus: number;
}

describe('the key ring', () => {
  test('is created at the first deployment, as a SecureString', async () => {
    const { handle, puts, parameters } = world();
    await handle(request('Create'));
    expect(puts).toMatchObject([{ Name: NAME, Type: 'SecureString', Overwrite: false }]);
    const { keys } = v.parse(KeyRingSchema, JSON.parse(parameters[NAME]!));
    expect(keys.map(({ key }) => Buffer.from(key, 'base64').length)).toEqual([32]);
  });

  test.each(['Create', 'Update'])('is not changed by %s when it exists', async type => {
    const { handle, response, parameters } = world({ parameters: { [NAME]: 'the ring in use' } });
    await handle(request(type));
    expect(parameters[NAME]).toBe('the ring in use');
    expect(response()).toMatchObject({ Status: 'SUCCESS' });
  });

  test('is retained when the stack is deleted', async () => {
    const { handle, response, puts, parameters } = world({ parameters: { [NAME]: 'the ring in use' } });
    await handle(request('Delete'));
    expect(puts).toEqual([]);
    expect(parameters[NAME]).toBe('the ring in use');
    expect(response()).toMatchObject({ Status: 'SUCCESS' });
  });

  test('has different keys in every deployment', async () => {
    const [one, two] = [world(), world()];
    await one.handle(request('Create'));
    await two.handle(request('Create'));
    expect(one.parameters[NAME]).not.toBe(two.parameters[NAME]);
  });
});

describe('the response to CloudFormation', () => {
  test('names the request and holds no key', async () => {
    const { handle, response, bodies, parameters } = world();
    await handle(request('Create'));
    expect(response()).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: NAME,
      StackId: request('Create').StackId,
      RequestId: 'request-1',
      LogicalResourceId: 'KeyRing',
    });
    const { keys } = v.parse(KeyRingSchema, JSON.parse(parameters[NAME]!));
    expect(bodies[0]).not.toContain(keys[0]!.key);
  });

  test('is a PUT without a content type, which the presigned URL does not cover', async () => {
    const { handle, responses } = world();
    await handle(request('Create'));
    expect(responses).toMatchObject([{ method: 'PUT', url: request('Create').ResponseURL }]);
    expect(responses[0]?.headers).toBeUndefined();
  });

  test('reports why the key ring could not be created', async () => {
    const { handle, response } = world({ ssmError: new Error('not authorized to perform ssm:PutParameter') });
    await handle(request('Create'));
    expect(response()).toMatchObject({
      Status: 'FAILED',
      Reason: 'not authorized to perform ssm:PutParameter',
    });
  });

  test('throws when it is not delivered, so that Lambda retries', async () => {
    await expect(world({ responseStatus: 403 }).handle(request('Create'))).rejects.toThrow('403');
  });

  test('is not sent for an event that is not a custom resource request', async () => {
    const { handle, responses } = world();
    await expect(handle({ RequestType: 'Create' })).rejects.toThrow();
    expect(responses).toEqual([]);
  });
});
