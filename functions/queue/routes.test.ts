import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiWorld, type ApiWorld } from '../../test/support/api-world.ts';
import { routes } from './routes.ts';

let api: ApiWorld;
beforeEach(async () => {
  api = await createApiWorld(routes);
  await api.profile({ profile_name: 'Acme', username: 'acme' });
});
afterEach(() => api.close());

const change = (settings: Record<string, unknown>, profile_name = 'Acme') =>
  api.call('POST /queue/settings', { body: { profile_name, ...settings } });
const settings = (profile_name = 'Acme') => api.call('GET /queue/settings', { query: { profile_name } });
const preview = (query: Record<string, string> = {}) =>
  api.call('GET /queue/preview', { query: { profile_name: 'Acme', ...query } });
const next = () => api.call('GET /queue/next-slot', { query: { profile_name: 'Acme' } });

const EVERY_DAY = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

describe('settings', () => {
  test('default to 9:00, 12:00 and 17:00 UTC every day with one post each', async () => {
    expect(await settings()).toMatchObject({
      status: 200,
      body: {
        success: true,
        settings: {
          profile_name: 'Acme',
          timezone: 'UTC',
          slots: ['09:00', '12:00', '17:00'].map(time => ({ time, days: EVERY_DAY })),
          posts_per_slot: 1,
        },
      },
    });
  });

  test('keep their value when omitted', async () => {
    await change({ timezone: 'America/New_York', posts_per_slot: 2 });
    const { status, body } = await change({ slots: [{ time: '8:30', days: ['wed', 'mon', 'mon'] }] });
    expect({ status, settings: body.settings }).toEqual({
      status: 200,
      settings: {
        profile_name: 'Acme',
        timezone: 'America/New_York',
        slots: [{ time: '08:30', days: ['mon', 'wed'] }],
        posts_per_slot: 2,
      },
    });
    expect((await settings()).body).toEqual(body);
    expect((await change({})).body).toEqual(body);
    expect((await change({ timezone: null, slots: null })).body).toEqual(body);
  });

  test.each(['timeZone', 'tz', 'slot', 'times', 'weekdays', 'posts_per_day'])(
    'are not changed by a request with the unknown field %s, which may decide when posts are published',
    async name => {
      const refused = await change({ posts_per_slot: 2, [name]: 'x' });
      expect(refused).toMatchObject({ status: 400, body: { details: [{ field: name }] } });
      expect((await settings()).body.settings.posts_per_slot).toBe(1);
      expect((await change({ colour: 'x' })).body.warnings).toMatchObject([{ field: 'colour' }]);
    },
  );

  test('return the time zone in its usual spelling', async () => {
    expect((await change({ timezone: 'asia/kolkata' })).body.settings.timezone).toBe('Asia/Kolkata');
  });

  test('belong to one profile, found by name or username', async () => {
    await api.profile({ profile_name: 'Other', username: 'other' });
    await change({ posts_per_slot: 3 }, 'acme');
    expect((await settings()).body.settings.posts_per_slot).toBe(3);
    expect((await settings('Other')).body.settings.posts_per_slot).toBe(1);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a zone that does not exist', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset for a zone', { timezone: '+02:00' }, 'timezone'],
    ['no zone', { timezone: '' }, 'timezone'],
    ['a number for a zone', { timezone: 2 }, 'timezone'],
    ['25:00', { slots: [{ time: '25:00' }] }, 'slots[0].time'],
    ['24:00', { slots: [{ time: '24:00' }] }, 'slots[0].time'],
    ['9:60', { slots: [{ time: '09:00' }, { time: '9:60' }] }, 'slots[1].time'],
    ['9am', { slots: [{ time: '9am' }] }, 'slots[0].time'],
    ['a bare time', { slots: ['09:00'] }, 'slots[0]'],
    ['a slot without a time', { slots: [{ days: ['mon'] }] }, 'slots[0].time'],
    ['no slots', { slots: [] }, 'slots'],
    [
      'too many slots',
      { slots: Array.from({ length: 101 }, (_, n) => ({ time: `${n % 24}:${10 + (n % 50)}` })) },
      'slots',
    ],
    ['the same slot twice', { slots: [{ time: '9:00' }, { time: '09:00', days: ['sun'] }] }, 'slots'],
    ['a slot on no day', { slots: [{ time: '09:00', days: [] }] }, 'slots[0].days'],
    ['a numbered day', { slots: [{ time: '09:00', days: [1] }] }, 'slots[0].days[0]'],
    ['a day by another name', { slots: [{ time: '09:00', days: ['monday'] }] }, 'slots[0].days[0]'],
    ['no posts a slot', { posts_per_slot: 0 }, 'posts_per_slot'],
    ['half a post a slot', { posts_per_slot: 1.5 }, 'posts_per_slot'],
    ['a text for a number', { posts_per_slot: '2' }, 'posts_per_slot'],
  ])('are refused with %s without any change', async (_, wrong, field) => {
    const { status, body } = await change({ posts_per_slot: 5, ...wrong });
    expect(status).toBe(400);
    expect(body.details.map((detail: { field: string }) => detail.field)).toContain(field);
    expect((await settings()).body.settings).toMatchObject({ timezone: 'UTC', posts_per_slot: 1 });
  });

  test('report all errors at once', async () => {
    const { body } = await change({ timezone: 'X', slots: [{ time: 'noon' }], posts_per_slot: -1 });
    expect(body.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      'posts_per_slot',
      'slots[0].time',
      'timezone',
    ]);
  });
});

describe('the preview', () => {
  test('returns the next ten slots in the time zone of the profile, nearest first', async () => {
    await change({ timezone: 'Asia/Tokyo', slots: [{ time: '09:00' }], posts_per_slot: 2 });
    const { status, body } = await preview();
    expect(status).toBe(200);
    expect(body).toMatchObject({ profile_name: 'Acme', timezone: 'Asia/Tokyo' });
    expect(body.slots).toHaveLength(10);
    expect(body.slots[0]).toEqual({
      slot_at: '2026-12-02T00:00:00.000Z',
      local_time: '2026-12-02T09:00',
      capacity: 2,
      used: 0,
      post_ids: [],
    });
  });

  test('returns up to 100 slots', async () => {
    expect((await preview({ limit: '1' })).body.slots).toHaveLength(1);
    expect((await preview({ limit: '100' })).body.slots).toHaveLength(100);
  });

  test.each(['0', '101', '-1', '1.5', 'ten'])('refuses limit=%s', async limit => {
    const { status, body } = await preview({ limit });
    expect({ status, field: body.details[0].field }).toEqual({ status: 400, field: 'limit' });
  });
});

test('GET /queue/next-slot returns the first slot of the preview while nothing is queued', async () => {
  expect((await next()).body).toEqual({
    profile_name: 'Acme',
    timezone: 'UTC',
    next_slot: (await preview()).body.slots[0].slot_at,
  });
});

describe.each(['GET /queue/settings', 'GET /queue/preview', 'GET /queue/next-slot', 'POST /queue/settings'])(
  '%s',
  name => {
    const ask = (profile_name: string | undefined, as = api.owner) => {
      const given = profile_name === undefined ? {} : { profile_name };
      return name.startsWith('GET')
        ? api.call(name, { query: given, as })
        : api.call(name, { body: { ...given, posts_per_slot: 2 }, as });
    };

    test('answers 404 for a profile that does not exist', async () => {
      const answer = await ask('Nobody');
      expect([answer.status, answer.body]).toEqual([404, { error: 'Profile not found' }]);
    });

    test('answers 404 to another workspace', async () => {
      expect((await ask('Acme', await api.stranger())).status).toBe(404);
    });

    test('answers 400 without profile_name', async () => {
      const answer = await ask(undefined);
      expect(answer).toMatchObject({
        status: 400,
        body: { details: [{ field: 'profile_name', message: 'profile_name is required', platform: null }] },
      });
    });

    test('requires the starter plan', () => {
      expect(routes.find(({ method, path }) => `${method} ${path}` === name)!.plan!.minimum).toBe('starter');
    });
  },
);
