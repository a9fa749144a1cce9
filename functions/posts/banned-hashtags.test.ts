import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryWorld, type DeliveryWorld } from '../../test/support/delivery-world.ts';
import { addProfile, call } from '../../test/support/posts.ts';
import { getBannedHashtags, putBannedHashtags } from './banned-hashtags.ts';
import { createPost } from './create.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
  for (const platform of ['x', 'instagram', 'threads', 'facebook'] as const) await world.connect(platform);
  await addProfile(world);
});
afterAll(() => world.close());

const put = (body: unknown) => call(world, putBannedHashtags, { body });
const create = (change: Record<string, unknown>) =>
  call(world, createPost, {
    body: {
      profile_name: 'Acme',
      post_type: 'image',
      media_urls: ['https://example.com/a.jpg'],
      platforms: ['instagram', 'threads', 'facebook', 'x'],
      ...change,
    },
  });

describe('banned hashtags of a workspace', () => {
  test('are the default list until the workspace changes it', async () => {
    const { status, body } = await call(world, getBannedHashtags);
    expect(status).toBe(200);
    expect(body).toMatchObject({ added: [], allowed: [] });
    expect(body['banned']).toEqual(body['defaults']);
    expect(body['banned']).toContain('tagsforlikes');
  });

  test('can be added and allowed in any spelling', async () => {
    const { status, body } = await put({ added: ['#Größe', '東京', '#Größe'], allowed: ['TagsForLikes'] });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { added: ['größe', '東京'], allowed: ['tagsforlikes'] },
    });
    const refused = await create({ description: 'Eine #GRÖSSE, ＃東京 #GRÖßE', first_comment: '#東京!' });
    expect(refused.status).toBe(400);
    const found = refused.body['violations'] as { platform: string; hashtag: string; field: string }[];
    expect(found.filter(({ platform }) => platform === 'threads')).toMatchObject([
      { hashtag: '＃東京', field: 'description' },
      { hashtag: '#GRÖßE', field: 'description' },
      { hashtag: '#東京', field: 'first_comment' },
    ]);
    expect(new Set(found.map(({ platform }) => platform))).toEqual(
      new Set(['instagram', 'threads', 'facebook']),
    );
    expect((await create({ description: 'Now #tagsforlikes is fine here' })).status).toBe(201);
    await put({});
    expect((await create({ description: 'Now #tagsforlikes is not' })).status).toBe(400);
  });

  test('do not concern other platforms, URLs or plain words', async () => {
    expect((await create({ platforms: ['x'], description: '#tagsforlikes on X' })).status).toBe(201);
    const description = 'tagsforlikes https://example.com/#tagsforlikes #tagsforlikesandmore';
    expect((await create({ description })).status).toBe(201);
  });

  test('have at most 100 characters, which are code points', async () => {
    expect((await put({ added: ['𠮷'.repeat(100)] })).status).toBe(200);
    expect((await put({ added: ['𠮷'.repeat(101)] })).status).toBe(400);
  });

  test.each([
    { added: 'porn' },
    { added: ['two words'] },
    { allowed: [''] },
    { added: ['#'] },
    { added: [5] },
  ])('answers 400 to %j', async body => {
    expect((await put(body)).status).toBe(400);
  });
});
