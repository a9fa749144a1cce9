import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { newKeyRing, seal, type KeyRing } from '../../shared/aws/key-ring.ts';
import { ApiError, type ApiResponse } from '../../shared/http/errors.ts';
import type { Route } from '../../shared/http/route.ts';
import { newId } from '../../shared/model/id.ts';
import type { PlatformId } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { Member, Plan, Principal, Role } from '../../shared/model/workspace.ts';
import { createWorkspace } from '../../shared/runtime/bootstrap.ts';
import type { Services } from '../../shared/runtime/services.ts';
import type { Bucket } from '../../shared/store/objects.ts';
import { CONNECTORS } from '../../shared/platforms/registry/connectors.ts';
import { putConnection } from '../../shared/store/connections.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { addMember } from '../../shared/store/workspaces.ts';
import { fakeQueues } from './queue-messages.ts';
import { assertDocumented } from './openapi.ts';
import { testCredentials } from './connectors.ts';
import { createTestTable, type TestTable } from './table.ts';

export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  as?: Principal;
  /** Returns the ids of created resources, where a test needs to know them. */
  newResourceId?: () => string;
}

/** A response as a caller sees it: parsed JSON. */
export interface Shown {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect responses of every shape
  body: any;
  headers: Record<string, string>;
}

/** An environment for routes without middleware: a real table, queues in memory, a clock that tests set. */
export async function createApiWorld(routes: readonly Route[], plan: Plan = 'pro') {
  const table = await createTestTable();
  const { sqs, lambda, take } = fakeQueues();
  const ring = newKeyRing();
  const clock = { now: Date.UTC(2026, 11, 1, 10) };
  const settings: Record<string, string> = { REDIRECT_ALLOWLIST: 'none' };
  const services: Services = {
    table,
    bucket: { publicUrl: 'https://media.example.com' } as Bucket,
    sqs,
    lambda,
    scheduler: { send: () => Promise.resolve({}) } as unknown as SchedulerClient,
    ssm: { send: () => Promise.reject(new Error('no parameters here')) } as unknown as SSMClient,
    keyRing: () => Promise.resolve(ring),
    setting: name => settings[name] ?? name,
    now: () => clock.now,
  };
  const owner = await newWorkspace(table, plan, clock.now);

  /** Calls a route. Throws if the OpenAPI document does not describe the response. */
  async function call(
    name: string,
    { params = {}, query = {}, body, headers = {}, as = owner, newResourceId }: Call = {},
  ): Promise<Shown> {
    const route = routes.find(({ method, path }) => `${method} ${path}` === name);
    if (!route) throw new Error(`Unknown route ${name}`);
    const raw = {
      params,
      query,
      body,
      principal: as,
      request_id: 'r',
      headers,
      base_url: 'https://api.example.com/v1',
      ...(newResourceId && { newResourceId }),
    };
    const answer = await answerOf(route.invoke(raw, services));
    if (!answer.raw) assertDocumented(route.method, route.path, answer.status, json(answer.body));
    return shown(answer);
  }

  return {
    table,
    services,
    ring,
    clock,
    settings,
    owner,
    call,
    takeMessages: take,
    /** The owner of another workspace. */
    stranger: () => newWorkspace(table, plan, clock.now),
    /** Another user of the owner's workspace. */
    member: (role: Role = 'member') => newMember(table, owner, role, clock.now),
    profile: (changes: Partial<Profile> = {}) => newProfile(table, owner, changes, clock.now),
    connect: (profile: Profile, platform: PlatformId, changes: Partial<Connection> = {}) =>
      newConnection(table, ring, profile, platform, changes, clock.now),
    close: () => table.close(),
  };
}

export type ApiWorld = Awaited<ReturnType<typeof createApiWorld>>;

/** Also returns a response that was thrown. */
async function answerOf(running: Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof ApiError) return error.response;
    throw error;
  }
}

const json = (body: unknown): unknown => (body === undefined ? undefined : JSON.parse(JSON.stringify(body)));

const shown = ({ status, body, raw, headers = {} }: ApiResponse): Shown => ({
  status,
  headers,
  body: raw ? Buffer.from(raw).toString() : (json(body) ?? null),
});

async function newWorkspace(table: TestTable, plan: Plan, now: number): Promise<Principal> {
  const made = await createWorkspace(table, { name: 'W', plan, owner_email: 'owner@example.com' }, now);
  return {
    workspace_id: made.workspace.workspace_id,
    user_id: made.owner.user_id,
    key_id: newId(now),
    role: 'owner',
    plan,
  };
}

async function newMember(table: TestTable, owner: Principal, role: Role, now: number): Promise<Principal> {
  const user_id = newId(now);
  const member: Member = {
    workspace_id: owner.workspace_id,
    user_id,
    email: `${user_id}@example.com`,
    name: null,
    role,
    created_at: now,
  };
  await addMember(table, member);
  return { ...owner, user_id, role };
}

async function newProfile(
  table: TestTable,
  owner: Principal,
  changes: Partial<Profile>,
  now: number,
): Promise<Profile> {
  const id = newId(now);
  const profile: Profile = {
    id,
    workspace_id: owner.workspace_id,
    profile_name: `Profile ${id}`,
    username: id,
    created_by: owner.user_id,
    created_at: now,
    ...changes,
  };
  if ((await createProfile(table, profile)) !== 'created') throw new Error('Could not create the profile');
  return profile;
}

async function newConnection(
  table: TestTable,
  ring: KeyRing,
  profile: Profile,
  platform: PlatformId,
  changes: Partial<Connection>,
  now: number,
): Promise<Connection> {
  const id = newId(now);
  const connection: Connection = {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
    way: CONNECTORS[platform]?.ways[0].id ?? 'default',
    platform_user_id: 'u1',
    display_name: 'Acme',
    username: 'acme',
    avatar_url: null,
    scopes: [],
    attributes: {},
    // Fresh, so that validation does not ask the real platform.
    facts_at: now,
    sealed: seal(ring, id, JSON.stringify(testCredentials(platform))),
    revision: 1,
    renew_at: null,
    token_expires_at: null,
    needs_reconnect: false,
    needs_target: false,
    renewal_lease_until: null,
    connected_at: now,
    ...changes,
  };
  await putConnection(table, connection);
  return connection;
}
