import * as v from 'valibot';
import type { JsonObject } from '../../shared/model/json.ts';
import type { AsyncInvocations } from '../lambda/async-invocations.ts';
import type { Mappings, MappingView } from '../lambda/mappings.ts';
import { arn } from '../template/names.ts';
import { functionName } from '../template/resources.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';

export interface LambdaApi {
  invocations: Pick<AsyncInvocations, 'accept'>;
  mappings: Pick<Mappings, 'get' | 'update' | 'list'>;
  /** Whether a function with this name exists. */
  exists: (name: string) => boolean;
}

export interface LambdaCall {
  body: JsonObject;
  query: URLSearchParams;
  /** Header `X-Amz-Invocation-Type`. */
  invocationType: string;
  traceHeader: string | null;
}

interface LambdaOperation {
  name: string;
  run: (call: LambdaCall, api: LambdaApi) => AwsResponse;
}

const UpdateSchema = v.object({ Enabled: v.boolean() });

/** Lambda, the operations that the service calls. It is addressed by method and path; null for other paths. */
export function lambdaOperation(method: string, path: string): LambdaOperation | null {
  const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (method === 'POST' && invoked !== undefined) {
    return {
      name: 'Invoke',
      run: (call, api) => invoke(functionName(decodeURIComponent(invoked)), call, api),
    };
  }
  if (method === 'GET' && path === '/2015-03-31/event-source-mappings') {
    return { name: 'ListEventSourceMappings', run: listMappings };
  }
  const uuid = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/.exec(path)?.[1];
  if (uuid === undefined) return null;
  if (method === 'GET') {
    return { name: 'GetEventSourceMapping', run: (_, { mappings }) => ok(viewOf(mappings.get(uuid))) };
  }
  if (method === 'PUT') {
    return {
      name: 'UpdateEventSourceMapping',
      run: ({ body }, { mappings }) => ok(viewOf(mappings.update(uuid, v.parse(UpdateSchema, body).Enabled))),
    };
  }
  return null;
}

function listMappings({ query }: LambdaCall, { mappings }: LambdaApi): AwsResponse {
  const source = query.get('EventSourceArn');
  const views = mappings.list().map(viewOf);
  return ok({
    EventSourceMappings: views.filter(({ EventSourceArn }) => source === null || EventSourceArn === source),
  });
}

function invoke(
  name: string,
  { body, invocationType, traceHeader }: LambdaCall,
  { invocations, exists }: LambdaApi,
): AwsResponse {
  if (!exists(name)) throw new AwsError('ResourceNotFoundException', `Function not found: ${name}`, 404);
  if (invocationType !== 'Event') {
    throw new AwsError(
      'UnknownOperationException',
      'The local Lambda supports asynchronous invocations only',
    );
  }
  invocations.accept(name, body, traceHeader);
  return { status: 202, body: '' };
}

const viewOf = ({ uuid, queue, function: name, state }: MappingView) => ({
  UUID: uuid,
  EventSourceArn: arn('sqs', queue),
  FunctionArn: arn('lambda', `function:${name}`),
  State: state,
});
