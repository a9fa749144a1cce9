import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { putCapReservation } from '../../shared/store/cap-reservations.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { createPost } from './create.ts';
import { getPost } from './get.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

const create = (body: Record<string, unknown>) =>
  call(world, createPost, {
    body: { profile_name: 'Acme', post_type: 'text', platforms: ['x', 'bluesky'], ...body },
  });
const text = () => ({ description: crypto.randomUUID() });
const inAnHour = () => new Date(world.clock.now + 3_600_000).toISOString();

describe('POST /posts answers 201', () => {
  test.each([
    ['at once', {}, { is_immediate: true, status: 'queued' }],
    ['at a date', { date: true }, { is_immediate: false, status: 'scheduled' }],
    ['in the queue', { add_to_queue: true }, { is_immediate: false, status: 'scheduled' }],
  ])('with the same shape for a post %s', async (_, { date, ...when }: Record<string, unknown>, expected) => {
    const scheduled_date = date ? inAnHour() : undefined;
    const { status, body } = await create({ ...text(), ...when, ...(scheduled_date && { scheduled_date }) });
    expect(status).toBe(201);
    expect(body).toEqual({
      message: expect.any(String),
      post_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/),
      destinations_count: 2,
      received_type: 'text',
      scheduled_date: scheduled_date ?? (expected.is_immediate ? null : expect.any(String)),
      warnings: [],
      ...expected,
    });
  });

  test('with the Location of the post', async () => {
    const body = { profile_name: 'Acme', post_type: 'text', platforms: ['x'], ...text() };
    const raw = {
      params: {},
      query: {},
      body,
      principal: {
        workspace_id: 'w1',
        user_id: 'u1',
        key_id: 'k1',
        role: 'owner' as const,
        plan: 'pro' as const,
      },
      request_id: 'r1',
      headers: {},
      base_url: 'https://api.example.com/v1',
    };
    const answer = await createPost.invoke(raw, world.services);
    const { post_id } = answer.body as { post_id: string };
    expect(answer.headers).toMatchObject({ location: `/v1/posts/${post_id}` });
  });
});

test('GET /posts/{id} returns the post as it was sent with each destination', async () => {
  const { description } = text();
  const scheduled_date = inAnHour();
  const sent = { description, scheduled_date, x_reply_settings: 'following', youtube_tags: ['not listed'] };
  const made = await create(sent);
  const { status, body } = await call(world, getPost, { params: { id: String(made.body['post_id']) } });
  expect(status).toBe(200);
  const at = new Date(world.clock.now).toISOString();
  const destination = (platform: string) => ({
    platform,
    social_account_id: `c-${platform}`,
    status: 'pending',
    platform_post_id: null,
    platform_post_url: null,
    published_at: null,
    attempts: 0,
    next_attempt_at: null,
    error: null,
    first_comment: null,
    follow_ups: [],
  });
  expect(body).toEqual({
    post_id: made.body['post_id'],
    workspace_id: 'w1',
    profile_id: 'p1',
    profile_name: 'Acme',
    post_type: 'text',
    status: 'scheduled',
    platforms: ['x', 'bluesky'],
    title: null,
    description,
    media_urls: [],
    media_alt_texts: [],
    first_comment: null,
    scheduling: 'scheduled',
    scheduled_date,
    auto_truncate: false,
    created_by: 'u1',
    created_at: at,
    updated_at: at,
    published_at: null,
    x_reply_settings: 'following',
    destinations: [destination('x'), destination('bluesky')],
  });
});

test('B031: an empty title is no title, and is not taken from the description', async () => {
  const made = await create({ ...text(), title: '' });
  const { body } = await call(world, getPost, { params: { id: String(made.body['post_id']) } });
  expect(body).toMatchObject({ title: null, description: expect.any(String) });
});

describe('POST /posts refuses', () => {
  test('a profile that does not exist with 404', async () => {
    const { status, body } = await create({ ...text(), profile_name: 'Nobody' });
    expect([status, body]).toEqual([404, { error: 'Profile not found' }]);
  });

  test('a platform without an active connection, naming it', async () => {
    const { status, body } = await create({ ...text(), platforms: ['x', 'threads'] });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'Validation failed',
      details: [{ field: 'platforms', message: expect.stringContaining('Threads'), platform: 'threads' }],
    });
  });

  test.each([
    { scheduled_date: 'later', add_to_queue: true },
    { scheduled_date: 'later', schedule_best_time: true },
    { add_to_queue: true, schedule_best_time: true },
  ])('more than one schedule field: %j', async given => {
    const when = { ...given, ...(given.scheduled_date && { scheduled_date: inAnHour() }) };
    const { status, body } = await create({ ...text(), ...when });
    expect(status).toBe(400);
    expect(body['details']).toContainEqual(expect.objectContaining({ field: 'scheduled_date' }));
  });

  test.each([
    ['a second ago', -1000],
    ['now', 0],
    ['more than 365 days ahead', 365 * 86_400_000 + 1000],
  ])('a date that is %s', async (_, ahead) => {
    const scheduled_date = new Date(world.clock.now + ahead).toISOString();
    const { status, body } = await create({ ...text(), scheduled_date });
    expect(status).toBe(400);
    expect(body['details']).toMatchObject([{ field: 'scheduled_date', platform: null }]);
  });

  test('no date up to 365 days ahead', async () => {
    const scheduled_date = new Date(world.clock.now + 365 * 86_400_000).toISOString();
    expect((await create({ ...text(), scheduled_date })).status).toBe(201);
  });
});

describe('a misspelled field', () => {
  test.each(['schedule_date', 'scheduledDate', 'schedule_for', 'publish_at'])(
    'is an error when it is %s: the post would be published at once',
    async field => {
      const { status, body } = await create({ ...text(), [field]: inAnHour() });
      expect([status, body['details']]).toEqual([
        400,
        [{ field, message: `${field} is not a known field. Use scheduled_date`, platform: null }],
      ]);
    },
  );

  test('is reported together with every other error', async () => {
    const { body } = await create({ description: null, publish_at: inAnHour(), platforms: ['x', 'threads'] });
    const fields = (body['details'] as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual(['publish_at', 'description', 'platforms']);
  });

  test('is a warning when it decides nothing', async () => {
    const { status, body } = await create({ ...text(), campaign: 'spring' });
    expect([status, body['warnings']]).toMatchObject([201, [{ code: 'UNKNOWN_FIELD', field: 'campaign' }]]);
  });
});

test('an empty scheduled_date is none', async () => {
  const { status, body } = await create({ ...text(), scheduled_date: '' });
  expect([status, body['is_immediate']]).toEqual([201, true]);
});

describe('a post that is refused', () => {
  /** In an order of its own: no database promises one. */
  const items = async () => {
    const { Items = [] } = await world.table.client.send(new ScanCommand({ TableName: world.table.name }));
    const nameOf = ({ PK, SK }: Record<string, unknown>) => `${String(PK)} ${String(SK)}`;
    return Items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  };
  const image = { post_type: 'image', media_urls: ['https://93.184.216.34/a.jpg'] };

  test.each([
    ['for one of its platforms', { ...image, platforms: ['x', 'instagram', 'youtube'] }, 400],
    ['for want of an account', { platforms: ['x', 'threads'] }, 400],
    ['for a text that one platform finds too long', { description: 'a'.repeat(290) }, 400],
    ['for a hashtag', { ...image, platforms: ['x', 'instagram'], description: '#bikinibody' }, 400],
    ['for its profile', { profile_name: 'Nobody' }, 404],
    ['for the queue too', { add_to_queue: true, platforms: ['x', 'instagram'] }, 400],
    ['for the cap of one account', { platforms: ['x', 'bluesky'] }, 429],
  ])('leaves nothing behind: %s', async (_, given, expected) => {
    await world.connect('instagram');
    const now = world.clock.now;
    for (let n = 0; expected === 429 && n < 50; n += 1) {
      const reservation = { account_id: 'c-bluesky', platform: 'bluesky' as const, post_id: `other-${n}` };
      await putCapReservation(world.table, { ...reservation, at: now - n, taken_at: now - 60_000 });
    }
    const before = await items();
    expect((await create({ ...text(), ...given })).status).toBe(expected);
    expect(await items()).toEqual(before);
  });
});
