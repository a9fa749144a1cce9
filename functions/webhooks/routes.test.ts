import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type * as v from 'valibot';
import { unseal } from '../../shared/aws/key-ring.ts';
import { ApiError, type ApiResponse } from '../../shared/http/errors.ts';
import { newId } from '../../shared/model/id.ts';
import type { Webhook } from '../../shared/model/webhook.ts';
import { PLANS, type Plan, type Role } from '../../shared/model/workspace.ts';
import { getWebhook, listWebhooks, updateWebhook } from '../../shared/store/webhooks.ts';
import { assertDocumented } from '../../test/support/openapi.ts';
import { webhookWorld, type WebhookWorld } from '../../test/support/webhooks.ts';
import { routes } from './routes.ts';
import type { DeliveryView, WebhookView } from './view.ts';

let world: WebhookWorld;
const allowLoopback = process.env['ALLOW_LOOPBACK'];

beforeEach(async () => {
  world = await webhookWorld();
  process.env['ALLOW_LOOPBACK'] = '1';
});
afterEach(async () => {
  if (allowLoopback === undefined) delete process.env['ALLOW_LOOPBACK'];
  else process.env['ALLOW_LOOPBACK'] = allowLoopback;
  await world.close();
});

interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  workspace_id?: string;
  plan?: Plan;
  role?: Role;
  user_id?: string;
}

/** Calls a route with a key of the workspace; a thrown ApiError is an answer. */
async function call(
  name: string,
  {
    params = {},
    query = {},
    body,
    workspace_id,
    plan = 'starter',
    role = 'owner',
    user_id = newId(),
  }: Call = {},
) {
  const route = routes.find(({ method, path }) => `${method} ${path}` === name);
  if (!route) throw new Error(`There is no route ${name}`);
  const principal = {
    workspace_id: workspace_id ?? world.workspace_id,
    user_id,
    key_id: newId(),
    role,
    plan,
  };
  const raw = { params, query, body, principal, request_id: 'r', headers: {}, base_url: 'https://a/v1' };
  const answer = asJson(await answerOf(route.invoke(raw, world.services)));
  assertDocumented(route.method, route.path, answer.status, answer.status === 204 ? undefined : answer.body);
  return answer;
}

async function answerOf(running: Promise<ApiResponse>): Promise<ApiResponse> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof ApiError) return error.response;
    throw error;
  }
}

/** The fields of this group's answers. */
interface Body {
  webhook: v.InferOutput<typeof WebhookView>;
  signing_secret: string;
  delivery: v.InferOutput<typeof DeliveryView>;
  data: v.InferOutput<typeof DeliveryView>[];
  next_cursor: string | null;
  details: { field: string }[];
}

/** The answer as a caller gets it. */
function asJson({ status, body }: ApiResponse): { status: number; body: Body } {
  return { status, body: JSON.parse(JSON.stringify(body ?? {})) as Body };
}

const url = 'http://127.0.0.1:9/hook';
const create = (body: unknown) => call('POST /webhooks', { body });
const fieldsOf = ({ details }: Body) => details.map(({ field }) => field);

describe('POST /webhooks', () => {
  test('answers 201 with the webhook and its secret', async () => {
    const { status, body } = await create({ url, description: 'Mine' });
    expect(status).toBe(201);
    expect(body).toEqual({
      webhook: {
        id: expect.any(String),
        url,
        events: ['post.published', 'post.failed', 'post.retry', 'post.token_expired'],
        description: 'Mine',
        active: true,
        disabled_reason: null,
        created_at: new Date(world.clock.now).toISOString(),
        updated_at: new Date(world.clock.now).toISOString(),
      },
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const stored = (await getWebhook(world.services.table, world.workspace_id, body.webhook.id))!;
    expect(JSON.stringify(stored)).not.toContain(body.signing_secret.slice(6));
    const ring = await world.services.keyRing();
    expect(unseal(ring, stored.id, stored.sealed_secret)).toBe(body.signing_secret);

    const listed = await call('GET /webhooks');
    expect(listed.body).toEqual({ webhooks: [body.webhook] });
    const one = await call('GET /webhooks/{id}', { params: { id: stored.id } });
    expect(one).toEqual({ status: 200, body: { webhook: body.webhook } });
  });

  test('names every error of the body', async () => {
    const { status, body } = await create({
      url: 'http://user:pw@10.0.0.8/x',
      events: ['post.published', 'post.deleted'],
      description: 'd'.repeat(201),
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'Validation failed',
      details: [
        { field: 'url', message: 'url must use https', platform: null },
        { field: 'url', message: 'url must not contain credentials', platform: null },
        { field: 'url', message: 'url must be a public address', platform: null },
        {
          field: 'events[1]',
          message: expect.stringMatching(/^events\[1\] must be one of post\.published/),
          platform: null,
        },
        { field: 'description', message: 'description must have at most 200 characters', platform: null },
      ],
    });
  });

  test.each([
    [{}, ['url']],
    [{ url: null }, ['url']],
    [{ url: 'hooks.example.com' }, ['url']],
    [{ url: 'ftp://hooks.example.com/' }, ['url']],
    [{ url: `https://hooks.example.com/${'a'.repeat(2048)}` }, ['url']],
    [{ url, events: [] }, ['events']],
    [{ url, events: 'post.published' }, ['events']],
    [{ url, events: ['webhook.test'] }, ['events[0]']],
    [{ url, description: 7 }, ['description']],
  ])('answers 400 for %j', async (body, fields) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toEqual(fields);
  });

  test.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://１２７.0.0.1/',
    'https://10.0.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ])('refuses the address %s when deployed', async address => {
    delete process.env['ALLOW_LOOPBACK'];
    const answer = await create({ url: address });
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ field: 'url', message: 'url must be a public address', platform: null }] },
    });
  });

  test.each(['http://127.0.0.1:9/', 'http://localhost:9/x', 'http://hooks.example.com/'])(
    'refuses plain http when deployed: %s',
    async address => {
      delete process.env['ALLOW_LOOPBACK'];
      const answer = await create({ url: address });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('url must use https');
    },
  );

  test('accepts loopback addresses on the local stack and no other private address', async () => {
    expect((await create({ url: 'http://localhost:9/x' })).status).toBe(201);
    expect((await create({ url: 'http://127.0.0.1:9/x' })).status).toBe(201);
    expect((await create({ url: 'https://10.0.0.1/x' })).status).toBe(400);
    expect((await create({ url: 'http://10.0.0.1/x' })).status).toBe(400);
  });

  test('refuses a host that does not resolve', async () => {
    const answer = await create({ url: 'https://no-such-host.invalid/x' });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toEqual(['url']);
  });

  test('limits a workspace to ten webhooks under concurrency', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => create({ url })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const conflicts = answers.filter(({ status }) => status !== 201);
    for (const answer of conflicts) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'WEBHOOK_LIMIT', limit: 10 } });
    }
    expect(await listWebhooks(world.services.table, world.workspace_id)).toHaveLength(10);
  });

  test.each(PLANS)('limits a workspace to ten webhooks on the plan %s', async plan => {
    for (let n = 0; n < 10; n += 1) {
      expect((await call('POST /webhooks', { body: { url }, plan })).status).toBe(201);
    }
    expect((await call('POST /webhooks', { body: { url }, plan })).status).toBe(409);
  });

  test('subscribes to post.completed and account.disconnected only when they are named', async () => {
    const named = ['post.completed', 'account.disconnected'];
    expect((await create({ url, events: named })).body.webhook.events).toEqual(named);
    expect((await create({ url })).body.webhook.events).not.toContain('post.completed');
  });

  test('answers 400 for unknown fields, also when a webhook is updated', async () => {
    const answer = await create({ url, event: ['post.failed'], secret: 'mine' });
    expect([answer.status, fieldsOf(answer.body)]).toEqual([400, ['event', 'secret']]);
    expect(await listWebhooks(world.services.table, world.workspace_id)).toEqual([]);
    const { id } = await world.addWebhook({ url });
    const update = await call('PATCH /webhooks/{id}', { params: { id }, body: { activ: false } });
    expect([update.status, fieldsOf(update.body)]).toEqual([400, ['activ']]);
  });

  test('removes duplicate events', async () => {
    const { body } = await create({ url, events: ['post.failed', 'post.failed'] });
    expect(body.webhook.events).toEqual(['post.failed']);
  });
});

describe('a webhook', () => {
  let webhook: Webhook;
  let params: { id: string };
  beforeEach(async () => {
    webhook = await world.addWebhook({ url });
    params = { id: webhook.id };
  });

  test('is updated field by field', async () => {
    world.clock.now += 1_000;
    const { status, body } = await call('PATCH /webhooks/{id}', {
      params,
      body: { events: ['post.failed'] },
    });
    expect(status).toBe(200);
    expect(body.webhook).toMatchObject({
      url,
      events: ['post.failed'],
      active: true,
      updated_at: new Date(world.clock.now).toISOString(),
    });
    const off = await call('PATCH /webhooks/{id}', { params, body: { active: false, description: null } });
    expect(off.body.webhook).toMatchObject({ active: false, events: ['post.failed'], description: null });
  });

  test('is not updated with invalid values', async () => {
    const body = { url: 'https://10.0.0.1/', events: [], active: 'yes' };
    const answer = await call('PATCH /webhooks/{id}', { params, body });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer.body)).toEqual(['url', 'events', 'active']);
  });

  test('that was disabled for failing is healthy again when it is enabled', async () => {
    const failed = { active: false, disabled_reason: 'failing', failing_since: 1 } as const;
    await updateWebhook(world.services.table, world.workspace_id, webhook.id, failed);
    const { body } = await call('PATCH /webhooks/{id}', { params, body: { active: true } });
    expect(body.webhook).toMatchObject({ active: true, disabled_reason: null });
    expect(await getWebhook(world.services.table, world.workspace_id, webhook.id)).toMatchObject({
      failing_since: null,
    });
  });

  test('is deleted once', async () => {
    expect((await call('DELETE /webhooks/{id}', { params })).status).toBe(204);
    expect((await call('DELETE /webhooks/{id}', { params })).status).toBe(404);
    expect((await call('GET /webhooks/{id}', { params })).status).toBe(404);
  });

  test('gets a new secret; the previous one signs for 24 hours', async () => {
    const { status, body } = await call('POST /webhooks/{id}/rotate-secret', { params });
    expect(status).toBe(200);
    const until = world.clock.now + 24 * 3_600_000;
    expect(body).toMatchObject({
      webhook: { id: webhook.id },
      signing_secret: expect.stringMatching(/^whsec_/),
      previous_secret_expires_at: new Date(until).toISOString(),
    });
    const stored = (await getWebhook(world.services.table, world.workspace_id, webhook.id))!;
    const ring = await world.services.keyRing();
    expect(unseal(ring, webhook.id, stored.sealed_secret)).toBe(body.signing_secret);
    expect(stored.previous_secret?.expires_at).toBe(until);
    expect(unseal(ring, webhook.id, stored.previous_secret!.sealed)).toBe(world.secret);
  });

  test('gets a test event whatever its subscriptions', async () => {
    const { status, body } = await call('POST /webhooks/{id}/test', { params });
    expect(status).toBe(202);
    expect(body.delivery).toMatchObject({ event: 'webhook.test', status: 'pending', attempts: [] });
    expect(JSON.parse(body.delivery.body)).toMatchObject({
      event: 'webhook.test',
      id: body.delivery.event_id,
      data: { webhook_id: webhook.id },
    });
    expect(world.takeMessages()).toMatchObject([
      { body: { kind: 'delivery', webhook_id: webhook.id, delivery_id: body.delivery.id } },
    ]);
  });

  test('redelivers the same event and bytes as a new delivery', async () => {
    const sent = (await call('POST /webhooks/{id}/test', { params })).body.delivery;
    world.clock.now += 1_000;
    world.takeMessages();
    const again = await call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', {
      params: { ...params, delivery_id: sent.id },
    });
    expect(again.status).toBe(202);
    const { delivery } = again.body;
    expect(delivery).toMatchObject({
      event_id: sent.event_id,
      body: sent.body,
      status: 'pending',
      redelivery_of: sent.id,
    });
    expect(delivery.id).not.toBe(sent.id);
    expect(world.takeMessages()).toMatchObject([{ body: { delivery_id: delivery.id } }]);
    const unknown = { params: { ...params, delivery_id: newId() } };
    expect((await call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', unknown)).status).toBe(404);
  });

  test('that is disabled is neither tested nor redelivered to', async () => {
    const sent = (await call('POST /webhooks/{id}/test', { params })).body.delivery;
    await call('PATCH /webhooks/{id}', { params, body: { active: false } });
    const refused = { status: 409, body: { code: 'WEBHOOK_DISABLED' } };
    expect(await call('POST /webhooks/{id}/test', { params })).toMatchObject(refused);
    const again = { params: { ...params, delivery_id: sent.id } };
    expect(await call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', again)).toMatchObject(
      refused,
    );
  });

  test('lists its deliveries newest first, page by page, with a cursor that no other list accepts', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      world.clock.now += 1_000;
      ids.unshift((await call('POST /webhooks/{id}/test', { params })).body.delivery.id);
    }
    const page = (query: Record<string, string>, id = webhook.id) =>
      call('GET /webhooks/{id}/deliveries', { params: { id }, query });
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: Awaited<ReturnType<typeof page>> = await page({
        limit: '2',
        ...(cursor && { cursor }),
      });
      listed.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(listed).toEqual(ids);
    expect((await page({ limit: '5' })).body.next_cursor).toBeNull();

    const first = (await page({ limit: '2' })).body.next_cursor!;
    const other = await world.addWebhook({ url });
    const bad: Record<string, string>[] = [{ cursor: `${first}x` }, { limit: '0' }, { limit: '101' }];
    for (const query of bad) expect((await page(query)).status).toBe(400);
    expect((await page({ limit: '2', cursor: first }, other.id)).status).toBe(400);
  });

  test('lists a delivery for 30 days; after that it cannot be redelivered', async () => {
    const { id } = (await call('POST /webhooks/{id}/test', { params })).body.delivery;
    const listedIds = async () =>
      (await call('GET /webhooks/{id}/deliveries', { params })).body.data.map(delivery => delivery.id);
    const again = { params: { ...params, delivery_id: id } };
    world.clock.now += 30 * 86_400_000 - 1;
    expect(await listedIds()).toEqual([id]);
    world.clock.now += 1;
    // The item still exists: DynamoDB removes expired items within days.
    expect((await call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', again)).status).toBe(404);
    world.clock.now += 1;
    expect(await listedIds()).toEqual([]);
  });

  test('of another workspace answers 404 on every route', async () => {
    const workspace_id = newId();
    const delivery_id = newId();
    const ofOne = routes.filter(({ path }) => path.includes('{id}'));
    expect(ofOne).toHaveLength(7);
    for (const { method, path } of ofOne) {
      const body = method === 'PATCH' ? { active: false } : undefined;
      const answer = await call(`${method} ${path}`, {
        params: { ...params, delivery_id },
        body,
        workspace_id,
      });
      expect([path, answer]).toEqual([path, { status: 404, body: { error: 'Webhook not found' } }]);
    }
    expect((await call('GET /webhooks', { workspace_id })).body).toEqual({ webhooks: [] });
    expect(await getWebhook(world.services.table, world.workspace_id, webhook.id)).toEqual(webhook);
  });

  test('is changed, rotated, deleted and redelivered to by its creator and owners only', async () => {
    const creator = newId();
    const { id } = await world.addWebhook({ url, created_by: creator });
    const as = (user_id: string, role: Role) => ({ user_id, role, params: { id } });
    const sent = (await call('POST /webhooks/{id}/test', as(newId(), 'member'))).body.delivery;
    const redelivery = { id, delivery_id: sent.id };
    const attempts = (user_id: string, role: Role) => [
      () => call('PATCH /webhooks/{id}', { ...as(user_id, role), body: { description: 'Mine' } }),
      () => call('POST /webhooks/{id}/rotate-secret', as(user_id, role)),
      () =>
        call('POST /webhooks/{id}/deliveries/{delivery_id}/redeliver', {
          ...as(user_id, role),
          params: redelivery,
        }),
    ];
    const statuses = async (user_id: string, role: Role) => {
      const found: number[] = [];
      for (const attempt of attempts(user_id, role)) found.push((await attempt()).status);
      return found;
    };
    expect(await statuses(newId(), 'member')).toEqual([403, 403, 403]);
    expect(await statuses(creator, 'member')).toEqual([200, 200, 202]);
    expect(await statuses(newId(), 'owner')).toEqual([200, 200, 202]);
    expect((await call('DELETE /webhooks/{id}', as(newId(), 'member'))).status).toBe(403);
    expect((await call('GET /webhooks/{id}', as(newId(), 'member'))).status).toBe(200);
    expect((await call('DELETE /webhooks/{id}', as(creator, 'member'))).status).toBe(204);
  });

  test('is created for the caller, who may change it later', async () => {
    const user_id = newId();
    const { body } = await call('POST /webhooks', { body: { url }, user_id, role: 'member' });
    const params = { id: body.webhook.id };
    expect((await call('DELETE /webhooks/{id}', { params, user_id, role: 'member' })).status).toBe(204);
  });
});
