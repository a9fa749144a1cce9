import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import { countProfiles, findProfileByName, getProfile } from '../../shared/store/profiles.ts';
import { createApiWorld, type ApiWorld, type Shown } from '../../test/support/api-world.ts';
import { routes as posts } from '../posts/routes.ts';
import { routes } from './routes.ts';

let api: ApiWorld;
beforeEach(async () => {
  api = await createApiWorld([...routes, ...posts]);
});
afterEach(() => api.close());

const create = (body: unknown, as = api.owner) => api.call('POST /agency/profiles', { body, as });
const read = (id: string, as = api.owner) => api.call('GET /agency/profiles/{id}', { params: { id }, as });
const rename = (id: string, body: unknown, as = api.owner) =>
  api.call('PATCH /agency/profiles/{id}', { params: { id }, body, as });
const remove = (id: string, as = api.owner) =>
  api.call('DELETE /agency/profiles/{id}', { params: { id }, as });
const fields = ({ body }: Shown) => body.details.map(({ field }: { field: string }) => field);

describe('POST /agency/profiles', () => {
  test('answers 201 with exactly the specified fields and stores the caller as creator', async () => {
    const { status, body } = await create({ username: '  acme_shop ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      profile: {
        id: expect.any(String),
        username: 'acme_shop',
        profile_name: 'acme_shop',
        workspace_id: api.owner.workspace_id,
        created_at: '2026-12-01T10:00:00.000Z',
      },
    });
    const { body: stored } = await read(body.profile.id);
    expect(stored.profile).toMatchObject({ created_by: api.owner.user_id, profile_name: 'acme_shop' });
    expect(stored.profile.social_accounts).toMatchObject({ x: false, bluesky: false, gbp: false });
  });

  test.each(['Ñandú 42', '会社の名前', 'אבג דהו', 'e\u0301te\u0301', 'a.b-c_d', 'كافيه'])(
    'accepts letters of any script: %s',
    async username => {
      const { status, body } = await create({ username });
      expect(status).toBe(201);
      expect(body.profile.username).toBe(username.normalize('NFC'));
    },
  );

  test.each([
    ['missing', undefined],
    ['null', null],
    ['a number', 5],
    ['an array', ['acme']],
    ['an object', {}],
    ['empty', ''],
    ['white space', '     '],
    ['two characters', 'ab'],
    ['two characters of two UTF-16 units', '𠮷𠮷'],
    ['two characters and white space', ' ab  '],
    ['65 characters', 'a'.repeat(65)],
    ['a control character', 'ac\u0000me'],
    ['a line break', 'ac\nme'],
    ['an emoji', 'acme 🚀'],
    ['a direction mark', 'ac\u202eme'],
    ['a zero-width space', 'ac\u200bme'],
    ['a slash', 'ac/me'],
    ['a lone surrogate', 'acme\ud800'],
  ])('refuses a username that is %s', async (_, username) => {
    const answer = await create({ username });
    expect(answer).toMatchObject({ status: 400, body: { error: 'Validation failed' } });
    expect(new Set(fields(answer))).toEqual(new Set(['username']));
  });

  test.each([5, [], '', '  ', '\u200b', 'n'.repeat(101), 'a\u0007b'])(
    'refuses the profile name %j',
    async name => {
      const answer = await create({ username: 'acme', profile_name: name });
      expect(answer.status).toBe(400);
      expect(new Set(fields(answer))).toEqual(new Set(['profile_name']));
    },
  );

  test.each([null, [], 'text', 7])('refuses the body %j', async body => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error: 'Validation failed' } });
  });

  test.each([
    ['Acme', 'ACME'],
    ['Straße', 'STRASSE'],
    ['Straße', 'Straẞe'],
    ['ΟΔΟΣ', 'οδος'],
    ['ａｃｍｅ', 'acme'],
    ['e\u0301te\u0301', 'ÉTÉ'],
  ])('treats %s and %s as the same name', async (first, second) => {
    expect((await create({ username: first })).status).toBe(201);
    const answer = await create({ username: second });
    expect(answer).toEqual({
      status: 409,
      headers: {},
      body: { error: 'A profile with this username or profile name already exists' },
    });
    expect((await create({ username: 'other', profile_name: second })).status).toBe(409);
  });

  test('counts the length of names in code points', async () => {
    const username = '𠮷'.repeat(64);
    const profile_name = '🚀'.repeat(100);
    expect((await create({ username, profile_name })).status).toBe(201);
    const longer = await create({ username: '𠮷'.repeat(65), profile_name: '🚀'.repeat(101) });
    expect([longer.status, fields(longer)]).toEqual([400, ['username', 'profile_name']]);
  });

  test('answers one error for an empty name', async () => {
    const { body } = await create({ username: 'Somebody', profile_name: ' ' });
    expect(body.details).toEqual([
      { field: 'profile_name', message: 'profile_name must not be empty', platform: null },
    ]);
  });

  test('distinguishes dotless and dotted i', async () => {
    expect((await create({ username: 'kiz' })).status).toBe(201);
    expect((await create({ username: 'kız' })).status).toBe(201);
  });

  test('accepts a name that is too long for a key after case folding', async () => {
    const profile_name = 'ﷺ'.repeat(100);
    expect((await create({ username: 'acme', profile_name })).status).toBe(201);
    const found = await findProfileByName(api.table, api.owner.workspace_id, profile_name);
    expect(found?.username).toBe('acme');
    expect(await findProfileByName(api.table, api.owner.workspace_id, 'x'.repeat(100_000))).toBeNull();
  });

  test('allows the same name in another workspace', async () => {
    await create({ username: 'acme' });
    expect((await create({ username: 'acme' }, await api.stranger())).status).toBe(201);
  });

  test('creates one of 20 concurrent profiles with the same username and answers 409 to the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ username: 'acme', profile_name: `Name ${n}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter(status => status === 201)).toHaveLength(1);
    expect(statuses.filter(status => status === 409)).toHaveLength(19);
    expect(await countProfiles(api.table, api.owner.workspace_id)).toBe(1);
  });

  test('creates five of 20 concurrent profiles on a plan that allows five', async () => {
    const starter = { ...api.owner, plan: 'starter' } as const;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ username: `acme ${n}` }, starter)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 201)!;
    expect(refused).toEqual({
      status: 403,
      headers: {},
      body: { error: 'The starter plan allows 5 profiles, and all of them are in use' },
    });
    const { body } = await api.call('GET /agency/profiles');
    expect(body.profiles).toHaveLength(5);
    await remove(body.profiles[0].id);
    expect((await create({ username: 'one more' }, starter)).status).toBe(201);
  });

  test('succeeds when an interrupted run has created the profile already', async () => {
    const profile = await api.profile();
    const { createProfile } = await import('../../shared/store/profiles.ts');
    expect(await createProfile(api.table, profile, 1)).toBe('created');
    expect(await countProfiles(api.table, api.owner.workspace_id)).toBe(1);
  });
});

describe('GET /agency/profiles', () => {
  test('returns all profiles with their accounts to owners and members', async () => {
    const profile = await api.profile({ created_by: null });
    await api.connect(profile, 'x');
    await api.connect(profile, 'bluesky', { needs_reconnect: true });
    const { body } = await api.call('GET /agency/profiles', { as: await api.member() });
    expect(body).toMatchObject({ success: true, profiles: [{ id: profile.id, created_by: null }] });
    expect(body.profiles[0].social_accounts).toMatchObject({ x: true, bluesky: false, telegram: false });
    expect((await read(profile.id)).body.profile).toEqual(body.profiles[0]);
  });

  test('returns nothing of another workspace', async () => {
    const profile = await api.profile();
    const stranger = await api.stranger();
    expect((await api.call('GET /agency/profiles', { as: stranger })).body.profiles).toEqual([]);
    for (const answer of [
      await read(profile.id, stranger),
      await rename(profile.id, { username: 'mine' }, stranger),
      await remove(profile.id, stranger),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'Profile not found' } });
    }
    expect(await getProfile(api.table, profile.workspace_id, profile.id)).toEqual(profile);
  });
});

describe('PATCH /agency/profiles/{id}', () => {
  test('frees the old name and reserves the new one', async () => {
    const { id } = (await create({ username: 'acme', profile_name: 'Acme' })).body.profile;
    const { status, body } = await rename(id, { profile_name: 'Acme Shop' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      profile: { id, username: 'acme', profile_name: 'Acme Shop' },
    });
    const find = (name: string) => findProfileByName(api.table, api.owner.workspace_id, name);
    expect(await find('Acme')).toBeNull();
    expect((await find('Acme Shop'))?.id).toBe(id);
    expect((await find('acme'))?.profile_name).toBe('Acme Shop');
    expect((await create({ username: 'other', profile_name: 'ACME' })).status).toBe(201);
  });

  test('accepts another spelling of the own name', async () => {
    const { id } = (await create({ username: 'acme' })).body.profile;
    expect(await rename(id, { username: 'ACME' })).toMatchObject({
      status: 200,
      body: { profile: { username: 'ACME', profile_name: 'acme' } },
    });
  });

  test('answers 409 for a name of another profile and changes nothing', async () => {
    await create({ username: 'first' });
    const { id } = (await create({ username: 'second' })).body.profile;
    expect((await rename(id, { username: 'third', profile_name: 'First' })).status).toBe(409);
    expect((await read(id)).body.profile).toMatchObject({ username: 'second', profile_name: 'second' });
    expect((await create({ username: 'third' })).status).toBe(201);
  });

  test('reports every validation error', async () => {
    const { id } = await api.profile();
    const answer = await rename(id, { username: 'x', profile_name: null });
    expect(answer.status).toBe(400);
    expect(fields(answer).sort()).toEqual(['profile_name', 'username']);
  });

  test('renames one of ten concurrent profiles to the same name', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) => api.profile({ username: `user ${n}`, profile_name: `P ${n}` })),
    );
    const answers = await Promise.all(made.map(({ id }) => rename(id, { username: 'wanted' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('roles', () => {
  test('let members change and delete the profiles that they created, owners any', async () => {
    const member = await api.member();
    const own = (await create({ username: 'mine' }, member)).body.profile.id;
    const others = (await create({ username: 'theirs' })).body.profile.id;
    const legacy = (await api.profile({ created_by: null })).id;

    expect((await rename(own, { username: 'still mine' }, member)).status).toBe(200);
    for (const id of [others, legacy]) {
      for (const answer of [await rename(id, { username: 'taken' }, member), await remove(id, member)]) {
        expect(answer).toMatchObject({ status: 403, body: { error: expect.stringMatching(/own profiles/) } });
        expect(Object.keys(answer.body)).toEqual(['error']);
      }
    }
    expect((await remove(own, member)).status).toBe(200);
    for (const id of [others, legacy]) expect((await remove(id)).status).toBe(200);
  });
});

describe('DELETE /agency/profiles/{id}', () => {
  test('frees the names and sends the remaining work to the housekeeper', async () => {
    const { id, workspace_id } = (await create({ username: 'acme' })).body.profile;
    expect(await remove(id)).toEqual({
      status: 200,
      headers: {},
      body: { success: true, message: expect.any(String), cancelled_posts: 0 },
    });
    expect(api.takeMessages().map(({ body }) => body)).toEqual([
      { kind: 'erase-profile', workspace_id, profile_id: id },
    ]);
    for (const answer of [await read(id), await remove(id)]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'Profile not found' } });
    }
    expect((await create({ username: 'acme' })).status).toBe(201);
  });

  test('requests the removal of the media copies of waiting posts', async () => {
    const profile = await api.profile({ profile_name: 'Acme' });
    await api.connect(profile, 'x');
    const post = {
      post_type: 'image',
      profile_name: 'Acme',
      platforms: ['x'],
      media_urls: ['https://93.184.216.34/a.jpg'],
      scheduled_date: new Date(api.clock.now + 86_400_000).toISOString(),
    };
    const { status, body } = await api.call('POST /posts', { body: post });
    expect(status).toBe(201);
    api.takeMessages();
    await remove(profile.id);
    expect(api.takeMessages().map(message => message.body)).toContainEqual(
      expect.objectContaining({ kind: 'copy', post_id: body.post_id }),
    );
  });

  test('cancels waiting posts, which stay readable, and answers how many', async () => {
    const profile = await api.profile({ profile_name: 'Closing' });
    await api.connect(profile, 'x');
    const post = (changes: object) =>
      api.call('POST /posts', {
        body: { post_type: 'text', profile_name: 'Closing', platforms: ['x'], ...changes },
      });
    const scheduled_date = new Date(api.clock.now + 86_400_000).toISOString();
    const waiting = [
      await post({ description: 'One', scheduled_date }),
      await post({ description: 'Two', add_to_queue: true }),
      await post({ description: 'Three' }),
    ];
    expect(waiting.map(({ status }) => status)).toEqual([201, 201, 201]);
    const other = await api.profile();
    expect((await remove(other.id)).body).toMatchObject({ cancelled_posts: 0 });
    expect((await remove(profile.id)).body).toMatchObject({ cancelled_posts: 3 });

    for (const { body } of waiting) {
      const params = { id: body.post_id };
      const { body: record } = await api.call('GET /posts/{id}', { params });
      expect(record).toMatchObject({
        status: 'cancelled',
        published_at: null,
        destinations: [{ status: 'cancelled', error: null, next_attempt_at: null }],
      });
      const edited = await api.call('POST /posts/{id}', { params, body: { description: 'Other' } });
      expect(edited).toMatchObject({ status: 409, body: { code: 'POST_NOT_EDITABLE', status: 'cancelled' } });
      expect((await api.call('POST /posts/{id}/retry', { params, body: {} })).status).toBe(409);
    }
    const listed = await api.call('GET /posts', { query: { status: 'cancelled' } });
    expect(listed.body.data).toHaveLength(3);
    const params = { id: waiting[0]!.body.post_id };
    expect((await api.call('DELETE /posts/{id}', { params })).status).toBe(204);
  });

  test('answers 404 for an unknown or malformed id', async () => {
    expect((await remove(newId())).status).toBe(404);
    expect((await remove('nonsense')).status).toBe(404);
  });

  test('deletes once when ten requests run concurrently, and keeps the count correct', async () => {
    const { id } = await api.profile();
    await api.profile();
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
    expect(await countProfiles(api.table, api.owner.workspace_id)).toBe(1);
  });

  test('frees every name when it runs concurrently with a rename', async () => {
    const { id } = await api.profile({ username: 'before', profile_name: 'before' });
    await Promise.all([rename(id, { username: 'after' }), remove(id)]);
    if ((await read(id)).status === 200) await remove(id);
    expect((await create({ username: 'before' })).status).toBe(201);
    expect((await create({ username: 'after' })).status).toBe(201);
  });
});
