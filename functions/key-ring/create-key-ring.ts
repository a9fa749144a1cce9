import { ParameterAlreadyExists, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { newKeyRing } from '../../shared/aws/key-ring.ts';
import type { HttpClient } from '../../shared/net/http.ts';

/** The event that CloudFormation sends to a custom resource. */
const EventSchema = v.object({
  RequestType: v.picklist(['Create', 'Update', 'Delete']),
  ResponseURL: v.string(),
  StackId: v.string(),
  RequestId: v.string(),
  LogicalResourceId: v.string(),
  ResourceProperties: v.object({ ParameterName: v.string() }),
});
type ResourceEvent = v.InferOutput<typeof EventSchema>;

type Outcome = { Status: 'SUCCESS' } | { Status: 'FAILED'; Reason: string };

export interface Collaborators {
  ssm: SSMClient;
  http: HttpClient;
}

const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Handles one event of the custom resource. The key ring is created once and never changed or deleted: without it no
 * sealed credentials can be unsealed, and the table is retained when the stack is deleted too.
 * Throws when the response could not be delivered, so that Lambda retries; creating the key ring is idempotent.
 */
export async function handleKeyRingEvent(event: unknown, { ssm, http }: Collaborators): Promise<void> {
  const request = v.parse(EventSchema, event);
  const outcome = request.RequestType === 'Delete' ? SUCCESS : await createKeyRing(ssm, request);
  await respond(http, request, outcome);
}

const SUCCESS = { Status: 'SUCCESS' } as const;

async function createKeyRing(ssm: SSMClient, { ResourceProperties }: ResourceEvent): Promise<Outcome> {
  try {
    await ssm.send(
      new PutParameterCommand({
        Name: ResourceProperties.ParameterName,
        Description:
          'Keys that seal the tokens and secrets of the service. Without them all connected accounts are lost.',
        Type: 'SecureString',
        Value: JSON.stringify(newKeyRing()),
        Overwrite: false,
      }),
    );
    return SUCCESS;
  } catch (error) {
    if (error instanceof ParameterAlreadyExists) return SUCCESS;
    return { Status: 'FAILED', Reason: error instanceof Error ? error.message : String(error) };
  }
}

async function respond(http: HttpClient, request: ResourceEvent, outcome: Outcome): Promise<void> {
  const body = JSON.stringify({
    ...outcome,
    PhysicalResourceId: request.ResourceProperties.ParameterName,
    StackId: request.StackId,
    RequestId: request.RequestId,
    LogicalResourceId: request.LogicalResourceId,
  });
  // The presigned URL is valid for a request without a Content-Type only.
  const { status } = await http.send({
    method: 'PUT',
    url: request.ResponseURL,
    body,
    timeoutMs: RESPONSE_TIMEOUT_MS,
  });
  if (status !== 200) throw new Error(`CloudFormation's response URL answered with status ${status}`);
}
