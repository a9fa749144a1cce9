import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sealWorkspaceApp } from '../../shared/connections/apps.ts';
import { authenticate } from '../../shared/http/authenticate.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { isApiKey } from '../../shared/model/api-key.ts';
import { newId } from '../../shared/model/id.ts';
import { putWorkspaceApp } from '../../shared/store/platform-apps.ts';
import { setPlan } from '../../shared/store/workspaces.ts';
import { createApiWorld, type ApiWorld, type Shown } from '../../test/support/api-world.ts';
import { routes } from './routes.ts';
import { openQuota } from '../../shared/quota/quota.ts';

let api: ApiWorld;
beforeEach(async () => {
  api = await createApiWorld(routes);
});
afterEach(() => api.close());

const add = (body: unknown, as = api.owner) => api.call('POST /workspace/members', { body, as });
const update = (id: string, body: unknown, as = api.owner) =>
  api.call('PATCH /workspace/members/{id}', { params: { id }, body, as });
const remove = (id: string, as = api.owner) =>
  api.call('DELETE /workspace/members/{id}', { params: { id }, as });
const members = (as = api.owner) => api.call('GET /workspace/members', { as });
const createKey = (body: unknown, as = api.owner) => api.call('POST /api-keys', { body, as });
const keys = (as = api.owner) => api.call('GET /api-keys', { as });
const revoke = (id: string, as = api.owner) => api.call('DELETE /api-keys/{id}', { params: { id }, as });
const fields = ({ body }: Shown) => body.details.map(({ field }: { field: string }) => field);

/** Authenticates with a key: returns its role, or the status of the error. */
async function use(key: string): Promise<string | number> {
  try {
    return (await authenticate(api.services, `Bearer ${key}`, routes[0]!)).role;
  } catch (error) {
    if (error instanceof ApiError) return error.response.status;
    throw error;
  }
}

describe('GET /workspace', () => {
  test('returns plan, role and usage of every limit', async () => {
    await api.profile();
    expect(await api.call('GET /workspace')).toEqual({
      status: 200,
      headers: {},
      body: {
        id: api.owner.workspace_id,
        name: 'W',
        plan: 'pro',
        role: 'owner',
        user_id: api.owner.user_id,
        created_at: '2026-12-01T10:00:00.000Z',
        usage: {
          profiles: { used: 1, limit: 25, resets_at: null },
          ai_requests: { used: 0, limit: 200, resets_at: '2027-01-01T00:00:00.000Z' },
          webhooks: { used: 0, limit: 10, resets_at: null },
          api_keys: { used: 1, limit: 25, resets_at: null },
          storage_bytes: { used: 0, limit: 50_000_000_000, resets_at: null },
          requests_per_minute: { used: 0, limit: 120, resets_at: '2026-12-01T10:00:00.000Z' },
        },
        platform_quotas: [],
      },
    });
  });

  test("returns the quotas of the workspace's own app until the next midnight in Pacific Time", async () => {
    const app = { client_id: 'own', client_secret: 'secret' };
    const { table } = api.services;
    await putWorkspaceApp(
      table,
      await sealWorkspaceApp(api.services, api.owner.workspace_id, 'youtube', app),
    );
    await openQuota(api.services, { app, account_id: null }, 'youtube').spend('units', 150);
    const resets_at = '2026-12-02T08:00:00.000Z';
    expect((await api.call('GET /workspace')).body.platform_quotas).toEqual([
      { platform: 'youtube', bucket: 'units', used: 150, limit: 10_000, resets_at },
      { platform: 'youtube', bucket: 'video_uploads', used: 0, limit: 100, resets_at },
    ]);
  });
});

describe('members', () => {
  test('are added by owners, once for each e-mail address', async () => {
    const { status, body } = await add({ email: ' Kim@Example.com ', name: 'Kim', role: 'member' });
    expect(status).toBe(201);
    expect(body).toEqual({
      member: {
        id: expect.any(String),
        email: 'Kim@Example.com',
        name: 'Kim',
        role: 'member',
        created_at: '2026-12-01T10:00:00.000Z',
      },
    });
    expect((await add({ email: 'kim@example.COM', role: 'owner' })).status).toBe(409);
    expect((await members()).body.members).toHaveLength(2);
    await remove(body.member.id);
    expect((await add({ email: 'kim@example.com', role: 'member' })).status).toBe(201);
  });

  test('are added once when 20 requests with one address run concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => add({ email: 'kim@example.com', role: 'owner' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test.each([
    [{ role: 'member' }, ['email']],
    [{ email: 'nobody', role: 'member' }, ['email']],
    [{ email: ['a@example.com'], role: 'member' }, ['email']],
    [{ email: 'a@example.com' }, ['role']],
    [{ email: 'a@example.com', role: 'admin' }, ['role']],
    [{ email: 'a@example.com', role: 'owner', name: '' }, ['name']],
    [{ email: 'a@example.com', role: 'owner', name: 'a\u0000' }, ['name']],
    [{ email: null, role: null, name: 5 }, ['email', 'name', 'role']],
    [{ email: `${'a'.repeat(300)}@example.com`, role: 'member' }, ['email']],
  ])('are refused with validation errors: %j', async (body, expected) => {
    const answer = await add(body);
    expect(answer.status).toBe(400);
    expect([...new Set(fields(answer))].sort()).toEqual(expected);
  });

  test('are changed and removed by owners only', async () => {
    const member = await api.member();
    for (const answer of [
      await add({ email: 'a@example.com', role: 'owner' }, member),
      await update(member.user_id, { role: 'owner' }, member),
      await remove(api.owner.user_id, member),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: expect.any(String) } });
    }
    expect((await update(member.user_id, { role: 'owner', name: 'Kim' })).body.member).toMatchObject({
      role: 'owner',
      name: 'Kim',
    });
    expect((await members(member)).status).toBe(200);
  });

  test('always include at least one owner', async () => {
    await api.member();
    const { user_id } = api.owner;
    for (const answer of [await update(user_id, { role: 'member' }), await remove(user_id)]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'LAST_OWNER' } });
    }
    expect((await update(user_id, { name: 'Me' })).status).toBe(200);
    const second = await api.member('owner');
    expect((await update(user_id, { role: 'member' }, second)).status).toBe(200);
    expect((await remove(second.user_id, second)).status).toBe(409);
  });

  test('keep one owner when ten leave concurrently', async () => {
    const others = await Promise.all(Array.from({ length: 9 }, () => api.member('owner')));
    const owners = [api.owner, ...others];
    const answers = await Promise.all(
      owners.map((owner, n) =>
        n % 2 === 0 ? remove(owner.user_id) : update(owner.user_id, { role: 'member' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
    const left = (await members()).body.members.filter(({ role }: { role: string }) => role === 'owner');
    expect(left).toHaveLength(1);
  });

  test('are not found by another workspace', async () => {
    const member = await api.member();
    const stranger = await api.stranger();
    for (const answer of [
      await update(member.user_id, { role: 'owner' }, stranger),
      await remove(member.user_id, stranger),
      await remove(newId()),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'Member not found' } });
    }
    expect((await members(stranger)).body.members).toHaveLength(1);
  });
});

describe('API keys', () => {
  test('are returned once, and work', async () => {
    const { status, body } = await createKey({ name: 'Website' });
    expect(status).toBe(201);
    expect(isApiKey(body.key)).toBe(true);
    expect(body.api_key).toEqual({
      id: expect.any(String),
      name: 'Website',
      prefix: body.key.slice(0, 10),
      user_id: api.owner.user_id,
      created_at: '2026-12-01T10:00:00.000Z',
      last_used_at: null,
      expires_at: null,
      scopes: null,
      profile_ids: null,
    });
    const listed = await keys();
    expect(listed.body.api_keys).toContainEqual(body.api_key);
    expect(JSON.stringify(listed.body)).not.toContain(body.key);
    expect(await use(body.key)).toBe('owner');
  });

  test('are created by owners for every member, by members for themselves only', async () => {
    const member = await api.member();
    const made = await createKey({ name: 'For Kim', user_id: member.user_id });
    expect(made.body.api_key.user_id).toBe(member.user_id);
    expect(await use(made.body.key)).toBe('member');
    expect((await createKey({ name: 'Mine' }, member)).status).toBe(201);
    expect((await createKey({ name: 'Not mine', user_id: api.owner.user_id }, member)).status).toBe(403);
    expect((await keys(member)).body.api_keys).toHaveLength(2);
    expect((await keys()).body.api_keys).toHaveLength(3);
  });

  test.each([{}, { name: null }, { name: ' ' }, { name: 'n'.repeat(101) }, { name: ['a'] }])(
    'are refused with validation errors: %j',
    async body => {
      const answer = await createKey(body);
      expect(answer.status).toBe(400);
      expect(new Set(fields(answer))).toEqual(new Set(['name']));
    },
  );

  test('are not created for a user of another workspace', async () => {
    const stranger = await api.stranger();
    expect((await createKey({ name: 'K', user_id: stranger.user_id })).status).toBe(404);
    expect((await createKey({ name: 'K', user_id: 'me' })).status).toBe(400);
  });

  test('report their last use with a resolution of one hour', async () => {
    const { body } = await createKey({ name: 'Website' });
    const used = async () =>
      (await keys()).body.api_keys.find(({ id }: { id: string }) => id === body.api_key.id).last_used_at;
    await use(body.key);
    expect(await used()).toBe('2026-12-01T10:00:00.000Z');
    api.clock.now += 59 * 60_000;
    await use(body.key);
    expect(await used()).toBe('2026-12-01T10:00:00.000Z');
    api.clock.now += 2 * 60_000;
    await use(body.key);
    expect(await used()).toBe('2026-12-01T11:01:00.000Z');
  });

  test('stop working within 30 s after they are revoked', async () => {
    const { body } = await createKey({ name: 'Website' });
    expect(await use(body.key)).toBe('owner');
    expect(await revoke(body.api_key.id)).toEqual({ status: 204, headers: {}, body: null });
    api.clock.now += 30_000;
    expect(await use(body.key)).toBe(401);
    expect((await revoke(body.api_key.id)).status).toBe(404);
    expect((await keys()).body.api_keys).not.toContainEqual(expect.objectContaining({ id: body.api_key.id }));
  });

  test('of other users are revoked by owners only, those of other workspaces by nobody', async () => {
    const member = await api.member();
    const { id } = (await createKey({ name: 'Website' })).body.api_key;
    expect((await revoke(id, member)).status).toBe(403);
    expect((await revoke(id, await api.stranger())).status).toBe(404);
    expect((await revoke(id)).status).toBe(204);
  });

  test('follow changes of role, plan and membership within 30 s', async () => {
    const member = await api.member();
    const { key } = (await createKey({ name: 'K', user_id: member.user_id })).body;
    expect(await use(key)).toBe('member');
    await update(member.user_id, { role: 'owner' });
    api.clock.now += 30_000;
    expect(await use(key)).toBe('owner');
    await setPlan(api.table, api.owner.workspace_id, 'free');
    api.clock.now += 30_000;
    expect(await use(key)).toBe(403);
    await setPlan(api.table, api.owner.workspace_id, 'pro');
    await remove(member.user_id);
    api.clock.now += 30_000;
    expect(await use(key)).toBe(401);
    expect((await keys()).body.api_keys).toHaveLength(1);
  });
});
