import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { loadAccount } from '../../shared/connections/load.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import { getConnection } from '../../shared/store/connections.ts';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { recorder, type Reply } from '../../test/support/recorder.ts';
import { routes } from './routes.ts';

/* Nobody gets at the tokens of an account, or replaces it, without the right to change its profile. */

const DID = 'did:plc:victimvictimvictimvictim';
const HOME = 'https://morel.us-east.host.bsky.network';
const EVIL = 'https://evil.example';

let world: ApiWorld;
let profile: Profile;
let victim: Connection;
let internet: Awaited<ReturnType<typeof recorder>>;
/** What the caller's server answers to the login. */
let session: Record<string, unknown>;
const before = { ...process.env };

beforeAll(async () => {
  internet = await recorder(request => answer(request));
  process.env['SANDBOX_URL'] = internet.url;
  process.env['ALLOW_LOOPBACK'] = '1';
});
afterAll(async () => {
  for (const name of ['SANDBOX_URL', 'ALLOW_LOOPBACK']) {
    if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before[name];
  }
  await internet.close();
});
beforeEach(async () => {
  world = await createApiWorld(routes);
  const ssm = await world.services.ssm;
  ssm.send = () => Promise.resolve({ Parameter: { Value: '{"client_id":"a","client_secret":"b"}' } });
  profile = await world.profile({ profile_name: 'Acme' });
  victim = await world.connect(profile, 'bluesky', {
    platform_user_id: DID,
    attributes: { pds: HOME, did: DID },
    token_expires_at: world.clock.now - 1,
    renew_at: world.clock.now - 1,
  });
  internet.requests.length = 0;
});
afterEach(() => world.close());

function answer(request: string): Reply {
  if (request.includes('evil.example')) return { body: session };
  if (request.includes('plc.directory')) {
    const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: HOME }];
    return { body: { id: DID, service } };
  }
  return { status: 400, body: { error: 'ExpiredToken', message: 'Token has expired' } };
}

const connect = (platform: string, as: Principal, more: Record<string, unknown> = {}) =>
  world.call('POST /integrations/{platform}/connect', {
    params: { platform },
    body: { profile_name: 'Acme', ...more },
    as,
  });
const connectAt = (service: string, as: Principal) =>
  connect('bluesky', as, { identifier: 'mallory', app_password: 'aaaa-bbbb-cccc-dddd', service });
const stored = () => getConnection(world.table, profile.workspace_id, profile.id, 'bluesky');

describe('a member who did not create the profile', () => {
  test('cannot connect, change or disconnect its accounts', async () => {
    const member = await world.member();
    const params = { id: victim.id };
    const answers = [
      await connectAt(EVIL, member),
      await connectAt('https://bsky.social', member),
      await connect('x', member),
      await world.call('PATCH /integrations/{id}', { params, body: { default_target_id: null }, as: member }),
      await world.call('DELETE /integrations/{id}', { params, as: member }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(internet.requests).toEqual([]);
    expect(await stored()).toEqual(victim);
  });

  test('can do so on a profile of their own', async () => {
    const member = await world.member();
    const own = await world.profile({ profile_name: 'Own', created_by: member.user_id });
    const account = await world.connect(own, 'telegram');
    expect((await connect('x', member, { profile_name: 'Own' })).status).toBe(200);
    const params = { id: account.id };
    expect((await world.call('DELETE /integrations/{id}', { params, as: member })).status).toBe(204);
  });
});

describe('a caller with a server of their own', () => {
  test.each([
    ['empty tokens', { accessJwt: '', refreshJwt: '' }],
    ['an empty refresh token', { accessJwt: 'a.b.c', refreshJwt: '' }],
    ['tokens of its own', { accessJwt: 'a.b.c', refreshJwt: 'd.e.f' }],
    [
      'a DID document that names itself',
      {
        accessJwt: 'a.b.c',
        refreshJwt: 'd.e.f',
        didDoc: { id: DID, service: [{ id: '#atproto_pds', serviceEndpoint: EVIL }] },
      },
    ],
  ])('cannot take over an account with its DID and %s', async (_, tokens) => {
    session = { did: DID, handle: 'victim.bsky.social', ...tokens };
    const { status } = await connectAt(EVIL, world.owner);
    expect([400, 503]).toContain(status);
    expect(await stored()).toEqual(victim);
    const { credentials } = await loadAccount(world.services, victim);
    expect(credentials).toEqual({ access_token: 'a', refresh_token: 'r', app_password: 'p' });
    expect(internet.requests.filter(request => !/createSession|plc\.directory/.test(request))).toEqual([]);
  });
});
