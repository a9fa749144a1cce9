import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ENV } from '../shared/aws/env.ts';
import { platformAppParameter } from '../shared/aws/platform-app.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import type { SandboxPlatform } from '../shared/platforms/sandbox-kit.ts';
import { localClient } from './aws/tables.ts';
import type { LocalStack } from './stack.ts';

const SeedSchema = v.object({ workspace_id: v.string(), api_key: v.string() });
export type Seed = v.InferOutput<typeof SeedSchema>;

export interface SeedResult extends Seed {
  /** Platforms that could not be connected, with the reason. */
  faults: string[];
}

const PROFILE = 'Demo';
const ConsentSchema = v.object({ authorize_url: v.string() });

/**
 * Fills an empty stack: a workspace, its owner's key and a profile. Connects the profile to every platform of the
 * sandbox, at every start: the platforms there forget whom they let in when they end.
 */
export async function seed(stack: LocalStack): Promise<SeedResult> {
  const shelf = stack.services.store.shelf('seed', SeedSchema);
  await registerApps(stack);
  const known = shelf.get('demo');
  const made = known ?? (await makeWorkspace(stack));
  if (!known) await makeProfile(stack, made.api_key);
  shelf.set('demo', made);
  return { ...made, faults: await connectAll(stack, made.api_key) };
}

/** The operator's part: the service is registered at every platform. */
async function registerApps({ awsUrl, settings, sandbox }: LocalStack): Promise<void> {
  const ssm = new SSMClient(localClient(awsUrl));
  const prefix = settings[ENV.parameterPrefix] ?? '';
  try {
    for (const { platform, demo } of sandbox.platforms.values()) {
      if (!('app' in demo)) continue;
      await ssm.send(
        new PutParameterCommand({
          Name: platformAppParameter(prefix, platform),
          Value: JSON.stringify(demo.app),
          Type: 'SecureString',
          Overwrite: true,
        }),
      );
    }
  } finally {
    ssm.destroy();
  }
}

async function makeWorkspace({ awsUrl, settings, services }: LocalStack): Promise<Seed> {
  const dynamo = new DynamoDBClient(localClient(awsUrl));
  const client = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
  try {
    const { workspace, api_key } = await createWorkspace(
      { client, name: settings[ENV.table] ?? '' },
      { name: 'Demo', plan: 'business', owner_email: 'demo@example.com' },
      services.clock.now(),
    );
    return { workspace_id: workspace.workspace_id, api_key };
  } finally {
    dynamo.destroy();
  }
}

async function makeProfile(stack: LocalStack, apiKey: string): Promise<void> {
  const made = await post(stack, apiKey, '/agency/profiles', { username: PROFILE });
  if (made.status !== 201) throw new Error(`The profile ${PROFILE}: ${made.status} ${await made.text()}`);
}

async function connectAll(stack: LocalStack, apiKey: string): Promise<string[]> {
  const attempts = [...stack.sandbox.platforms.values()].map(async double => {
    const fault = await connect(stack, apiKey, double);
    return fault === null ? [] : [`${double.platform}: ${fault}`];
  });
  return (await Promise.all(attempts)).flat();
}

/** Goes the way that a user goes, consent page included. Gives the reason when it leads nowhere. */
async function connect(stack: LocalStack, apiKey: string, double: SandboxPlatform): Promise<string | null> {
  const secrets = 'body' in double.demo ? double.demo.body : {};
  const body = { profile_name: PROFILE, ...secrets };
  const begun = await post(stack, apiKey, `/integrations/${double.platform}/connect`, body);
  if (begun.status === 201) return null;
  if (begun.status !== 200) return `${begun.status} ${await begun.text()}`;
  const { authorize_url } = v.parse(ConsentSchema, await begun.json());
  const consent = await fetch(`${authorize_url}&auto=allow`, { redirect: 'manual' });
  const back = consent.headers.get('location');
  if (back === null) return `the consent page answered ${consent.status} ${await consent.text()}`;
  const finished = await fetch(back, { redirect: 'manual' });
  return finished.status < 400 ? null : `${finished.status} ${await finished.text()}`;
}

function post({ url }: LocalStack, apiKey: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
