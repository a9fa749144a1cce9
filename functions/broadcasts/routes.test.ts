import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { broadcastWorld, type BroadcastWorld } from '../../test/support/broadcast-world.ts';

const PATH = '/integrations/youtube/broadcasts';
const UNKNOWN = '0197c2f0-5b7a-7c3e-9d7b-0b6f2c1a4e55';

let world: BroadcastWorld;
beforeAll(async () => void (world = await broadcastWorld()));
afterAll(() => world.close());
beforeEach(() => {
  world.change({ live: true, live_throttled: false });
  world.host.advance(60_000);
});

let count = 0;
const body = (changes: object = {}) => ({ profile_name: 'Acme', title: `Show ${(count += 1)}`, ...changes });
const create = (changes: object = {}, headers: Record<string, string> = {}) =>
  world.call('POST', PATH, body(changes), headers);
const list = async (query = '') => (await world.call('GET', PATH + query)).body.broadcasts;
const stop = (id: string, request: object = {}) => world.call('POST', `${PATH}/${id}/stop`, request);
const iso = (inMs: number) => new Date(world.host.now() + inMs).toISOString();

describe('POST /integrations/youtube/broadcasts', () => {
  test('creates a broadcast on YouTube and answers its id and the ingest address', async () => {
    const answer = await create({ title: ' Evening loop ', description: 'All night', is_loop: false });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      status: 'pending',
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      broadcast_id: expect.any(String),
      rtmp_url: 'rtmps://a.rtmps.youtube.com/live2',
    });
    const [session] = await list('?limit=1');
    expect(session).toEqual({
      id: answer.body.session_id,
      title: 'Evening loop',
      description: 'All night',
      status: 'pending',
      rtmp_url: 'rtmps://a.rtmps.youtube.com/live2',
      stream_key: expect.stringMatching(/^[\w-]+$/),
      youtube_broadcast_id: answer.body.broadcast_id,
      playlist_id: null,
      is_loop: false,
      start_time: iso(60_000),
      created_at: iso(0),
      started_at: null,
      ended_at: null,
      social_account_id: world.account.id,
      profile_id: world.profile.id,
      error: null,
    });
    expect(world.shown().at(-1)).toEqual({ title: 'Evening loop', stage: 'ready' });
  });

  test('takes the loop of the playlist unless the request has its own', async () => {
    const { body: own } = await create({ playlist_id: world.playlist.toUpperCase(), is_loop: false });
    const { body: default_ } = await create({ playlist_id: world.playlist });
    const sessions = await Promise.all([own, default_].map(each => world.read(each.session_id)));
    expect(sessions.map(session => session?.is_loop)).toEqual([false, true]);
  });

  test('passes privacy, start time and title on to YouTube', async () => {
    await create({ privacyStatus: 'private', start_time: iso(3_600_000) });
    expect(world.host.posts().at(-1)?.fields).toMatchObject({
      privacy: 'private',
      scheduled_start_time: iso(3_600_000).replace('.000', ''),
    });
  });

  test('creates one broadcast for two requests with one Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'one' };
    const request = body();
    const first = await world.call('POST', PATH, request, key);
    const second = await world.call('POST', PATH, request, key);
    expect(second.body).toEqual(first.body);
    expect(world.shown().filter(({ title }) => title === request.title)).toHaveLength(1);
  });

  test('lists every invalid field', async () => {
    const answer = await create({
      title: 'Four',
      description: 'é'.repeat(2501),
      privacyStatus: 'hidden',
      start_time: 'tomorrow',
      playlist_id: 'x',
    });
    expect(answer.status).toBe(400);
    const fields = answer.body.details.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['title', 'description', 'privacyStatus', 'start_time', 'playlist_id']);
  });

  test('lists a start that has passed and an empty playlist beside invalid fields', async () => {
    const playlist_id = await world.addPlaylist(world.profile, 0);
    const answer = await create({ title: 'Four', start_time: iso(-1), playlist_id });
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [
        { field: 'title', message: 'title must have at least 5 characters', platform: null },
        { field: 'start_time', message: 'start_time must be in the future', platform: null },
        { field: 'playlist_id', message: expect.stringContaining('is empty'), platform: null },
      ],
    ]);
  });

  test.each(['privacy_status', 'privacy', 'visibility', 'private', 'startTime', 'scheduled_date', 'start'])(
    'refuses the unknown field %s, which may decide when or for whom it is',
    async name => {
      expect(await create({ [name]: 'x' })).toMatchObject({
        status: 400,
        body: { details: [{ field: name }] },
      });
    },
  );

  test('warns about other unknown fields', async () => {
    expect(await create({ colour: 'x' })).toMatchObject({
      status: 200,
      body: { warnings: [{ field: 'colour' }] },
    });
  });

  test.each<[string, () => object | Promise<object>, number, object]>([
    ['a title of 101 characters', () => ({ title: 'x'.repeat(101) }), 400, { error: 'Validation failed' }],
    ['markup', () => ({ title: 'a < b < c' }), 400, { error: 'Validation failed' }],
    ['a start in the past', () => ({ start_time: iso(-1) }), 400, { error: 'Validation failed' }],
    [
      'a start in two years',
      () => ({ start_time: iso(2 * 365 * 86_400_000) }),
      400,
      { details: [{ field: 'start_time', message: 'start_time must be at most 365 days ahead' }] },
    ],
    ['an unknown profile', () => ({ profile_name: 'Nobody' }), 404, { error: 'Profile not found' }],
    ['an unknown playlist', () => ({ playlist_id: UNKNOWN }), 404, { error: 'Playlist not found' }],
    [
      'the playlist of another profile',
      async () => ({ playlist_id: await world.addPlaylist(await world.addProfile('Other')) }),
      404,
      { error: 'Playlist not found' },
    ],
    [
      'an empty playlist of another profile',
      async () => ({ playlist_id: await world.addPlaylist(await world.addProfile('Empty'), 0) }),
      404,
      { error: 'Playlist not found' },
    ],
    [
      'an empty playlist',
      async () => ({ playlist_id: await world.addPlaylist(world.profile, 0) }),
      400,
      { details: [{ field: 'playlist_id' }] },
    ],
    [
      'a profile without an account',
      async () => ({ profile_name: (await world.addProfile('Bare')).profile_name }),
      404,
      { error: 'Account not found' },
    ],
  ])('refuses %s', async (_, changes, status, shown) => {
    expect(await create(await changes())).toMatchObject({ status, body: shown });
  });

  test('answers 501 for a playlist where the deployment streams none', async () => {
    world.settings['LIVE_ENABLED'] = 'false';
    const refused = await create({ playlist_id: world.playlist });
    expect(refused).toMatchObject({ status: 501, body: { code: 'LIVE_NOT_ENABLED' } });
    expect((await create()).status).toBe(200);
    world.settings['LIVE_ENABLED'] = 'true';
  });

  test.each<[string, object, number, object]>([
    [
      'does not allow live streaming',
      { live: false },
      400,
      { details: [{ platform: 'youtube', message: expect.stringContaining('Enable live streaming') }] },
    ],
    [
      'throttles the channel',
      { live_throttled: true },
      503,
      { code: 'PLATFORM_RATE_LIMIT', retry_after: 900 },
    ],
  ])('leaves nothing behind when YouTube %s', async (_, switches, status, shown) => {
    const known = (await list()).length;
    world.change(switches as Record<string, boolean>);
    expect(await create()).toMatchObject({ status, body: shown });
    expect(await list()).toHaveLength(known);
    expect(world.queue.filter(({ message }) => message.at === undefined)).toEqual([]);
  });

  test('answers 429 with the reset time when the quota is used up', async () => {
    world.host.setLimit({ quota: 'units' });
    expect(await create()).toMatchObject({
      status: 429,
      body: { code: 'PLATFORM_RATE_LIMIT', platform: 'youtube', resets_at: expect.any(String) },
    });
    world.host.setLimit(null);
    // Our own count was corrected, too: it is full until the reset.
    expect((await create()).status).toBe(429);
    world.host.advance(86_400_000);
    expect((await create()).status).toBe(200);
  });

  test.each([
    ['the stream', /liveStreams/],
    ['the binding', /bind/],
  ])('deletes the broadcast again when %s fails', async (_, match) => {
    world.host.failNext({ match, method: 'POST', respond: { status: 400, body: '{}' } });
    const request = body();
    expect((await world.call('POST', PATH, request)).status).toBe(400);
    await world.run(60_000);
    expect(world.shown().filter(({ title }) => title === request.title)).toEqual([]);
  });

  test('deletes a broadcast whose response was lost, and not the one of a repetition', async () => {
    world.host.failNext({ match: /liveBroadcasts/, method: 'POST', drop: 'after' });
    const request = body({ start_time: iso(3_600_000) });
    expect((await world.call('POST', PATH, request)).status).toBe(503);
    const repeated = await world.call('POST', PATH, request);
    expect(repeated.status).toBe(200);
    const ofTitle = () => world.host.posts().filter(({ title }) => title === request.title);
    expect(ofTitle()).toHaveLength(2);
    await world.run(120_000);
    expect(ofTitle().map(post => post.platform_post_id)).toEqual([repeated.body.broadcast_id]);
  });
});

describe('GET /integrations/youtube/broadcasts', () => {
  test('filters by account, profile and status, newest first', async () => {
    const other = await world.addProfile('Filtered');
    const account = await world.addAccount(other);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await create({ profile_name: 'Filtered' })).body.session_id);
      world.host.advance(10);
    }
    await stop(ids[1]!);
    const idsOf = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id);
    expect(await idsOf(`?profile_id=${other.id}`)).toEqual(ids);
    expect(await idsOf(`?account_id=${account.id}&limit=2`)).toEqual(ids.slice(0, 2));
    expect(await idsOf(`?profile_id=${other.id.toUpperCase()}`)).toEqual(ids);
    expect(await idsOf(`?profile_id=${other.id}&status=stopped`)).toEqual([ids[1]]);
    expect(await idsOf(`?account_id=${world.account.id}&profile_id=${other.id}`)).toEqual([]);
    expect(await idsOf(`?profile_id=${UNKNOWN}`)).toEqual([]);
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'status=over', 'account_id=1', 'profile=x'])(
    'refuses %s',
    async query => {
      expect((await world.call('GET', `${PATH}?${query}`)).status).toBe(400);
    },
  );
});

describe('POST /integrations/youtube/broadcasts/{id}/stop', () => {
  test('stops one that has not gone live, once; it has no stream key any more', async () => {
    const { session_id } = (await create()).body;
    expect(await stop(session_id)).toMatchObject({
      status: 200,
      body: { status: 'stopped', message: expect.any(String) },
    });
    expect(await stop(session_id)).toMatchObject({
      status: 409,
      body: { code: 'BROADCAST_NOT_STOPPABLE', status: 'stopped' },
    });
    const [session] = await list('?limit=1');
    expect(session).toMatchObject({ id: session_id, status: 'stopped', ended_at: iso(0), stream_key: null });
  });

  test('hides one that is to be deleted at once, and deletes it at YouTube', async () => {
    const { session_id, broadcast_id } = (await create()).body;
    expect(await stop(session_id, { delete_broadcast: true })).toMatchObject({
      status: 200,
      body: { status: 'stopped' },
    });
    expect((await list()).map(({ id }: { id: string }) => id)).not.toContain(session_id);
    expect((await stop(session_id)).status).toBe(404);
    await world.untilSettled(session_id);
    expect(await world.read(session_id)).toBeNull();
    expect(world.host.posts().map(post => post.platform_post_id)).not.toContain(broadcast_id);
  });

  test('has exactly one winner of two requests at the same time', async () => {
    const { session_id } = (await create()).body;
    const answers = await Promise.all([stop(session_id), stop(session_id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test.each([UNKNOWN, 'none'])('answers 404 for the id %s', async id => {
    expect((await stop(id)).status).toBe(404);
  });
});
