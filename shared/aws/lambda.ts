import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { JsonObject } from '../model/json.ts';
import type { Loadable } from './clients.ts';

const sdk = () => import('./sdk/lambda.ts');

/**
 * Invokes a function asynchronously. Lambda stores the event, retries a failed invocation twice, and sends an event that
 * still fails to the function's failure destination.
 */
export async function invokeAsync(
  lambda: Loadable<LambdaClient>,
  functionName: string,
  event: JsonObject,
): Promise<void> {
  const { InvokeCommand } = await sdk();
  const client = await lambda;
  const Payload = JSON.stringify(event);
  await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
}

/** Returns whether Lambda does not poll the mapping's queue, and is not about to. */
export async function isMappingOff(lambda: Loadable<LambdaClient>, uuid: string): Promise<boolean> {
  const { GetEventSourceMappingCommand } = await sdk();
  const client = await lambda;
  const { State } = await client.send(new GetEventSourceMappingCommand({ UUID: uuid }));
  return State === 'Disabled';
}

/**
 * Has Lambda poll the mapping's queue, which begins within a minute. Returns false while an earlier change of the mapping is
 * in progress.
 */
export async function turnOnMapping(lambda: Loadable<LambdaClient>, uuid: string): Promise<boolean> {
  const { ResourceInUseException, UpdateEventSourceMappingCommand } = await sdk();
  const client = await lambda;
  try {
    await client.send(new UpdateEventSourceMappingCommand({ UUID: uuid, Enabled: true }));
    return true;
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
}
