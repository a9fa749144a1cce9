import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ENV } from '../shared/aws/env.ts';
import { loadKeyRing, seal, type KeyRing } from '../shared/aws/key-ring.ts';
import { platformAppParameter } from '../shared/aws/platform-app.ts';
import { newId } from '../shared/model/id.ts';
import { PLATFORM_IDS, PlatformIdSchema, type PlatformId } from '../shared/model/platform.ts';
import type { Connection, Profile } from '../shared/model/profile.ts';
import type { SandboxDefinition } from '../shared/platforms/contract/sandbox.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { listConnections, putConnection } from '../shared/store/connections.ts';
import { findProfileByName } from '../shared/store/profiles.ts';
import type { Table } from '../shared/store/table.ts';
import { localClientConfig } from './aws/tables.ts';
import type { LocalStack } from './stack.ts';

const SeedSchema = v.object({
  workspace_id: v.string(),
  api_key: v.string(),
  /** Platforms that the profile has been connected to. */
  connected: v.optional(v.array(PlatformIdSchema), []),
});
export type Seed = v.InferOutput<typeof SeedSchema>;

export interface SeedResult extends Seed {
  /** Platforms that could not be connected, with the reason. */
  connectErrors: string[];
}

const PROFILE = 'Demo';
const ConsentSchema = v.object({ authorize_url: v.string() });

/**
 * Creates the workspace Demo, its owner's key and the profile Demo in an empty stack, and connects the profile to every
 * platform of the sandbox that it is not connected to yet. For other platforms it stores a placeholder connection, so that
 * the rules of every platform can be tried.
 */
export async function seed(stack: LocalStack): Promise<SeedResult> {
  const seeds = stack.services.store.collection('seed', SeedSchema);
  await registerApps(stack);
  const known = seeds.get('demo');
  const demo = known ?? (await createDemoWorkspace(stack));
  if (!known) await createProfile(stack, demo.api_key);
  const { connected, connectErrors } = await connectPlatforms(stack, demo);
  const result = { ...demo, connected };
  seeds.set('demo', result);
  await addPlaceholders(stack, demo.workspace_id);
  return { ...result, connectErrors };
}

/** Stores the sandbox's app credentials of every OAuth platform, as the operator of a deployed stack does. */
async function registerApps(stack: LocalStack): Promise<void> {
  await withSsm(stack, async (ssm, prefix) => {
    for (const { definition } of stack.sandbox.platforms.values()) {
      const { platform, demo } = definition;
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
  });
}

async function withSsm<T>(
  { awsUrl, settings }: LocalStack,
  use: (ssm: SSMClient, prefix: string) => Promise<T>,
): Promise<T> {
  const ssm = new SSMClient(localClientConfig(awsUrl));
  try {
    return await use(ssm, settings[ENV.parameterPrefix] ?? '');
  } finally {
    ssm.destroy();
  }
}

function createDemoWorkspace(stack: LocalStack): Promise<Seed> {
  return withTable(stack, async table => {
    const { workspace, api_key } = await createWorkspace(
      table,
      { name: 'Demo', plan: 'business', owner_email: 'demo@example.com' },
      stack.services.clock.now(),
    );
    return { workspace_id: workspace.workspace_id, api_key, connected: [] };
  });
}

async function withTable<T>({ awsUrl, settings }: LocalStack, use: (table: Table) => Promise<T>): Promise<T> {
  const dynamo = new DynamoDBClient(localClientConfig(awsUrl));
  const client = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } });
  try {
    return await use({ client, name: settings[ENV.table] ?? '' });
  } finally {
    dynamo.destroy();
  }
}

/** Adds connections to platforms that the sandbox does not play. Posts to them fail at delivery. */
async function addPlaceholders(stack: LocalStack, workspaceId: string): Promise<void> {
  await withTable(stack, async table => {
    const profile = await findProfileByName(table, workspaceId, PROFILE);
    if (!profile) return;
    const connected = new Set(
      (await listConnections(table, workspaceId, profile.id)).map(({ platform }) => platform),
    );
    const missing = PLATFORM_IDS.filter(id => !stack.sandbox.platforms.has(id) && !connected.has(id));
    if (missing.length === 0) return;
    const ring = await withSsm(stack, loadKeyRing);
    const now = stack.services.clock.now();
    await Promise.all(
      missing.map(platform => putConnection(table, placeholderConnection(profile, platform, ring, now))),
    );
  });
}

function placeholderConnection(
  profile: Profile,
  platform: PlatformId,
  ring: KeyRing,
  now: number,
): Connection {
  const id = newId(now);
  return {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
    way: 'placeholder',
    platform_user_id: 'demo',
    display_name: PROFILE,
    username: 'demo',
    avatar_url: null,
    scopes: [],
    attributes: {},
    sealed: seal(ring, id, JSON.stringify({})),
    revision: 1,
    renew_at: null,
    token_expires_at: null,
    needs_reconnect: false,
    needs_target: false,
    renewal_lease_until: null,
    connected_at: now,
  };
}

async function createProfile(stack: LocalStack, apiKey: string): Promise<void> {
  const response = await post(stack, apiKey, '/agency/profiles', { username: PROFILE });
  if (response.status === 201) return;
  throw new Error(`Could not create the profile ${PROFILE}: ${response.status} ${await response.text()}`);
}

async function connectPlatforms(
  stack: LocalStack,
  { api_key, connected }: Seed,
): Promise<Pick<SeedResult, 'connected' | 'connectErrors'>> {
  const missing = [...stack.sandbox.platforms.values()]
    .map(({ definition }) => definition)
    .filter(({ platform }) => !connected.includes(platform));
  const attempts: { platform: PlatformId; error: string | null }[] = [];
  // One after the other: requests at the same time would each start an environment of the function.
  for (const definition of missing) {
    attempts.push({
      platform: definition.platform,
      error: await connect(stack, api_key, definition),
    });
  }
  return {
    connected: [
      ...connected,
      ...attempts.filter(({ error }) => error === null).map(({ platform }) => platform),
    ],
    connectErrors: attempts.flatMap(({ platform, error }) =>
      error === null ? [] : [`${platform}: ${error}`],
    ),
  };
}

/** Connects the profile as a user does, consent page included. Returns the reason of a failure. */
async function connect(
  stack: LocalStack,
  apiKey: string,
  { platform, demo }: SandboxDefinition,
): Promise<string | null> {
  const body = { profile_name: PROFILE, ...('body' in demo ? demo.body : {}) };
  const response = await post(stack, apiKey, `/integrations/${platform}/connect`, body);
  if (response.status === 201) return null;
  if (response.status !== 200) return `${response.status} ${await response.text()}`;
  const { authorize_url } = v.parse(ConsentSchema, await response.json());
  const consent = await fetch(`${authorize_url}&auto=allow`, { redirect: 'manual' });
  const callbackUrl = consent.headers.get('location');
  if (callbackUrl === null) return `consent page: ${consent.status} ${await consent.text()}`;
  const callback = await fetch(callbackUrl, { redirect: 'manual' });
  return callback.status < 400 ? null : `callback: ${callback.status} ${await callback.text()}`;
}

function post({ url }: LocalStack, apiKey: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
