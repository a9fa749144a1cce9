import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import { countProfiles, findProfileByName, getProfile } from '../../shared/store/profiles.ts';
import { apiHouse, type ApiHouse, type Shown } from '../../test/support/api-world.ts';
import { routes } from './routes.ts';

let house: ApiHouse;
beforeEach(async () => {
  house = await apiHouse(routes);
});
afterEach(() => house.close());

const create = (body: unknown, as = house.owner) => house.call('POST /agency/profiles', { body, as });
const read = (id: string, as = house.owner) =>
  house.call('GET /agency/profiles/{id}', { params: { id }, as });
const rename = (id: string, body: unknown, as = house.owner) =>
  house.call('PATCH /agency/profiles/{id}', { params: { id }, body, as });
const remove = (id: string, as = house.owner) =>
  house.call('DELETE /agency/profiles/{id}', { params: { id }, as });
const fields = ({ body }: Shown) => body.details.map(({ field }: { field: string }) => field);

describe('POST /agency/profiles', () => {
  test('answers 201 with just the specified fields; the creator is the caller', async () => {
    const { status, body } = await create({ username: '  acme_shop ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      profile: {
        id: expect.any(String),
        username: 'acme_shop',
        profile_name: 'acme_shop',
        workspace_id: house.owner.workspace_id,
        created_at: '2026-12-01T10:00:00.000Z',
      },
    });
    const { body: stored } = await read(body.profile.id);
    expect(stored.profile).toMatchObject({ created_by: house.owner.user_id, profile_name: 'acme_shop' });
    expect(stored.profile.social_accounts).toMatchObject({ x: false, bluesky: false, gbp: false });
  });

  test.each(['Ñandú 42', '会社の名前', 'אבג דהו', 'e\u0301te\u0301', 'a.b-c_d', 'كافيه'])(
    'takes letters of any script: %s',
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
    ['two characters and white space', ' ab  '],
    ['65 characters', 'a'.repeat(65)],
    ['a control character', 'ac\u0000me'],
    ['a line break', 'ac\nme'],
    ['an emoji', 'acme 🚀'],
    ['a direction mark', 'ac\u202eme'],
    ['a zero-width space', 'ac\u200bme'],
    ['a slash', 'ac/me'],
    ['half a surrogate pair', 'acme\ud800'],
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
    ['ΟΔΟΣ', 'οδος'],
    ['ａｃｍｅ', 'acme'],
    ['e\u0301te\u0301', 'ÉTÉ'],
  ])('holds %s and %s for one name', async (first, second) => {
    expect((await create({ username: first })).status).toBe(201);
    const answer = await create({ username: second });
    expect(answer).toEqual({
      status: 409,
      headers: {},
      body: { error: 'A profile with this username or profile name exists already' },
    });
    expect((await create({ username: 'other', profile_name: second })).status).toBe(409);
  });

  test('holds dotless and dotted i apart', async () => {
    expect((await create({ username: 'kiz' })).status).toBe(201);
    expect((await create({ username: 'kız' })).status).toBe(201);
  });

  test('takes a name that grows beyond a key by folding', async () => {
    const profile_name = 'ﷺ'.repeat(100);
    expect((await create({ username: 'acme', profile_name })).status).toBe(201);
    const found = await findProfileByName(house.table, house.owner.workspace_id, profile_name);
    expect(found?.username).toBe('acme');
    expect(await findProfileByName(house.table, house.owner.workspace_id, 'x'.repeat(100_000))).toBeNull();
  });

  test('lets another workspace have the same name', async () => {
    await create({ username: 'acme' });
    expect((await create({ username: 'acme' }, await house.stranger())).status).toBe(201);
  });

  test('20 at a time with one username: one is created, 19 are told of the conflict', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ username: 'acme', profile_name: `Name ${n}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter(status => status === 201)).toHaveLength(1);
    expect(statuses.filter(status => status === 409)).toHaveLength(19);
    expect(await countProfiles(house.table, house.owner.workspace_id)).toBe(1);
  });

  test('20 at a time on a plan with five: five are created', async () => {
    const starter = { ...house.owner, plan: 'starter' } as const;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create({ username: `acme ${n}` }, starter)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.find(({ status }) => status !== 201)!;
    expect(refused).toEqual({
      status: 403,
      headers: {},
      body: { error: 'The starter plan allows 5 profiles: the limit is reached' },
    });
    const { body } = await house.call('GET /agency/profiles');
    expect(body.profiles).toHaveLength(5);
    await remove(body.profiles[0].id);
    expect((await create({ username: 'one more' }, starter)).status).toBe(201);
  });

  test('repeated with the same id after a crash meets what it made', async () => {
    const profile = await house.profile();
    const { createProfile } = await import('../../shared/store/profiles.ts');
    expect(await createProfile(house.table, profile, 1)).toBe('created');
    expect(await countProfiles(house.table, house.owner.workspace_id)).toBe(1);
  });
});

describe('GET /agency/profiles', () => {
  test('shows all profiles to owners and members, with their accounts', async () => {
    const profile = await house.profile({ created_by: null });
    await house.connect(profile, 'x');
    await house.connect(profile, 'bluesky', { needs_reconnect: true });
    const { body } = await house.call('GET /agency/profiles', { as: await house.member() });
    expect(body).toMatchObject({ success: true, profiles: [{ id: profile.id, created_by: null }] });
    expect(body.profiles[0].social_accounts).toMatchObject({ x: true, bluesky: false, telegram: false });
    expect((await read(profile.id)).body.profile).toEqual(body.profiles[0]);
  });

  test('shows nothing of another workspace', async () => {
    const profile = await house.profile();
    const stranger = await house.stranger();
    expect((await house.call('GET /agency/profiles', { as: stranger })).body.profiles).toEqual([]);
    for (const answer of [
      await read(profile.id, stranger),
      await rename(profile.id, { username: 'mine' }, stranger),
      await remove(profile.id, stranger),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'Profile not found' } });
    }
    expect(await getProfile(house.table, profile.workspace_id, profile.id)).toEqual(profile);
  });
});

describe('PATCH /agency/profiles/{id}', () => {
  test('renames, frees the old name, and takes the new one', async () => {
    const { id } = (await create({ username: 'acme', profile_name: 'Acme' })).body.profile;
    const { status, body } = await rename(id, { profile_name: 'Acme Shop' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      success: true,
      profile: { id, username: 'acme', profile_name: 'Acme Shop' },
    });
    const find = (name: string) => findProfileByName(house.table, house.owner.workspace_id, name);
    expect(await find('Acme')).toBeNull();
    expect((await find('Acme Shop'))?.id).toBe(id);
    expect((await find('acme'))?.profile_name).toBe('Acme Shop');
    expect((await create({ username: 'other', profile_name: 'ACME' })).status).toBe(201);
  });

  test('may change the case of its own name', async () => {
    const { id } = (await create({ username: 'acme' })).body.profile;
    expect(await rename(id, { username: 'ACME' })).toMatchObject({
      status: 200,
      body: { profile: { username: 'ACME', profile_name: 'acme' } },
    });
  });

  test('answers 409 for a name that is taken, and changes nothing', async () => {
    await create({ username: 'first' });
    const { id } = (await create({ username: 'second' })).body.profile;
    expect((await rename(id, { username: 'third', profile_name: 'First' })).status).toBe(409);
    expect((await read(id)).body.profile).toMatchObject({ username: 'second', profile_name: 'second' });
    expect((await create({ username: 'third' })).status).toBe(201);
  });

  test('names every fault', async () => {
    const { id } = await house.profile();
    const answer = await rename(id, { username: 'x', profile_name: null });
    expect(answer.status).toBe(400);
    expect(fields(answer).sort()).toEqual(['profile_name', 'username']);
  });

  test('ten at a time to one name: one profile has it', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) => house.profile({ username: `user ${n}`, profile_name: `P ${n}` })),
    );
    const answers = await Promise.all(made.map(({ id }) => rename(id, { username: 'wanted' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});

describe('roles', () => {
  test('members change and delete what they created, owners everything', async () => {
    const member = await house.member();
    const own = (await create({ username: 'mine' }, member)).body.profile.id;
    const others = (await create({ username: 'theirs' })).body.profile.id;
    const legacy = (await house.profile({ created_by: null })).id;

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
  test('answers at once, frees the names, and leaves the rest to the housekeeper', async () => {
    const { id, workspace_id } = (await create({ username: 'acme' })).body.profile;
    expect(await remove(id)).toEqual({
      status: 200,
      headers: {},
      body: { success: true, message: expect.any(String) },
    });
    expect(house.takeNotes().map(({ body }) => body)).toEqual([
      { kind: 'erase-profile', workspace_id, profile_id: id },
    ]);
    for (const answer of [await read(id), await remove(id)]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'Profile not found' } });
    }
    expect((await create({ username: 'acme' })).status).toBe(201);
  });

  test('of an id that never was, or is no id, is 404', async () => {
    expect((await remove(newId())).status).toBe(404);
    expect((await remove('nonsense')).status).toBe(404);
  });

  test('ten at a time: one deletes, and the count is right', async () => {
    const { id } = await house.profile();
    await house.profile();
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(404)]);
    expect(await countProfiles(house.table, house.owner.workspace_id)).toBe(1);
  });

  test('while it is renamed: whichever wins, no name stays taken', async () => {
    const { id } = await house.profile({ username: 'before', profile_name: 'before' });
    await Promise.all([rename(id, { username: 'after' }), remove(id)]);
    if ((await read(id)).status === 200) await remove(id);
    expect((await create({ username: 'before' })).status).toBe(201);
    expect((await create({ username: 'after' })).status).toBe(201);
  });
});
