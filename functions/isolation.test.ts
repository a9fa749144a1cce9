import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newSession } from '../shared/broadcasts/new-session.ts';
import { createBroadcast } from '../shared/store/broadcasts.ts';
import { newId } from '../shared/model/id.ts';
import { newDelivery } from '../shared/model/webhook.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { putConnection } from '../shared/store/connections.ts';
import { getProfile } from '../shared/store/profiles.ts';
import { createDelivery } from '../shared/store/webhook-deliveries.ts';
import { getWebhook } from '../shared/store/webhooks.ts';
import { createTestBucket, type TestBucket } from '../test/support/bucket.ts';
import { fakeQueues } from '../test/support/queue-messages.ts';
import { itemOf, operations, parametersOf, type DocumentedOperation } from '../test/support/openapi.ts';
import { servedApi, type ApiAnswer, type ServedApi } from '../test/support/served-api.ts';
import { API_GROUPS } from './routes.ts';

/*
 * The owner of a second workspace calls every operation of the OpenAPI document with ids and names of the first
 * workspace. Each answers as if nothing existed, and no request to the table touches an item of the first workspace.
 */

/** Operations that answer 200 without results instead of 404. */
const FILTERS = ['POST /posts/validate', 'GET /posts', 'GET /integrations/youtube/broadcasts'];

/** Takes a form; its handler is that of POST /upload-media. */
const FORM = '/upload-media/file';
const keyed = operations.filter(({ path, operation }) => operation.security === undefined && path !== FORM);
const SETTINGS: Record<string, string> = {
  REDIRECT_ALLOWLIST: '*',
  AI_PROVIDER: JSON.stringify({ provider: 'offline' }),
};
/** Named by their platform; the platform of the tests takes no app. */
const PLATFORM_APPS = '/workspace/platform-apps';
/** Its profile_name is the name of a new profile. */
const CREATES_NAME = 'POST /agency/profiles';
const nameOf = ({ method, path }: DocumentedOperation) => `${method} ${path}`;

let api: ServedApi;
let bucket: TestBucket;
let otherKey: string;
let call: ServedApi['call'];
/** Requests to the table and their responses, as JSON. */
let tableTraffic: string[] = [];
/** Resources of the first workspace by the path parameter or field that refers to them. */
let foreignValues: Record<string, unknown> = {};
let idsByPath: Record<string, string> = {};

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  bucket = await createTestBucket();
  api = await servedApi(Object.values(API_GROUPS).flat(), {
    services: {
      bucket,
      sqs: fakeQueues().sqs,
      lambda: fakeQueues().lambda,
      scheduler: { send: () => Promise.resolve({}) } as unknown as SchedulerClient,
      setting: name => SETTINGS[name] ?? name,
      ssm: { send: () => Promise.reject(new Error('no parameters here')) } as unknown as SSMClient,
    },
  });
  await createResources();
  const { table } = api.services;
  const owner = { name: 'Second', plan: 'business' as const, owner_email: 'second@example.com' };
  otherKey = (await createWorkspace(table, owner, api.clock.now)).api_key;
  const recordingClient = {
    send: async (command: { input: unknown }) => {
      const answer = await table.client.send(command as never);
      tableTraffic.push(JSON.stringify([command.input, answer]));
      return answer;
    },
  } as unknown as DynamoDBDocumentClient;
  call = api.inProcessOf({ ...api.services, table: { ...table, client: recordingClient } });
});
afterAll(async () => {
  Reflect.deleteProperty(process.env, 'ALLOW_LOOPBACK');
  await api.close();
  await bucket.close();
});

/** Creates one resource of each kind in the first workspace. */
async function createResources(): Promise<void> {
  const create = async (path: string, body: unknown) => (await api.call('POST', path, body)).body;
  const { table } = api.services;
  const { profile } = await create('/agency/profiles', { username: 'First' });
  const stored = (await getProfile(table, api.workspace.workspace_id, profile.id))!;
  const account = { ...ACCOUNT, id: newId(), workspace_id: stored.workspace_id, profile_id: stored.id };
  await putConnection(table, account);
  const asset = { title: 'A', profile_id: profile.id, public_url: 'https://cdn.example.com/a.mp4' };
  const [media] = (await create('/agency/media', [asset])).media;
  const { playlist } = await create('/agency/playlists', { name: 'P', profile_id: profile.id });
  const { webhook } = await create('/webhooks', { url: 'http://127.0.0.1:9/hook' });
  const { member } = await create('/workspace/members', { email: 'm@example.com', role: 'member' });
  const { api_key } = await create('/api-keys', { name: 'K' });
  const post = await create('/posts', {
    post_type: 'text',
    profile_name: 'First',
    platforms: ['telegram'],
    description: 'Hi',
    scheduled_date: new Date(api.clock.now + 86_400_000).toISOString(),
  });
  const { upload_id } = await create('/upload-media/presign', {
    profile_name: 'First',
    file_name: 'a.jpg',
    file_type: 'image/jpeg',
  });
  const event = {
    event: 'webhook.test' as const,
    id: newId(),
    timestamp: new Date().toISOString(),
    data: {},
  };
  const hook = (await getWebhook(table, stored.workspace_id, webhook.id))!;
  const delivery = newDelivery(event, hook, api.clock.now);
  await createDelivery(table, delivery);
  const broadcast = newSession({
    id: newId(),
    workspace_id: stored.workspace_id,
    profile_id: stored.id,
    profile_name: 'First',
    social_account_id: account.id,
    title: 'Live',
    description: null,
    privacy: 'public',
    start_time: api.clock.now + 86_400_000,
    playlist_id: null,
    is_loop: false,
    created_at: api.clock.now,
  });
  await createBroadcast(table, { ...broadcast, is_ready: true });
  idsByPath = {
    '/agency/profiles': profile.id,
    '/agency/media': media.id,
    '/agency/playlists': playlist.id,
    '/webhooks': webhook.id,
    '/workspace/members': member.id,
    '/api-keys': api_key.id,
    '/posts': post.post_id,
    '/integrations': account.id,
    '/upload-media': upload_id,
    '/integrations/youtube/broadcasts': broadcast.id,
  };
  foreignValues = {
    delivery_id: delivery.delivery_id,
    platform: 'telegram',
    profile_id: profile.id,
    profile_name: 'First',
    media_asset_ids: [media.id],
    user_id: member.id,
    upload_id,
    board_id: '549755885175',
    // Valid, so that the request is not refused for another reason.
    url: 'http://127.0.0.1:9/hook',
  };
}

const ACCOUNT = {
  platform: 'telegram' as const,
  way: 'bot',
  platform_user_id: 'u1',
  display_name: 'First',
  username: 'first',
  avatar_url: null,
  scopes: [],
  attributes: {},
  sealed: 'sealed',
  revision: 1,
  renew_at: null,
  token_expires_at: null,
  needs_reconnect: false,
  needs_target: false,
  renewal_lease_until: null,
  connected_at: 1,
};

function idFor({ path }: DocumentedOperation, name: string): string {
  if (Object.hasOwn(foreignValues, name)) return String(foreignValues[name]);
  const id = idsByPath[path.slice(0, path.indexOf('/{'))];
  if (id === undefined) throw new Error(`The first workspace has no resource for ${name} of ${path}`);
  return id;
}

/** The operation's example with resources of the first workspace. */
function requestFor(each: DocumentedOperation): { path: string; body: unknown } {
  const path = each.path.replace(/\{(\w+)\}/g, (_, name: string) => idFor(each, name));
  const query = parametersOf(each)
    .filter(parameter => parameter.in === 'query' && Object.hasOwn(foreignValues, parameter.name))
    .map(({ name }): [string, string] => [name, String(foreignValues[name])]);
  const search = query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  return { path: path + search, body: withForeignValues(exampleOf(each), each) };
}

const bodyOf = ({ operation }: DocumentedOperation) => operation.requestBody?.content['application/json'];
const exampleOf = (each: DocumentedOperation): unknown => bodyOf(each)?.example;
const fieldsOf = (each: DocumentedOperation): string[] => {
  const schema = bodyOf(each)?.schema;
  return schema ? Object.keys(itemOf(schema).properties ?? {}) : [];
};

function withForeignValues(example: unknown, each: DocumentedOperation): unknown {
  if (typeof example !== 'object' || example === null || nameOf(each) === CREATES_NAME) return example;
  const own = fieldsOf(each).filter(name => Object.hasOwn(foreignValues, name));
  return { ...example, ...Object.fromEntries(own.map(name => [name, foreignValues[name]])) };
}

/** Whether path, query or body of the operation refer to a resource that must exist. */
function refersToResource(each: DocumentedOperation): boolean {
  if ([...FILTERS, CREATES_NAME].includes(nameOf(each))) return false;
  const names = [...parametersOf(each).map(({ name }) => name), ...fieldsOf(each)];
  return names.some(name => /(^|_)id$|^profile_name$/.test(name));
}

/** Deletions last, so that the resources exist for the other operations. */
const inOrder = [...keyed].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

describe('from another workspace', () => {
  test.each(inOrder.map(each => ({ name: nameOf(each), each })))('$name finds nothing', async ({ each }) => {
    tableTraffic = [];
    const answer = await callAsOther(each);
    if (each.path.startsWith(PLATFORM_APPS)) expect([400, 404]).toContain(answer.status);
    else if (refersToResource(each))
      expect({ ...answer.body, status: answer.status }).toMatchObject({ status: 404 });
    else expect(answer.status).toBeLessThan(300);
    const foreign = tableTraffic.filter(text => text.includes(api.workspace.workspace_id));
    expect(foreign).toEqual([]);
    const body = JSON.stringify(answer.body);
    expect(Object.values(idsByPath).filter(id => body.includes(id))).toEqual([]);
  });

  test('the resources of the first workspace are unchanged', async () => {
    for (const [path, id] of Object.entries(idsByPath)) {
      const isListed = operations.some(each => each.method === 'GET' && each.path === path);
      const answer = await api.call('GET', isListed ? path : `${path}/${id}`);
      expect({ path, found: JSON.stringify(answer.body).includes(id) }).toEqual({ path, found: true });
    }
  });
});

test('the search for foreign items finds an item that is read', async () => {
  tableTraffic = [];
  await call('GET', `/posts/${idsByPath['/posts']}`);
  expect(tableTraffic.filter(text => text.includes(api.workspace.workspace_id))).not.toEqual([]);
});

/** Operations of a workspace that a key which is restricted to profiles may call. */
const WORKSPACE_OPERATIONS = [
  'GET /agency/profiles',
  'GET /integrations',
  'GET /workspace',
  'GET /workspace/banned-hashtags',
  'POST /ai/generate',
];

describe('a key restricted to another profile', () => {
  let restrictedKey: string;
  beforeAll(async () => {
    const { body } = await api.call('POST', '/agency/profiles', { username: 'Another' });
    const key = await api.call('POST', '/api-keys', { name: 'R', profile_ids: [body.profile.id] });
    restrictedKey = key.body.key;
  });

  test.each(inOrder.map(each => ({ name: nameOf(each), each })))(
    'gets nothing from $name',
    async ({ each }) => {
      const { status, body } = await callAs(each, restrictedKey);
      const text = JSON.stringify(body);
      expect(Object.values(idsByPath).filter(id => text.includes(id))).toEqual([]);
      if (WORKSPACE_OPERATIONS.includes(nameOf(each))) expect(status).toBe(200);
      else expect([status, body]).toMatchObject([403, { error: expect.any(String), code: 'KEY_SCOPE' }]);
    },
  );
});

/** Operations that only owners may call. */
const OWNER_OPERATIONS = [
  'POST /workspace/members',
  'PATCH /workspace/members/{id}',
  'DELETE /workspace/members/{id}',
  'PUT /workspace/banned-hashtags',
  'GET /workspace/platform-apps/{platform}',
  'PUT /workspace/platform-apps/{platform}',
  'DELETE /workspace/platform-apps/{platform}',
];
/** Operations on a resource of another user that a member must not call. */
const CREATOR_OPERATIONS = [
  'PATCH /agency/profiles/{id}',
  'DELETE /agency/profiles/{id}',
  'POST /queue/settings',
  'POST /integrations/{platform}/connect',
  'PATCH /integrations/{id}',
  'DELETE /integrations/{id}',
  'PATCH /webhooks/{id}',
  'DELETE /webhooks/{id}',
  'POST /webhooks/{id}/rotate-secret',
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver',
  'DELETE /api-keys/{id}',
];
const RESTRICTED = [...OWNER_OPERATIONS, ...CREATOR_OPERATIONS];

describe('a member', () => {
  let memberKey: string;
  beforeAll(async () => {
    const member = { email: 'second@example.com', role: 'member' };
    const { body } = await api.call('POST', '/workspace/members', member);
    const key = await api.call('POST', '/api-keys', { name: 'Member', user_id: body.member.id });
    memberKey = key.body.key;
  });
  const callAsMember = (each: DocumentedOperation) => callAs(each, memberKey);
  const named = (names: readonly string[]) =>
    inOrder.filter(each => names.includes(nameOf(each))).map(each => ({ name: nameOf(each), each }));

  test('is restricted in operations of the document only', () => {
    const names = keyed.map(nameOf);
    expect(RESTRICTED.filter(name => !names.includes(name))).toEqual([]);
  });

  test.each(named(RESTRICTED))('gets 403 from $name', async ({ each }) => {
    const answer = await callAsMember(each);
    expect([answer.status, answer.body]).toEqual([403, { error: expect.any(String) }]);
    expect(each.operation.responses['403']).not.toHaveProperty('$ref');
  });

  test.each(named(keyed.map(nameOf).filter(name => !RESTRICTED.includes(name))))(
    'may call $name',
    async ({ each }) => {
      const { status } = await callAsMember(each);
      if (nameOf(each) !== 'POST /api-keys') expect(status).not.toBe(403);
    },
  );
});

const callAsOther = (each: DocumentedOperation) => callAs(each, otherKey);

function callAs(each: DocumentedOperation, key: string): Promise<ApiAnswer> {
  const { path, body } = requestFor(each);
  const sent = each.method === 'GET' || each.method === 'DELETE' ? undefined : body;
  return call(each.method, path, sent, { authorization: `Bearer ${key}` });
}
