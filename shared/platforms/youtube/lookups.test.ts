import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { connectedAccount, type AnyGrant } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import { connect } from '../../../test/support/youtube.ts';
import type { JsonObject } from '../../model/json.ts';
import { insights } from './insights.ts';
import { lookups } from './lookups.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

const DAY = 86_400_000;
let day = Date.parse('2026-03-02T10:00:00Z');

let host: TestSandbox;
let grant: AnyGrant;
let quota: ReturnType<typeof unlimitedQuota>;
beforeEach(async () => {
  // Answers are cached for a day, also between tests.
  day += 2 * DAY;
  host = await startSandboxHost(sandbox, { now: day });
  grant = await connect(host);
  quota = unlimitedQuota();
});
afterEach(() => host.close());

function look(method: string, name: string, input: JsonObject = {}) {
  const lookup = lookups.find(each => each.name === name && each.method === method)!;
  const account = { ...connectedAccount(grant, { app: APP }), target: null };
  return lookup.run(account, input, { http: host.http, now: host.now, quota });
}

describe('playlists', () => {
  test('are listed over all pages', async () => {
    for (let count = 0; count < 60; count += 1) await look('POST', 'playlists', { title: `List ${count}` });
    const answer = (await look('GET', 'playlists')) as { playlists: JsonObject[]; total: number };
    expect(answer.total).toBe(62);
    expect(answer.playlists[0]).toEqual({
      playlist_id: 'PLdemoBaking',
      title: 'Baking',
      description: '',
      privacy: 'public',
      item_count: 0,
      thumbnail: expect.stringContaining('hqdefault'),
    });
    expect(quota.spent.filter(each => each === 'units 50')).toHaveLength(60);
    expect(quota.spent.filter(each => each === 'units 1')).toHaveLength(2);
  });

  test('are created with title, description and privacy', async () => {
    expect(await look('POST', 'playlists', { title: 'New', description: 'D', privacy: 'private' })).toEqual({
      playlist: {
        playlist_id: expect.stringMatching(/^PL/),
        title: 'New',
        description: 'D',
        privacy: 'private',
      },
      success: true,
    });
    await expect(look('POST', 'playlists', { title: 'a < b' })).rejects.toThrow('Must not contain < or >');
    await expect(look('POST', 'playlists', { title: 'x'.repeat(151) })).rejects.toThrow('150');
  });
});

describe('what is the same for every channel', () => {
  test('is read once a day', async () => {
    const read = () => Promise.all(['categories', 'languages', 'regions'].map(name => look('GET', name)));
    const [categories] = await read();
    await read();
    expect(quota.spent).toEqual(['units 1', 'units 1', 'units 1']);
    expect(categories).toMatchObject({
      categories: expect.arrayContaining([{ category_id: '1', title: 'Film & Animation' }]),
      total: 15,
    });
    host.advance(DAY);
    await read();
    expect(quota.spent).toHaveLength(6);
  });

  test('is named in the language of the request', async () => {
    expect(await look('GET', 'languages', { hl: 'de' })).toMatchObject({
      languages: expect.arrayContaining([{ code: 'de', name: 'Deutsch' }]),
    });
    expect(await look('GET', 'regions', { hl: 'fr' })).toMatchObject({
      regions: expect.arrayContaining([{ code: 'DE', name: 'Allemagne' }]),
    });
  });

  test('is not kept after a failure', async () => {
    host.failNext({ match: /i18nRegions/, respond: { status: 503 } });
    await expect(look('GET', 'regions')).rejects.toMatchObject({ kind: 'transient' });
    expect(await look('GET', 'regions')).toMatchObject({ total: 9 });
  });

  test('has no unknown region, however YouTube answers it', async () => {
    await expect(look('GET', 'categories', { region: 'XX' })).rejects.toMatchObject({ kind: 'rejected' });
    host.failNext({ match: /videoCategories/, respond: { status: 200, body: '{}' } });
    await expect(look('GET', 'categories', { region: 'de' })).rejects.toMatchObject({
      message: expect.stringContaining('no region DE'),
    });
  });
});

describe('metrics', () => {
  const read = (ids: string[]) =>
    insights.read(
      {
        http: host.http,
        account: { ...grant.account, attributes: {} },
        authorize: () => Promise.resolve({ credentials: grant.credentials, app: APP, target: null }),
        now: host.now,
      },
      ids,
    );
  const statistics = (items: object[]) => ({
    match: /part=statistics/,
    respond: { status: 200, body: JSON.stringify({ items }) },
  });

  test('are numbers, and null where they are hidden; deleted videos are missing', async () => {
    host.failNext(
      statistics([
        {
          id: 'aaaaaaaaaaa',
          statistics: { viewCount: '12', likeCount: '3', commentCount: '1', favoriteCount: '0' },
        },
        { id: 'bbbbbbbbbbb', statistics: { viewCount: '5' } },
      ]),
    );
    const rows = [['aaaaaaaaaaa', 4]];
    host.failNext({ match: /v2\/reports/, respond: { status: 200, body: JSON.stringify({ rows }) } });
    expect(Object.fromEntries(await read(['aaaaaaaaaaa', 'bbbbbbbbbbb', 'ccccccccccc']))).toEqual({
      aaaaaaaaaaa: { views: 12, likes: 3, comments: 1, shares: 4 },
      bbbbbbbbbbb: { views: 5, likes: null, comments: null, shares: null },
    });
  });

  test('do not need the permission for Analytics', async () => {
    grant = await connect(host, { without: 'yt-analytics.readonly' });
    host.failNext(statistics([{ id: 'aaaaaaaaaaa', statistics: { viewCount: '1' } }]));
    expect((await read(['aaaaaaaaaaa'])).get('aaaaaaaaaaa')).toMatchObject({ views: 1, shares: null });
  });
});
