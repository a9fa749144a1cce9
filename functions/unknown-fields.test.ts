import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes as media } from './media/routes.ts';
import { routes as playlists } from './playlists/routes.ts';
import { routes as profiles } from './profiles/routes.ts';
import { routes as workspace } from './workspace/routes.ts';
import { operations } from '../test/support/openapi.ts';
import { servedApi, type ServedApi } from '../test/support/served-api.ts';

let house: ServedApi;
let profileId: string;

beforeAll(async () => {
  house = await servedApi([...media, ...playlists, ...profiles, ...workspace]);
  const { body } = await house.call('POST', '/agency/profiles', { username: 'Acme' });
  profileId = body.profile.id;
});
afterAll(() => house.close());

const unknown = (field: string, near?: string) => ({
  code: 'UNKNOWN_FIELD',
  field,
  message: `The field is not known and was ignored${near ? `; did you mean ${near}?` : ''}`,
});

describe('a field that nothing knows', () => {
  test('is accepted, and named with the nearest name that is known', async () => {
    const body = { username: 'Beta', profil_name: 'B', colour: 'red' };
    const answer = await house.call('POST', '/agency/profiles', body);
    expect(answer).toMatchObject({ status: 201, body: { profile: { profile_name: 'Beta' } } });
    expect(answer.body.warnings).toEqual([unknown('profil_name', 'profile_name'), unknown('colour')]);
  });

  test('is named wherever a body is taken', async () => {
    const changed = await house.call('PATCH', `/agency/profiles/${profileId}`, { user_name: 'x' });
    expect(changed.body.warnings).toEqual([unknown('user_name', 'username')]);
    const list = await house.call('POST', '/agency/playlists', { name: 'P', profile_id: profileId, loop: 1 });
    expect(list.body.warnings).toEqual([unknown('loop')]);
    const key = await house.call('POST', '/api-keys', { name: 'K', userid: 'x' });
    expect(key.body.warnings).toEqual([unknown('userid', 'user_id')]);
  });

  test('has its place in a batch', async () => {
    const fine = { title: 'A', profile_id: profileId, public_url: 'https://cdn.example.com/a.mp4' };
    const batch = [fine, { ...fine, titel: 'B' }, fine, { ...fine, foo: 1 }];
    const answer = await house.call('POST', '/agency/media', batch);
    expect(answer).toMatchObject({ status: 201, body: { count: 4 } });
    expect(answer.body.warnings).toEqual([unknown('[1].titel', 'title'), unknown('[3].foo')]);
    const one = await house.call('POST', '/agency/media', { ...fine, foo: 1 });
    expect(one.body.warnings).toEqual([unknown('foo')]);
  });

  test('is named beside the fault of the field that it was perhaps meant to be', async () => {
    const answer = await house.call('POST', '/agency/profiles', { user_name: 'x', colour: 'red' });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'Validation failed',
        details: [
          {
            field: 'username',
            message: 'Is required (you sent user_name, which is not known)',
            platform: null,
          },
        ],
      },
    });
    const fine = { title: 'A', profile_id: profileId, public_url: 'https://cdn.example.com/a.mp4' };
    const batch = await house.call('POST', '/agency/media', [fine, { ...fine, title: '', titel: 'B' }]);
    expect(batch.body.details).toMatchObject([
      { field: '[1].title', message: expect.stringMatching(/\(you sent titel, which is not known\)$/) },
    ]);
  });

  test('may be named like what every object has', async () => {
    const text = '{"username":"Proto","constructor":{},"toString":1,"hasOwnProperty":2}';
    const answer = await house.call('POST', '/agency/profiles', text);
    expect(answer.body.warnings.map(({ field }: { field: string }) => field)).toEqual([
      'constructor',
      'toString',
      'hasOwnProperty',
    ]);
  });

  test('says nothing where there is none, or the request is refused', async () => {
    const fine = await house.call('POST', '/agency/profiles', { username: 'Gamma' });
    expect(fine.body).not.toHaveProperty('warnings');
    const refused = await house.call('POST', '/agency/profiles', { username: 'x', foo: 1 });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'username' }] } });
    expect(refused.body).not.toHaveProperty('warnings');
  });

  test('may come in any number: the first hundred are named, the rest is counted', async () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`field_${index}`, 1]));
    const answer = await house.call('POST', '/agency/profiles', { username: 'Many', ...many });
    expect(answer.status).toBe(201);
    expect(answer.body.warnings).toHaveLength(101);
    expect(answer.body.warnings[100]).toMatchObject({
      field: 'body',
      message: '59900 more fields are not known',
    });
    const long = await house.call('POST', '/agency/profiles', { username: 'Long', ['x'.repeat(900_000)]: 1 });
    expect(long.body.warnings).toEqual([unknown('x'.repeat(200))]);
  });
});

const withBody = operations.filter(({ operation }) => operation.requestBody);

test.each(withBody.map(each => ({ name: `${each.method} ${each.path}`, each })))(
  '$name documents the warnings of its answers',
  ({ each: { operation } }) => {
    for (const [status, answer] of Object.entries(operation.responses)) {
      const schema = 'content' in answer ? answer.content['application/json']?.schema : undefined;
      // That schema has a list of warnings of its own.
      if (!schema || Number(status) >= 300 || schema.$ref === '#/components/schemas/CreatedPost') continue;
      expect([status, Object.keys(schema.properties ?? {})]).toEqual([
        status,
        expect.arrayContaining(['warnings']),
      ]);
    }
  },
);
