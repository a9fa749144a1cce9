import { ParameterAlreadyExists, PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import { newKeyRing } from '../../shared/aws/key-ring.ts';
import type { HttpClient } from '../../shared/net/http.ts';

/** What CloudFormation asks of a custom resource. */
const RequestSchema = v.object({
  RequestType: v.picklist(['Create', 'Update', 'Delete']),
  ResponseURL: v.string(),
  StackId: v.string(),
  RequestId: v.string(),
  LogicalResourceId: v.string(),
  ResourceProperties: v.object({ ParameterName: v.string() }),
});
type Request = v.InferOutput<typeof RequestSchema>;

type Outcome = { Status: 'SUCCESS' } | { Status: 'FAILED'; Reason: string };

export interface Collaborators {
  ssm: SSMClient;
  http: HttpClient;
}

const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Answers one request of CloudFormation for the key ring. A ring is only ever made, never changed and never deleted:
 * without it nothing that it sealed opens again, and the table outlives the stack too.
 * Throws when the answer did not arrive; Lambda then tries again, and making a ring twice makes one.
 */
export async function answerForKeyRing(event: unknown, { ssm, http }: Collaborators): Promise<void> {
  const request = v.parse(RequestSchema, event);
  const outcome = request.RequestType === 'Delete' ? SUCCESS : await makeKeyRing(ssm, request);
  await answer(http, request, outcome);
}

const SUCCESS = { Status: 'SUCCESS' } as const;

async function makeKeyRing(ssm: SSMClient, { ResourceProperties }: Request): Promise<Outcome> {
  try {
    await ssm.send(
      new PutParameterCommand({
        Name: ResourceProperties.ParameterName,
        Description:
          'Keys that seal the tokens and secrets of the service. Losing them loses every connection.',
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

async function answer(http: HttpClient, request: Request, outcome: Outcome): Promise<void> {
  const body = JSON.stringify({
    ...outcome,
    PhysicalResourceId: request.ResourceProperties.ParameterName,
    StackId: request.StackId,
    RequestId: request.RequestId,
    LogicalResourceId: request.LogicalResourceId,
  });
  // The URL is signed for a request without a content type.
  const { status } = await http.send({
    method: 'PUT',
    url: request.ResponseURL,
    body,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  if (status !== 200) throw new Error(`CloudFormation's answer address said ${status}`);
}
