import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf } from '../../../test/support/snapchat.ts';
import { verticalClip } from '../../../test/support/vertical-clip.ts';
import type { Target } from '../contract/connector.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, DEMO, STUDIO } from './sandbox/state.ts';
import { statisticsIn } from './statistics.ts';

let host: TestSandbox;
let files: Record<'image' | 'video', Buffer>;
let grant: AnyGrant;
beforeAll(async () => {
  const [started, file, clip] = await Promise.all([
    startSandboxHost(sandbox),
    sampleFiles(),
    verticalClip(7),
  ]);
  [host, files] = [started, { image: file('photo.jpg'), video: clip }];
});
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  host.platform.change!('demo', { processing_calls: 0 });
  grant = await connect(host);
});

const STUDIO_TARGET: Target = { id: STUDIO.id, name: 'Demo Studio', attributes: {}, secrets: null };

async function publish(fields: Record<string, string>, target: Target | null = null): Promise<string> {
  const post_type = fields['snapchat_post_type'] === 'spotlight' ? 'video' : 'image';
  const media_urls = [host.addMedia(post_type, files[post_type])];
  const { credentials } = grant;
  const { post } = await drive(publisher, jobOf(host, grant, { post_type, media_urls, options: fields }), {
    credentials,
    target,
    app: APP,
    http: host.http,
    media: host.media,
    now: host.now,
    advance: host.advance,
    remainingMs: () => 600_000,
  });
  return post.platform_post_id;
}

const read = (ids: readonly string[], target: Target | null = null) =>
  insights.read(
    {
      http: host.http,
      account: { platform_user_id: DEMO.id, username: 'demo', attributes: {} },
      authorize: () => Promise.resolve({ credentials: grant.credentials, app: APP, target }),
      now: host.now,
    },
    ids,
  );
const set = { likes: 3, comments: 2, shares: 4, views: 90 };
const SAVED = { snapchat_post_type: 'saved_story', snapchat_saved_story_title: 'Title' };
const SPOTLIGHT = { snapchat_post_type: 'spotlight' };

describe('metrics', () => {
  test('are those of Spotlight videos, saved stories, and stories with an id', async () => {
    host.platform.change!('demo', { story_ids: true });
    const [spotlight, saved, story] = [await publish(SPOTLIGHT), await publish(SAVED), await publish({})];
    for (const id of [spotlight, saved, story]) host.setMetrics(id, set);
    const found = await read([spotlight, saved, story]);
    expect(Object.fromEntries(found)).toEqual({
      [spotlight]: set,
      [saved]: { ...set, comments: null },
      [story]: { ...set, likes: null },
    });
  });

  test('are null where there are no data, and missing for deleted posts and stories without an id', async () => {
    const [spotlight, story] = [await publish(SPOTLIGHT), await publish({})];
    expect(await read([spotlight, story, 'W7_deleted'])).toEqual(
      new Map([[spotlight, { likes: null, comments: null, shares: null, views: null }]]),
    );
  });

  test('are read from the public profile of the post', async () => {
    host.platform.change!('demo_studio', { processing_calls: 0 });
    const id = await publish(SAVED, STUDIO_TARGET);
    host.setMetrics(id, set);
    expect([...(await read([id], STUDIO_TARGET)).keys()]).toEqual([id]);
    expect(await read([id])).toEqual(new Map());
  });

  test('are not called missing when Snapchat denies them or fails', async () => {
    for (const [status, error] of [
      [403, { code: 'PERMISSION_MISSING' }],
      [401, { kind: 'token_expired' }],
      [500, { kind: 'transient' }],
    ] as const) {
      host.failNext({ match: /stats/, respond: { status } });
      await expect(read(['W7_a'])).rejects.toMatchObject(error);
    }
  });
});

describe('statistics', () => {
  const field = (field_name: string, ...stats: object[]) => ({ field: { field_name }, stats });
  const cases: [string, Parameters<typeof statisticsIn>[0], Record<string, number>][] = [
    [
      'as fields of time series, summed up',
      {
        assets: [
          {
            timeseries: [
              { fields: [field('VIEWS', { dimension_breakdown: 'DEFAULT', value: '10' })] },
              { fields: [field('VIEWS', { value: 5 }), field('SHARES', { value: '1' })] },
            ],
          },
        ],
      } as never,
      { VIEWS: 15, SHARES: 1 },
    ],
    [
      'by dimensions, where the default counts',
      [
        field(
          'VIEWS',
          { dimension_breakdown: 'AGE', value: '1' },
          { dimension_breakdown: 'DEFAULT', value: '7' },
        ),
      ] as never,
      { VIEWS: 7 },
    ],
    [
      'by dimensions only, where the first counts',
      [field('VIEWS', { dimension_breakdown: 'AGE', value: '1' })] as never,
      { VIEWS: 1 },
    ],
    ['by name', { stats: { views: 42, SHARES: '3', other: 'x' } }, { VIEWS: 42, SHARES: 3 }],
    [
      'by name in a time series',
      { timeseries_stats: [{ stats: { VIEWS: 42 } }, { stats: { VIEWS: '1' } }] },
      { VIEWS: 43 },
    ],
    ['without data', { assets: [], request_status: 'SUCCESS' }, {}],
    ['of another shape', null, {}],
  ];
  test.each(cases)('are read %s', (_, answer, expected) => {
    expect(Object.fromEntries(statisticsIn(answer))).toEqual(expected);
  });
});
