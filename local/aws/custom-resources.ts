import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { JsonSchema, type JsonObject } from '../../shared/model/json.ts';
import type { InvocationResult } from '../lambda/environment.ts';
import type { LocalStore } from '../store.ts';
import { arn } from '../template/names.ts';
import type { CustomResource } from '../template/resources.ts';

export interface CloudFormation {
  store: LocalStore;
  awsUrl: string;
  nextCallback: (token: string) => Promise<JsonObject>;
  invoke: (functionName: string, event: unknown) => Promise<InvocationResult>;
}

const CreatedSchema = v.object({ physical_id: v.string(), properties: JsonSchema });
const CallbackSchema = v.object({
  Status: v.picklist(['SUCCESS', 'FAILED']),
  Reason: v.optional(v.string(), 'no reason given'),
  PhysicalResourceId: v.optional(v.string(), ''),
});

/**
 * Creates or updates a custom resource by invoking its function, as CloudFormation does: created once, updated when its
 * properties change. Throws if the function fails or does not call its ResponseURL.
 */
export async function createCustomResource(
  resource: CustomResource,
  { store, awsUrl, nextCallback, invoke }: CloudFormation,
): Promise<void> {
  const created = store.collection('custom-resource', CreatedSchema);
  const old = created.get(resource.id);
  if (old && JSON.stringify(old.properties) === JSON.stringify(resource.properties)) return;
  const token = randomUUID();
  const callback = nextCallback(token);
  const outcome = await invoke(resource.function, {
    RequestType: old ? 'Update' : 'Create',
    ServiceToken: arn('lambda', `function:${resource.function}`),
    ResponseURL: `${awsUrl}/_callback/${token}`,
    StackId: arn('cloudformation', 'stack/local/local'),
    RequestId: token,
    ResourceType: resource.type,
    LogicalResourceId: resource.id,
    ResourceProperties: resource.properties,
    ...(old && { PhysicalResourceId: old.physical_id, OldResourceProperties: old.properties }),
  });
  if (!outcome.ok) throw new Error(`The custom resource ${resource.id} failed: ${outcome.errorMessage}`);
  const body = await Promise.race([callback, noCallback()]);
  const { Status, Reason, PhysicalResourceId } = v.parse(CallbackSchema, body);
  if (Status === 'FAILED') throw new Error(`The custom resource ${resource.id} failed: ${Reason}`);
  created.set(resource.id, { physical_id: PhysicalResourceId, properties: resource.properties });
}

/** The function has returned: its callback has arrived or is about to. */
async function noCallback(): Promise<JsonObject> {
  await new Promise(resolve => setTimeout(resolve, 1000));
  return { Status: 'FAILED', Reason: 'the function returned without calling its ResponseURL' };
}
