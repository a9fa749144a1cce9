import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ENV } from '../shared/aws/env.ts';
import { loadKeyRing, seal } from '../shared/aws/key-ring.ts';
import { platformAppParameter } from '../shared/aws/platform-app.ts';
import { newId } from '../shared/model/id.ts';
import { PLATFORM_IDS, type PlatformId } from '../shared/model/platform.ts';
import type { Connection, Profile } from '../shared/model/profile.ts';
import type { SandboxPlatform } from '../shared/platforms/contract/sandbox.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { getConnection, putConnection } from '../shared/store/connections.ts';
import { findProfileByName } from '../shared/store/profiles.ts';
import type { Table } from '../shared/store/table.ts';
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
 * sandbox, at every start: the platforms there forget whom they let in when they end. To a platform that the sandbox
 * does not have the profile gets a stand-in of a connection, so that every platform's rules can be tried.
 */
export async function seed(stack: LocalStack): Promise<SeedResult> {
  const shelf = stack.services.store.shelf('seed', SeedSchema);
  await registerApps(stack);
  const known = shelf.get('demo');
  const made = known ?? (await makeWorkspace(stack));
  if (!known) await makeProfile(stack, made.api_key);
  shelf.set('demo', made);
  const faults = await connectAll(stack, made.api_key);
  await standIn(stack, made.workspace_id);
  return { ...made, faults };
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

function makeWorkspace(stack: LocalStack): Promise<Seed> {
  return withTable(stack, async table => {
    const { workspace, api_key } = await createWorkspace(
      table,
      { name: 'Demo', plan: 'business', owner_email: 'demo@example.com' },
      stack.services.clock.now(),
    );
    return { workspace_id: workspace.workspace_id, api_key };
  });
}

async function withTable<T>({ awsUrl, settings }: LocalStack, use: (table: Table) => Promise<T>): Promise<T> {
  const dynamo = new DynamoDBClient(localClient(awsUrl));
  const client = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
  try {
    return await use({ client, name: settings[ENV.table] ?? '' });
  } finally {
    dynamo.destroy();
  }
}

/** Connections to platforms that cannot be connected here; what is published to them fails at delivery, clearly. */
async function standIn(stack: LocalStack, workspaceId: string): Promise<void> {
  const missing = PLATFORM_IDS.filter(platform => !stack.sandbox.platforms.has(platform));
  await withTable(stack, async table => {
    const profile = await findProfileByName(table, workspaceId, PROFILE);
    if (!profile) return;
    for (const platform of missing) {
      const known = await getConnection(table, workspaceId, profile.id, platform);
      if (!known) await putConnection(table, await emptyConnection(stack, profile, platform));
    }
  });
}

async function emptyConnection(
  { awsUrl, settings, services }: LocalStack,
  profile: Profile,
  platform: PlatformId,
): Promise<Connection> {
  const now = services.clock.now();
  const id = newId(now);
  const ssm = new SSMClient(localClient(awsUrl));
  try {
    const ring = await loadKeyRing(ssm, settings[ENV.parameterPrefix] ?? '');
    const credentials = { access_token: null, refresh_token: null, secret: null };
    return {
      id,
      workspace_id: profile.workspace_id,
      profile_id: profile.id,
      platform,
      platform_user_id: 'demo',
      display_name: PROFILE,
      username: 'demo',
      avatar_url: null,
      scopes: [],
      attributes: {},
      sealed: seal(ring, id, JSON.stringify(credentials)),
      revision: 1,
      token_expires_at: null,
      needs_reconnect: false,
      renewal_lease_until: null,
      connected_at: now,
    };
  } finally {
    ssm.destroy();
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
