import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { SQSClient } from '@aws-sdk/client-sqs';
import {
  BatchWriteCommand,
  DeleteCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Post } from '../../shared/model/post.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getPost as readPost } from '../../shared/store/posts.ts';
import { MEDIA, publicUrlOf } from '../../shared/store/objects.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { sampleFiles } from '../../test/support/media.ts';
import { memoryBucket } from '../../test/support/memory-bucket.ts';
import { call } from '../../test/support/posts.ts';
import { fire, liveTexts, races } from '../../test/support/races.ts';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { createPost } from './create.ts';
import { getPost } from './get.ts';
import { retryPost } from './retry.ts';
import { updatePost } from './update.ts';

let world: DeliveryWorld;

beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'bluesky', 'instagram'] as const) await world.connect(platform);
  await createProfile(world.table, {
    id: 'p1',
    workspace_id: 'w1',
    profile_name: 'Acme',
    username: 'acme',
    created_by: null,
    created_at: 1,
  });
});
afterAll(() => world.close());

const create = (body: Record<string, unknown>, services?: Services) =>
  call(
    world,
    createPost,
    { body: { profile_name: 'Acme', post_type: 'text', platforms: ['x'], ...body } },
    services,
  );
const update = (post: Pick<Post, 'post_id'>, body: Record<string, unknown>, services?: Services) =>
  call(world, updatePost, { params: { id: post.post_id }, body }, services);
const retry = (post: Pick<Post, 'post_id'>, services?: Services) =>
  call(world, retryPost, { params: { id: post.post_id }, body: {} }, services);
const read = (post: Pick<Post, 'post_id'>) => call(world, getPost, { params: { id: post.post_id } });

/** Everything but reading and the first storing of a post fails. */
function crippled(): Services {
  const { client, name } = world.services.table;
  const send = (command: unknown) =>
    command instanceof UpdateCommand ||
    command instanceof BatchWriteCommand ||
    command instanceof DeleteCommand
      ? Promise.reject(new Error('throttled'))
      : client.send(command as never);
  return {
    ...world.services,
    table: { name, client: { send } as unknown as DynamoDBDocumentClient },
    sqs: { send: () => Promise.reject(new Error('refused')) } as unknown as SQSClient,
    lambda: { send: () => Promise.reject(new Error('refused')) } as unknown as LambdaClient,
  };
}

describe('POST /posts/{id}', () => {
  const scheduled = () => world.store({ due_at: world.clock.now + 3_600_000, scheduling: 'scheduled' });

  test('changes the given fields and keeps the others', async () => {
    const post = await scheduled();
    const changed = await update(post, { description: 'New words', platforms: ['x', 'bluesky'] });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        post: {
          post_id: post.post_id,
          description: 'New words',
          platforms: ['x', 'bluesky'],
          scheduled_date: new Date(post.due_at).toISOString(),
          created_at: new Date(post.created_at).toISOString(),
        },
      },
    });
    expect((await read(post)).body).toEqual(changed.body['post']);
  });

  test('publishes at once when scheduled_date is null', async () => {
    const post = await scheduled();
    expect((await update(post, { scheduled_date: null })).status).toBe(200);
    await world.runUntilSettled(post);
    expect((await read(post)).body).toMatchObject({ status: 'published', scheduling: 'immediate' });
  });

  test('validates the new date and reports every error of the merged post', async () => {
    const post = await scheduled();
    const refused = await update(post, {
      scheduled_date: '2020-01-01T00:00:00Z',
      description: 'a'.repeat(300),
    });
    expect(refused.status).toBe(400);
    expect(refused.body['details']).toMatchObject([
      { field: 'scheduled_date' },
      { field: 'description', platform: 'x' },
    ]);
    expect(await update(post, { post_type: 'image' })).toMatchObject({ status: 400 });
  });

  test('refuses a published post', async () => {
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    const refused = await update(post, { scheduled_date: new Date(world.clock.now + 60_000).toISOString() });
    expect(refused).toMatchObject({ status: 409, body: { code: 'POST_NOT_EDITABLE', status: 'published' } });
    world.clock.now += 120_000;
    await world.runDue();
    expect(world.platform.live.filter(({ key }) => key.startsWith(post.post_id))).toHaveLength(1);
  });

  test('refuses a failed post, whatever its new date', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    const refused = await update(post, { scheduled_date: new Date(world.clock.now + 60_000).toISOString() });
    expect(refused).toMatchObject({ status: 409, body: { code: 'POST_NOT_EDITABLE', status: 'failed' } });
  });

  test('has one winner when it races with publishing, 50 times: the new text everywhere or the old one', async () => {
    let race = 0;
    await races(50, async ({ request, firing }) => {
      // An account publishes 50 posts a day.
      if (race % 40 === 0) world.clock.now += 25 * 3_600_000;
      race += 1;
      const post = await world.store({}, ['x', 'bluesky']);
      const [{ status, body }] = await Promise.all([
        request().then(() => update(post, { description: `Text ${race}` })),
        firing().then(() => fire(world, post)),
      ]);
      await world.runUntilSettled(post);
      const text = status === 200 ? `Text ${race}` : 'Hello';
      if (status !== 200) expect([status, body['code']]).toEqual([409, 'POST_NOT_EDITABLE']);
      expect(liveTexts(world, post)).toEqual([text, text]);
      expect((await read(post)).body).toMatchObject({ status: 'published', description: text });
      return status === 200;
    });
  });
});

describe('a request whose post was stored', () => {
  beforeAll(() => {
    world.clock.now += 25 * 3_600_000;
  });

  test('succeeds whatever fails afterwards, because a client that gets 500 would post again', async () => {
    const made = await create({ description: 'Stored, then trouble' }, crippled());
    expect(made.status).toBe(201);
    const post = (await readPost(world.table, 'w1', String(made.body['post_id'])))!;
    await world.runUntilSettled(post);
    expect((await read(post)).body).toMatchObject({ status: 'published' });
  });

  test('succeeds for an edit too', async () => {
    const hours = (count: number) => new Date(world.clock.now + count * 3_600_000).toISOString();
    const { body } = await create({ description: 'Stored, then edited', scheduled_date: hours(1) });
    const post = { post_id: String(body['post_id']) };
    const edited = await update(post, { scheduled_date: hours(2) }, crippled());
    expect(edited).toMatchObject({ status: 200, body: { post: { scheduled_date: hours(2) } } });
  });

  test('succeeds for a retry too', async () => {
    world.platform.commitFaults = [{ kind: 'rejected', code: 'CONTENT_REJECTED', message: 'no' }];
    const post = await world.store();
    await world.schedule(post);
    await world.runUntilSettled(post);
    expect((await retry(post, crippled())).status).toBe(202);
    await world.runUntilSettled(post);
    expect((await read(post)).body).toMatchObject({ status: 'published' });
  });
});

describe('POST /posts', () => {
  test('reports every banned hashtag with each platform that hides it', async () => {
    const post = {
      post_type: 'image',
      media_urls: ['https://example.com/a.jpg'],
      platforms: ['x', 'instagram'],
    };
    const refused = await create({ ...post, description: 'Look #fine #bikinibody' });
    expect(refused).toMatchObject({
      status: 400,
      body: { violations: [{ platform: 'instagram', hashtag: '#bikinibody', field: 'description' }] },
    });
    expect(Object.keys(refused.body).sort()).toEqual(['error', 'violations']);
  });

  test.each([
    ['of its platforms', { platforms: ['threads', 'instagram', 'facebook'] }, ['platforms', 'platforms']],
    ['of its fields', { auto_truncate: 'yes' }, ['auto_truncate']],
    ['of its type', { post_type: 'reel' }, ['post_type']],
    ['of its profile', { profile_name: 'Nobody' }, ['profile_name']],
    ['of its date', { scheduled_date: '2020-01-01T00:00:00Z' }, ['scheduled_date']],
  ])('reports banned hashtags and errors %s in one response', async (_, wrong, fields) => {
    const refused = await create({
      post_type: 'image',
      media_urls: ['https://example.com/a.jpg'],
      platforms: ['instagram'],
      description: 'Look #bikinibody',
      first_comment: '#bikinibody',
      ...wrong,
    });
    const details = refused.body['details'] as { field: string; platform: string | null }[];
    const violations = refused.body['violations'] as { field: string; platform: string }[];
    expect([refused.status, refused.body['error']]).toEqual([400, 'Validation failed']);
    expect(violations.map(({ field }) => field)).toContain('first_comment');
    expect(details.map(({ field }) => field)).toEqual([...fields, ...violations.map(({ field }) => field)]);
  });

  test('reports every invalid element of a list', async () => {
    const refused = await create({
      post_type: 'image',
      platforms: ['x', 5, 'myspace', 'instagram', 'threads'],
      media_urls: [
        'ftp://example.com/a',
        7,
        'a',
        'http://10.0.0.1/',
        ...Array(9).fill('https://example.com/'),
      ],
      instagram_media_urls: [null, 'http://10.0.0.1/'],
      description: 'a'.repeat(281),
    });
    const details = refused.body['details'] as { field: string; platform: string | null }[];
    expect(details.map(({ field, platform }) => `${platform ?? '-'} ${field}`).sort()).toEqual([
      '- media_urls[0]',
      '- media_urls[1]',
      '- media_urls[2]',
      '- media_urls[3]',
      '- platforms[1]',
      'instagram instagram_media_urls[0]',
      'instagram instagram_media_urls[1]',
      'myspace platforms',
      'threads media_urls',
      'threads platforms',
      'x description',
      'x media_urls',
    ]);
  });

  test('mentions a misspelled field beside the error that it caused', async () => {
    const refused = await create({ descripton: 'Hello' });
    expect(refused.body).toEqual({
      error: 'Validation failed',
      details: [
        {
          field: 'description',
          message:
            'description is required for a text post (you sent descripton, which is not a known field)',
          platform: null,
        },
      ],
    });
  });

  test('warns about nearly the same text within 48 hours', async () => {
    const text = 'Our new shop opens on Saturday at nine in the morning, come and have a coffee with us';
    const first = await create({ description: text });
    expect(first).toMatchObject({ status: 201, body: { warnings: [] } });
    const second = await create({ description: `${text.toUpperCase()}!` });
    expect(second.body['warnings']).toMatchObject([
      { code: 'DUPLICATE_CONTENT', similar_post_id: first.body['post_id'] },
    ]);
  });

  test('enforces the daily cap of an account', async () => {
    world.clock.now += 48 * 3_600_000;
    const statuses: number[] = [];
    for (let n = 0; n < 52; n += 1) {
      // Otherwise a refused post waits, in real time, for reservations that others may still give back.
      world.clock.now += 10_000;
      statuses.push((await create({ platforms: ['bluesky'], description: `Number ${n} of many` })).status);
    }
    expect(statuses).toEqual([...Array<number>(50).fill(201), 429, 429]);
    expect(await create({ platforms: ['bluesky', 'x'], description: 'One more' })).toMatchObject({
      status: 429,
      body: {
        success: false,
        violations: [{ platform: 'bluesky', type: 'hard_cap', used_last_24h: 50, cap: 50 }],
      },
    });
  });
});

describe('stored media', () => {
  test('are checked before the post is stored, with warnings about visible changes', async () => {
    const sample = await sampleFiles();
    const bucket = memoryBucket();
    const services = { ...world.services, bucket };
    const place = (name: string) => {
      bucket.objects.set(`${MEDIA}${name}`, { bytes: sample(name), type: '' });
      return publicUrlOf(bucket, `${MEDIA}${name}`);
    };
    const post = { post_type: 'image', platforms: ['instagram'] };
    const refused = await create({ ...post, media_urls: [place('anim.gif')] }, services);
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [
          {
            field: 'media_urls[0]',
            message: 'The format is GIF; must be one of JPG, PNG (Instagram)',
            platform: 'instagram',
          },
        ],
      },
    });
    const made = await create({ ...post, media_urls: [place('tall.jpg')] }, services);
    expect(made).toMatchObject({
      status: 201,
      body: {
        warnings: [{ code: 'MEDIA_CHANGED', field: 'media_urls[0]', platform: 'instagram' }],
      },
    });
  });
});
