import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { JsonSchema, type JsonObject } from '../../shared/model/json.ts';
import type { Outcome } from '../lambda/environment.ts';
import type { LocalStore } from '../store.ts';
import { arn } from '../template/names.ts';
import type { CustomResource } from '../template/resources.ts';

export interface CloudFormation {
  store: LocalStore;
  awsUrl: string;
  answerTo: (token: string) => Promise<JsonObject>;
  invoke: (functionName: string, event: unknown) => Promise<Outcome>;
}

const MadeSchema = v.object({ physical_id: v.string(), properties: JsonSchema });
const AnswerSchema = v.object({
  Status: v.picklist(['SUCCESS', 'FAILED']),
  Reason: v.optional(v.string(), 'no reason given'),
  PhysicalResourceId: v.optional(v.string(), ''),
});

/**
 * Has a custom resource made by its function, as a deployment would: created once, updated when its properties change.
 * Throws when the function fails or does not answer.
 */
export async function makeCustomResource(
  resource: CustomResource,
  { store, awsUrl, answerTo, invoke }: CloudFormation,
): Promise<void> {
  const shelf = store.shelf('custom-resource', MadeSchema);
  const old = shelf.get(resource.id);
  if (old && JSON.stringify(old.properties) === JSON.stringify(resource.properties)) return;
  const token = randomUUID();
  const answered = answerTo(token);
  const outcome = await invoke(resource.function, {
    RequestType: old ? 'Update' : 'Create',
    ServiceToken: arn('lambda', `function:${resource.function}`),
    ResponseURL: `${awsUrl}/_answer/${token}`,
    StackId: arn('cloudformation', 'stack/local/local'),
    RequestId: token,
    ResourceType: resource.type,
    LogicalResourceId: resource.id,
    ResourceProperties: resource.properties,
    ...(old && { PhysicalResourceId: old.physical_id, OldResourceProperties: old.properties }),
  });
  if (!outcome.ok) throw new Error(`The custom resource ${resource.id} failed: ${outcome.errorMessage}`);
  const answer = await Promise.race([answered, noAnswer()]);
  const { Status, Reason, PhysicalResourceId } = v.parse(AnswerSchema, answer);
  if (Status === 'FAILED') throw new Error(`The custom resource ${resource.id} failed: ${Reason}`);
  shelf.set(resource.id, { physical_id: PhysicalResourceId, properties: resource.properties });
}

/** The function has ended: what it sent is here, or will be in a moment. */
async function noAnswer(): Promise<JsonObject> {
  await new Promise(resolve => setTimeout(resolve, 1000));
  return { Status: 'FAILED', Reason: 'it ended without an answer to its ResponseURL' };
}
