import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../shared/model/id.ts';
import { newDelivery } from '../shared/model/webhook.ts';
import { createWorkspace } from '../shared/runtime/bootstrap.ts';
import { putConnection } from '../shared/store/connections.ts';
import { getProfile } from '../shared/store/profiles.ts';
import { createDelivery, getWebhook } from '../shared/store/webhooks.ts';
import { createTestBucket, type TestBucket } from '../test/support/bucket.ts';
import { fakeQueues } from '../test/support/queue-messages.ts';
import { operations, parametersOf, type DocumentedOperation } from '../test/support/openapi.ts';
import { servedApi, type ApiAnswer, type ServedApi } from '../test/support/served-api.ts';
import { API_GROUPS } from './routes.ts';

/*
 * The owner of a second workspace tries every operation of the document with the ids and names of the first one's
 * things: there is nothing, each time, and no call to the table even touches what is the first one's.
 */

/** Operations that answer with what they find, whatever is asked. */
const FINDS_INSTEAD = ['POST /posts/validate', 'GET /posts'];

const keyed = operations.filter(({ operation }) => operation.security === undefined);
const SETTINGS: Record<string, string> = {
  REDIRECT_ALLOWLIST: '*',
  AI_PROVIDER: JSON.stringify({ provider: 'offline' }),
};
/** A new profile's name names nothing that exists. */
const NAMES_NEW = 'POST /agency/profiles';
const nameOf = ({ method, path }: DocumentedOperation) => `${method} ${path}`;

let house: ServedApi;
let bucket: TestBucket;
let theirKey: string;
let call: ServedApi['call'];
/** Everything that the table was asked and answered since the last look. */
let seen: string[] = [];
/** The first workspace's things by the name of the path parameter or field that names them. */
let theirs: Record<string, unknown> = {};
let idsByPath: Record<string, string> = {};

beforeAll(async () => {
  process.env['ALLOW_LOOPBACK'] = '1';
  bucket = await createTestBucket();
  house = await servedApi(Object.values(API_GROUPS).flat(), {
    services: {
      bucket,
      sqs: fakeQueues().sqs,
      scheduler: { send: () => Promise.resolve({}) } as unknown as SchedulerClient,
      setting: name => SETTINGS[name] ?? name,
      ssm: { send: () => Promise.reject(new Error('no parameters here')) } as unknown as SSMClient,
    },
  });
  await furnish();
  const { table } = house.services;
  const owner = { name: 'Second', plan: 'business' as const, owner_email: 'second@example.com' };
  theirKey = (await createWorkspace(table, owner, house.clock.now)).api_key;
  const watching = {
    send: async (command: { input: unknown }) => {
      const answer = await table.client.send(command as never);
      seen.push(JSON.stringify([command.input, answer]));
      return answer;
    },
  } as unknown as DynamoDBDocumentClient;
  call = house.inProcessOf({ ...house.services, table: { ...table, client: watching } });
});
afterAll(async () => {
  Reflect.deleteProperty(process.env, 'ALLOW_LOOPBACK');
  await house.close();
  await bucket.close();
});

/** One of everything in the first workspace. */
async function furnish(): Promise<void> {
  const make = async (path: string, body: unknown) => (await house.call('POST', path, body)).body;
  const { table } = house.services;
  const { profile } = await make('/agency/profiles', { username: 'First' });
  const stored = (await getProfile(table, house.workspace.workspace_id, profile.id))!;
  const account = { ...ACCOUNT, id: newId(), workspace_id: stored.workspace_id, profile_id: stored.id };
  await putConnection(table, account);
  const asset = { title: 'A', profile_id: profile.id, public_url: 'https://cdn.example.com/a.mp4' };
  const [media] = (await make('/agency/media', [asset])).media;
  const { playlist } = await make('/agency/playlists', { name: 'P', profile_id: profile.id });
  const { webhook } = await make('/webhooks', { url: 'http://127.0.0.1:9/hook' });
  const { member } = await make('/workspace/members', { email: 'm@example.com', role: 'member' });
  const { api_key } = await make('/api-keys', { name: 'K' });
  const post = await make('/posts', {
    post_type: 'text',
    profile_name: 'First',
    platforms: ['telegram'],
    description: 'Hi',
    scheduled_date: new Date(house.clock.now + 86_400_000).toISOString(),
  });
  const { upload_id } = await make('/upload-media/presign', {
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
  const delivery = newDelivery(event, hook, house.clock.now);
  await createDelivery(table, delivery);
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
  };
  theirs = {
    delivery_id: delivery.delivery_id,
    platform: 'telegram',
    profile_id: profile.id,
    profile_name: 'First',
    media_asset_ids: [media.id],
    user_id: member.id,
    upload_id,
    // Only so that the request is not refused for another reason.
    url: 'http://127.0.0.1:9/hook',
  };
}

const ACCOUNT = {
  platform: 'telegram' as const,
  platform_user_id: 'u1',
  display_name: 'First',
  username: 'first',
  avatar_url: null,
  scopes: [],
  attributes: {},
  sealed: 'sealed',
  revision: 1,
  token_expires_at: null,
  needs_reconnect: false,
  renewal_lease_until: null,
  connected_at: 1,
};

function idFor({ path }: DocumentedOperation, name: string): string {
  if (Object.hasOwn(theirs, name)) return String(theirs[name]);
  const id = idsByPath[path.slice(0, path.indexOf('/{'))];
  if (id === undefined) throw new Error(`The first workspace has nothing for ${name} of ${path}`);
  return id;
}

/** The operation's own example, with the first workspace's things wherever it names one. */
function requestFor(each: DocumentedOperation): { path: string; body: unknown } {
  const path = each.path.replace(/\{(\w+)\}/g, (_, name: string) => idFor(each, name));
  const query = parametersOf(each)
    .filter(parameter => parameter.in === 'query' && Object.hasOwn(theirs, parameter.name))
    .map(({ name }): [string, string] => [name, String(theirs[name])]);
  const search = query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
  return { path: path + search, body: withTheirs(exampleOf(each), each) };
}

const bodyOf = ({ operation }: DocumentedOperation) => operation.requestBody?.content['application/json'];
const exampleOf = (each: DocumentedOperation): unknown => bodyOf(each)?.example;
const fieldsOf = (each: DocumentedOperation): string[] => {
  const schema = bodyOf(each)?.schema;
  return Object.keys((schema?.anyOf?.[0] ?? schema)?.properties ?? {});
};

function withTheirs(example: unknown, each: DocumentedOperation): unknown {
  if (typeof example !== 'object' || example === null || nameOf(each) === NAMES_NEW) return example;
  const own = fieldsOf(each).filter(name => Object.hasOwn(theirs, name));
  return { ...example, ...Object.fromEntries(own.map(name => [name, theirs[name]])) };
}

/** Whether the operation names something that has to exist: by its path, its query or its body. */
function namesSomething(each: DocumentedOperation): boolean {
  if ([...FINDS_INSTEAD, NAMES_NEW].includes(nameOf(each))) return false;
  const names = [...parametersOf(each).map(({ name }) => name), ...fieldsOf(each)];
  return names.some(name => /(^|_)id$|^profile_name$/.test(name));
}

/** Deleting last, so that everything is there for the others. */
const inOrder = [...keyed].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

describe('for another workspace', () => {
  test.each(inOrder.map(each => ({ name: nameOf(each), each })))('$name finds nothing', async ({ each }) => {
    seen = [];
    const answer = await asStranger(each);
    if (namesSomething(each))
      expect({ ...answer.body, status: answer.status }).toMatchObject({ status: 404 });
    else expect(answer.status).toBeLessThan(300);
    const foreign = seen.filter(text => text.includes(house.workspace.workspace_id));
    expect(foreign).toEqual([]);
    const told = JSON.stringify(answer.body);
    expect(Object.values(idsByPath).filter(id => told.includes(id))).toEqual([]);
  });

  test('nothing has changed for the first one', async () => {
    for (const [path, id] of Object.entries(idsByPath)) {
      const listed = operations.some(each => each.method === 'GET' && each.path === path);
      const answer = await house.call('GET', listed ? path : `${path}/${id}`);
      expect({ path, there: JSON.stringify(answer.body).includes(id) }).toEqual({ path, there: true });
    }
  });
});

test('the search for foreign items finds one that is read', async () => {
  seen = [];
  await call('GET', `/posts/${idsByPath['/posts']}`);
  expect(seen.filter(text => text.includes(house.workspace.workspace_id))).not.toEqual([]);
});

function asStranger(each: DocumentedOperation): Promise<ApiAnswer> {
  const { path, body } = requestFor(each);
  const sent = each.method === 'GET' || each.method === 'DELETE' ? undefined : body;
  return call(each.method, path, sent, { authorization: `Bearer ${theirKey}` });
}
