import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes as media } from './media/routes.ts';
import { routes as playlists } from './playlists/routes.ts';
import { routes as profiles } from './profiles/routes.ts';
import { routes as webhooks } from './webhooks/routes.ts';
import { routes as workspace } from './workspace/routes.ts';
import { flat, operations } from '../test/support/openapi.ts';
import { servedApi, type ServedApi } from '../test/support/served-api.ts';

let api: ServedApi;
let profileId: string;

beforeAll(async () => {
  api = await servedApi([...media, ...playlists, ...profiles, ...webhooks, ...workspace]);
  const { body } = await api.call('POST', '/agency/profiles', { username: 'Acme' });
  profileId = body.profile.id;
});
afterAll(() => api.close());

const unknown = (field: string, near?: string) => ({
  code: 'UNKNOWN_FIELD',
  field,
  message: `${field} is not a known field and was ignored${near ? `; did you mean ${near}?` : ''}`,
});

describe('an unknown field', () => {
  test('is accepted and reported with the nearest known name', async () => {
    const body = { username: 'Beta', profil_name: 'B', colour: 'red' };
    const answer = await api.call('POST', '/agency/profiles', body);
    expect(answer).toMatchObject({ status: 201, body: { profile: { profile_name: 'Beta' } } });
    expect(answer.body.warnings).toEqual([unknown('profil_name', 'profile_name'), unknown('colour')]);
  });

  test('is reported by every operation with a body', async () => {
    const changed = await api.call('PATCH', `/agency/profiles/${profileId}`, { user_name: 'x' });
    expect(changed.body.warnings).toEqual([unknown('user_name', 'username')]);
    const playlist = await api.call('POST', '/agency/playlists', {
      name: 'P',
      profile_id: profileId,
      loop: 1,
    });
    expect(playlist.body.warnings).toEqual([unknown('loop')]);
  });

  test('is reported with its index in a batch', async () => {
    const valid = { title: 'A', profile_id: profileId, public_url: 'https://cdn.example.com/a.mp4' };
    const batch = [valid, { ...valid, titel: 'B' }, valid, { ...valid, foo: 1 }];
    const answer = await api.call('POST', '/agency/media', batch);
    expect(answer).toMatchObject({ status: 201, body: { count: 4 } });
    expect(answer.body.warnings).toEqual([unknown('[1].titel', 'title'), unknown('[3].foo')]);
    const one = await api.call('POST', '/agency/media', { ...valid, foo: 1 });
    expect(one.body.warnings).toEqual([unknown('foo')]);
  });

  test('is mentioned in the validation error of the field that was probably meant', async () => {
    const answer = await api.call('POST', '/agency/profiles', { user_name: 'x', colour: 'red' });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'Validation failed',
        details: [
          {
            field: 'username',
            message: 'username is required (you sent user_name, which is not a known field)',
            platform: null,
          },
        ],
      },
    });
    const valid = { title: 'A', profile_id: profileId, public_url: 'https://cdn.example.com/a.mp4' };
    const batch = await api.call('POST', '/agency/media', [valid, { ...valid, title: '', titel: 'B' }]);
    expect(batch.body.details).toMatchObject([
      {
        field: '[1].title',
        message: expect.stringMatching(/\(you sent titel, which is not a known field\)$/),
      },
    ]);
  });

  test('may have the name of a property of Object.prototype', async () => {
    const text = '{"username":"Proto","constructor":{},"toString":1,"hasOwnProperty":2}';
    const answer = await api.call('POST', '/agency/profiles', text);
    expect(answer.body.warnings.map(({ field }: { field: string }) => field)).toEqual([
      'constructor',
      'toString',
      'hasOwnProperty',
    ]);
  });

  test('adds no warnings when there is none or the request is refused', async () => {
    const valid = await api.call('POST', '/agency/profiles', { username: 'Gamma' });
    expect(valid.body).not.toHaveProperty('warnings');
    const refused = await api.call('POST', '/agency/profiles', { username: 'x', foo: 1 });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'username' }] } });
    expect(refused.body).not.toHaveProperty('warnings');
  });

  test('is reported up to a hundred times; further ones are counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`field_${index}`, 1]));
    const answer = await api.call('POST', '/agency/profiles', { username: 'Many', ...many });
    expect(answer.status).toBe(201);
    expect(answer.body.warnings).toHaveLength(101);
    expect(answer.body.warnings[100]).toMatchObject({
      field: 'body',
      message: '59900 more unknown fields were ignored',
    });
    const long = await api.call('POST', '/agency/profiles', { username: 'Long', ['x'.repeat(900_000)]: 1 });
    expect(long.body.warnings).toEqual([unknown('x'.repeat(200))]);
  });
});

const refusal = (field: string, near?: string) => ({
  field,
  message: `${field} is not a known field${near ? `; did you mean ${near}?` : ''}`,
  platform: null,
});

describe('an unknown field is refused', () => {
  test.each([
    [
      '/api-keys',
      { name: 'K', userid: 'x', scope: ['read'] },
      [refusal('userid', 'user_id'), refusal('scope', 'scopes')],
    ],
    ['/workspace/members', { email: 'a@example.com', role: 'member', admin: true }, [refusal('admin')]],
    ['/webhooks', { url: 'https://example.com/hook', event: ['post.failed'] }, [refusal('event', 'events')]],
  ])('by %s, which grants rights', async (path, body, details) => {
    const answer = await api.call('POST', path, body);
    expect([answer.status, answer.body]).toEqual([400, { error: 'Validation failed', details }]);
  });

  test('by an update of a member', async () => {
    const { body } = await api.call('POST', '/workspace/members', { email: 'm@example.com', role: 'member' });
    const answer = await api.call('PATCH', `/workspace/members/${body.member.id}`, { roles: 'owner' });
    expect([answer.status, answer.body.details]).toEqual([400, [refusal('roles', 'role')]]);
  });

  test.each([
    ['a header', '', { prefer: 'handling=strict' }],
    ['a header with other preferences', '', { prefer: 'return=minimal, Handling="strict"; wait=10' }],
    ['a query parameter', '?strict=true', {}],
  ])('when the caller asks for it with %s', async (_, query, headers) => {
    const body = { username: 'Strict', colour: 'red', profil_name: 'x' };
    const answer = await api.call('POST', `/agency/profiles${query}`, body, headers);
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [refusal('colour'), refusal('profil_name', 'profile_name')] },
    });
  });

  test('together with the other validation errors', async () => {
    const answer = await api.call('POST', '/workspace/members', { email: 'x', admin: true });
    expect(answer.body.details.map(({ field }: { field: string }) => field)).toEqual([
      'email',
      'role',
      'admin',
    ]);
  });

  test.each(['handling=lenient', 'return=strict', ''])('but not with Prefer: %s', async prefer => {
    const answer = await api.call('PATCH', `/agency/profiles/${profileId}`, { colour: 1 }, { prefer });
    expect(answer).toMatchObject({ status: 200, body: { warnings: [unknown('colour')] } });
  });
});

describe('a query parameter', () => {
  test.each([
    ['page', '2', '; use cursor'],
    ['offset', '20', '; use cursor'],
    ['per_page', '20', '; use limit'],
    ['profileid', 'x', '; did you mean profile_id?'],
    ['colour', 'red', ''],
    ['constructor', 'x', ''],
  ])('that is unknown is refused: %s', async (name, value, hint) => {
    const answer = await api.call('GET', `/agency/media?${name}=${value}`);
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [{ field: name, message: `${name} is not a query parameter of this operation${hint}`, platform: null }],
    ]);
  });

  test('that is unknown is refused where something is created, too', async () => {
    const answer = await api.call('POST', '/agency/profiles?dry_run=true', { username: 'Dry run' });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'dry_run' }] } });
  });

  test.each(['limit', 'cursor', 'profile_id'])('counts as absent when it is empty: %s', async name => {
    expect((await api.call('GET', `/agency/media?${name}=`)).status).toBe(200);
  });
});

const withBody = operations.filter(({ operation }) => operation.requestBody);

test.each(withBody.map(each => ({ name: `${each.method} ${each.path}`, each })))(
  '$name documents the warnings of its responses',
  ({ each: { operation } }) => {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const schema = 'content' in answer ? answer.content['application/json']?.schema : undefined;
      // This schema has its own list of warnings.
      if (!schema || Number(status) >= 300 || schema.$ref === '#/components/schemas/CreatedPost') continue;
      expect([status, Object.keys(flat(schema).properties ?? {})]).toEqual([
        status,
        expect.arrayContaining(['warnings']),
      ]);
    }
  },
);
