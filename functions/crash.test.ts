import { hash } from 'node:crypto';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unseal } from '../shared/aws/key-ring.ts';
import { LOCK_MS } from '../shared/store/idempotency.ts';
import { createDelivery } from '../shared/store/webhook-deliveries.ts';
import { getWebhook, listWebhooks } from '../shared/store/webhooks.ts';
import { newDelivery } from '../shared/model/webhook.ts';
import { newId } from '../shared/model/id.ts';
import { createTestBucket, type TestBucket } from '../test/support/bucket.ts';
import { mediaHost, type MediaHost } from '../test/support/media-host.ts';
import { crashPoints, crashingServices } from '../test/support/crashing-services.ts';
import { fakeQueues } from '../test/support/queue-messages.ts';
import { recorder } from '../test/support/recorder.ts';
import { servedApi, type ApiAnswer, type ServedApi } from '../test/support/served-api.ts';
import { API_GROUPS } from './routes.ts';

/*
 * Each request that creates something is killed before the first and after every call that it makes to the table, the queues and
 * the scheduler. Repeated with its Idempotency-Key it succeeds, and the table then holds exactly what a single request
 * without a crash stores.
 */

const ROUTES = Object.values(API_GROUPS).flat();
/**
 * A broadcast needs YouTube, which keeps what it created (`shared/broadcasts/crash.test.ts`); a playlist is stored at YouTube
 * only, where a run that died may leave a second one; the form of an upload has the handler of `/upload-media`.
 */
const ELSEWHERE = [
  'POST /integrations/youtube/broadcasts',
  'POST /integrations/youtube/playlists',
  'POST /upload-media/file',
];
const CREATING = ROUTES.filter(({ creates }) => creates)
  .map(({ method, path }) => `${method} ${path}`)
  .filter(name => !ELSEWHERE.includes(name));

interface Recipe {
  /** Returns path and body of another request; `n` makes its names unique. */
  request: (n: number) => Promise<{ path?: string; body?: unknown }>;
  /** Asserts that the response matches what is stored. */
  check?: (answer: ApiAnswer['body']) => Promise<void>;
}

let api: ServedApi;
let profileId: string;
let assets: string[];
const TELEGRAM: Record<string, unknown> = {
  getMe: { id: 700, is_bot: true, first_name: 'Bot', username: 'acme_bot' },
  getChat: { id: -1001, type: 'channel', title: 'News' },
  getChatMember: { status: 'administrator', user: { id: 700 }, can_post_messages: true },
};
let telegram: Awaited<ReturnType<typeof recorder>>;
let bucket: TestBucket;
let media: MediaHost;
const before = { ...process.env };

beforeAll(async () => {
  telegram = await recorder(line => ({ body: { ok: true, result: TELEGRAM[/\w+$/.exec(line)![0]] } }));
  process.env['SANDBOX_URL'] = telegram.url;
  process.env['ALLOW_LOOPBACK'] = '1';
  bucket = await createTestBucket();
  media = await mediaHost();
  api = await servedApi(ROUTES, {
    plan: 'enterprise',
    services: {
      bucket,
      setting: name => (name === 'AI_PROVIDER' ? JSON.stringify({ provider: 'offline' }) : `setting:${name}`),
      sqs: fakeQueues().sqs,
      lambda: fakeQueues().lambda,
      scheduler: { send: () => Promise.resolve({}) } as unknown as SchedulerClient,
      ssm: { send: () => Promise.reject(new Error('no parameters here')) } as unknown as SSMClient,
    },
  });
  profileId = (await api.call('POST', '/agency/profiles', { username: 'Acme' })).body.profile.id;
  assets = (await api.call('POST', '/agency/media', [asset(0), asset(1)])).body.media.map(
    ({ id }: { id: string }) => id,
  );
  await api.call('POST', '/integrations/telegram/connect', CONNECT);
  // The first upload of a workspace, and the first request of a month, create an item that counts the others too.
  await api.call('POST', '/upload-media', { profile_name: 'Acme', url: `${media.url}/photo.jpg` });
  await api.call('POST', '/ai/generate', caption(0));
});
afterAll(async () => {
  for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
  await api.close();
  await Promise.all([telegram.close(), bucket.close(), media.close()]);
});

const CONNECT = { profile_name: 'Acme', chat_id: '-1001', bot_token: `700:${'A'.repeat(35)}` };
const asset = (n: number) => ({
  title: `A ${n}`,
  profile_id: profileId,
  public_url: 'https://cdn.example.com/a',
});
const post = (n: number) => ({
  post_type: 'text',
  profile_name: 'Acme',
  platforms: ['telegram'],
  // A text that is similar to no other.
  description: hash('sha512', String(n)).match(/\w{5}/g)!.join(' '),
});

async function webhook(): Promise<string> {
  for (const { id } of await listWebhooks(api.services.table, api.workspace.workspace_id)) {
    await api.call('DELETE', `/webhooks/${id}`);
  }
  const { body } = await api.call('POST', '/webhooks', { url: `${telegram.url}/hook` });
  return body.webhook.id;
}

async function secretsOf(id: string): Promise<{ now: string; before: string | null }> {
  const hook = (await getWebhook(api.services.table, api.workspace.workspace_id, id))!;
  const ring = await api.services.keyRing();
  const previous = hook.previous_secret && unseal(ring, id, hook.previous_secret.sealed);
  return { now: unseal(ring, id, hook.sealed_secret), before: previous };
}

async function delivery(webhookId: string): Promise<string> {
  const hook = (await getWebhook(api.services.table, api.workspace.workspace_id, webhookId))!;
  const timestamp = new Date(api.clock.now).toISOString();
  const event = { event: 'webhook.test' as const, id: newId(api.clock.now), timestamp, data: {} };
  const one = newDelivery(event, hook, api.clock.now);
  await createDelivery(api.services.table, one);
  return one.delivery_id;
}

/** The secret before it was rotated. */
let previousSecret: string;

/** AI requests of the month before the request under test. */
let aiRequestsBefore: number;

async function aiRequests(): Promise<number> {
  return (await api.call('GET', '/workspace')).body.usage.ai_requests.used;
}

const caption = (n: number) => ({ type: 'caption', topic: `Coffee, roast ${n}`, platforms: ['x'] });

const RECIPES: Record<string, Recipe> = {
  'POST /posts': { request: n => Promise.resolve({ body: post(n) }) },
  'POST /agency/profiles': { request: n => Promise.resolve({ body: { username: `Profile ${n}` } }) },
  'POST /agency/media': { request: n => Promise.resolve({ body: [asset(n), asset(n), asset(n)] }) },
  'POST /agency/playlists': {
    request: n =>
      Promise.resolve({ body: { name: `P ${n}`, profile_id: profileId, media_asset_ids: assets } }),
    check: async ({ playlist }) => {
      expect((await api.call('GET', `/agency/playlists/${playlist.id}`)).body).toEqual(playlist);
    },
  },
  'POST /workspace/members': {
    request: n => Promise.resolve({ body: { email: `m${n}@example.com`, role: 'owner' } }),
  },
  'POST /api-keys': {
    request: n => Promise.resolve({ body: { name: `Key ${n}` } }),
    check: async ({ key, api_key }) => {
      const mine = await api.call('GET', '/api-keys', undefined, { authorization: `Bearer ${key}` });
      expect(mine.status).toBe(200);
      expect(mine.body.api_keys).toContainEqual({ ...api_key, last_used_at: expect.anything() });
    },
  },
  'POST /integrations/{platform}/connect': {
    request: () => Promise.resolve({ path: '/integrations/telegram/connect', body: CONNECT }),
  },
  'POST /upload-media': {
    request: () => Promise.resolve({ body: { profile_name: 'Acme', url: `${media.url}/photo.jpg` } }),
    check: async ({ upload_id, ...upload }) => {
      expect((await api.call('GET', `/upload-media/${upload_id}`)).body).toEqual({ upload_id, ...upload });
    },
  },
  'POST /upload-media/presign': {
    request: () =>
      Promise.resolve({ body: { profile_name: 'Acme', file_name: 'a.jpg', file_type: 'image/jpeg' } }),
  },
  'POST /ai/generate': {
    request: async n => {
      aiRequestsBefore = await aiRequests();
      return { body: caption(n) };
    },
    check: async () => {
      expect(await aiRequests()).toBe(aiRequestsBefore + 1);
    },
  },
  'POST /webhooks': {
    request: async () => {
      await api.call('DELETE', `/webhooks/${await webhook()}`);
      return { body: { url: `${telegram.url}/hook` } };
    },
    check: async ({ webhook: { id }, signing_secret }) => {
      expect((await secretsOf(id)).now).toBe(signing_secret);
    },
  },
  'POST /webhooks/{id}/rotate-secret': {
    request: async () => {
      const id = await webhook();
      previousSecret = (await secretsOf(id)).now;
      return { path: `/webhooks/${id}/rotate-secret` };
    },
    check: async ({ webhook: { id }, signing_secret }) => {
      expect(await secretsOf(id)).toEqual({ now: signing_secret, before: previousSecret });
    },
  },
  'POST /webhooks/{id}/test': { request: async () => ({ path: `/webhooks/${await webhook()}/test` }) },
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    request: async () => {
      const id = await webhook();
      return { path: `/webhooks/${id}/deliveries/${await delivery(id)}/redeliver` };
    },
  },
};

test('there is a recipe for each request that creates something', () => {
  expect(Object.keys(RECIPES).sort()).toEqual([...CREATING].sort());
});

/** Returns the keys in the table and their kinds, without idempotency keys and rate limits; webhooks one by one. */
async function stored(): Promise<Map<string, string>> {
  const { table } = api.services;
  const kinds = new Map<string, string>();
  const add = (PK: string, SK: string) => kinds.set(`${PK} ${SK}`, `${kindOf(PK)} ${kindOf(SK)}`);
  let start: Record<string, unknown> | undefined;
  do {
    const page = await table.client.send(
      new ScanCommand({ TableName: table.name, ConsistentRead: true, ExclusiveStartKey: start }),
    );
    for (const { PK, SK, webhooks } of page.Items ?? []) {
      if (!/^(IDEMPOTENCY|RATE)#/.test(PK)) add(PK, SK);
      for (const id of Object.keys(webhooks ?? {})) add(PK, `WEBHOOK#${id}`);
    }
    start = page.LastEvaluatedKey;
  } while (start);
  return kinds;
}

/** Keys begin with a kind, or with a time. */
const kindOf = (key: string) => key.split('#')[0]!.replace(/^\d{13}$/, 'time');

/** Returns how many items of each kind `run` adds to the table. */
async function added(run: () => Promise<void>): Promise<Record<string, number>> {
  const existing = await stored();
  await run();
  const fresh = [...(await stored())].filter(([key]) => !existing.has(key));
  const byKind = Object.groupBy(fresh, ([, kind]) => kind);
  return Object.fromEntries(Object.entries(byKind).map(([kind, items]) => [kind, items!.length]));
}

let n = 0;

describe.each(Object.entries(RECIPES))('%s', (name, recipe) => {
  const [method = '', route = ''] = name.split(' ');

  async function begin() {
    n += 1;
    const { path = route, body } = await recipe.request(n);
    // Caches of the container that handled the previous request expire.
    api.clock.now += LOCK_MS + 1;
    const headers = { 'idempotency-key': `${name} ${n}` };
    return (call: ServedApi['call']) => call(method, path, body, headers);
  }

  test('succeeds when it is killed before its first or after any of its calls, and repeated', async () => {
    const clean = await begin();
    const complete = crashingServices(api.services, null);
    let status = 0;
    const expected = await added(async () => {
      status = (await clean(api.inProcessOf(complete.services))).status;
    });
    expect([200, 201, 202]).toContain(status);
    expect(complete.calls()).toBeGreaterThan(3);

    for (const { at, when } of crashPoints(complete.calls())) {
      const send = await begin();
      const kinds = await added(async () => {
        await send(api.inProcessOf(crashingServices(api.services, { at, when }).services));
        api.clock.now += LOCK_MS + 1;
        const answer = await send(api.call);
        expect({ at, when, ...answer }).toMatchObject({ at, when, status });
        await recipe.check?.(answer.body);
        const again = await send(api.call);
        expect(again).toMatchObject({ status: answer.status, body: answer.body });
        expect(again.headers['idempotent-replayed']).toBe('true');
      });
      expect({ at, when, kinds }).toEqual({ at, when, kinds: expected });
    }
  });
});

test('a post that an interrupted request stored is returned although its time has passed since', async () => {
  const scheduled = () => ({ ...post(++n), scheduled_date: new Date(api.clock.now + 60_000).toISOString() });
  const complete = crashingServices(api.services, null);
  await api.inProcessOf(complete.services)('POST', '/posts', scheduled(), { 'idempotency-key': 'complete' });
  const statuses = new Set<number>();
  for (const { at, when } of crashPoints(complete.calls())) {
    const body = scheduled();
    const headers = { 'idempotency-key': `interrupted ${at} ${when}` };
    const { services } = crashingServices(api.services, { at, when });
    await api.inProcessOf(services)('POST', '/posts', body, headers);
    api.clock.now += LOCK_MS + 60_000;
    const answer = await api.call('POST', '/posts', body, headers);
    const [newest] = (await api.call('GET', '/posts?limit=1')).body.data;
    const isStored = newest.description === body.description;
    expect([at, when, answer.status]).toEqual([at, when, isStored ? 201 : 400]);
    if (isStored) expect(answer.body.post_id).toBe(newest.post_id);
    statuses.add(answer.status);
  }
  expect(statuses).toEqual(new Set([201, 400]));
});
