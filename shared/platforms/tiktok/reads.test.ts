import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectedAccount, type AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/tiktok.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import { insights } from './insights.ts';
import { lookups } from './lookups.ts';
import { publisher } from './publish.ts';
import { rules } from './rules.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
let grant: AnyGrant;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  host.setLimit(null);
  grant = await connect(host);
  host.traffic.length = 0;
});

describe('creator info', () => {
  const read = (app = {}) => {
    const account = { ...connectedAccount(grant, { app: { ...APP, ...app } }), target: null };
    return lookups[0]!.run(account, {}, { http: host.http, now: host.now, quota: unlimitedQuota() });
  };

  test('has the settings of a public account', async () => {
    host.platform.change!('demo', { stitch_disabled: true, max_seconds: 300 });
    expect(await read()).toEqual({
      creator: { username: 'demo', nickname: 'Demo', avatar_url: expect.stringMatching(/^https:/) },
      privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      comment_disabled: false,
      duet_disabled: false,
      stitch_disabled: true,
      max_video_post_duration_sec: 300,
    });
  });

  test('has the levels of a private account, which allows neither duets nor stitches', async () => {
    grant = await connect(host, { as: 'demo_private' });
    expect(await read()).toMatchObject({
      privacy_level_options: ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      duet_disabled: true,
      stitch_disabled: true,
    });
  });

  test('offers SELF_ONLY alone while the app is not audited', async () => {
    expect(await read({ audited: 'false' })).toMatchObject({ privacy_level_options: ['SELF_ONLY'] });
  });

  test('says why the creator cannot post', async () => {
    host.setLimit({ code: 'spam_risk_too_many_posts' });
    await expect(read()).rejects.toMatchObject({ code: 'PLATFORM_RATE_LIMIT' });
  });
});

test.each([
  ['PUBLIC_TO_EVERYONE', {}, ['tiktok_privacy_level']],
  ['public', {}, ['tiktok_privacy_level']],
  ['SELF_ONLY', {}, []],
  ['PUBLIC_TO_EVERYONE', { tiktok_post_mode: 'MEDIA_UPLOAD' }, []],
])('while the app is not audited, %s %j breaks the rules of %j', async (level, more, fields) => {
  grant = await connect(host, {}, { ...APP, audited: 'false' });
  const job = jobOf(host, grant, { options: { tiktok_privacy_level: level, ...more } });
  expect(rules.validate(job, job.text).map(({ field }) => field)).toEqual(fields);
});

describe('metrics', () => {
  const read = (ids: readonly string[], attributes = grant.attributes) => {
    const account = { platform_user_id: grant.account.platform_user_id, username: 'demo', attributes };
    const authorize = () => Promise.resolve({ credentials: grant.credentials, app: APP, target: null });
    return insights.read({ http: host.http, account, authorize, now: host.now }, ids);
  };

  test('are the counts of public posts; others are missing', async () => {
    const [served, file] = await Promise.all([servedBucket(), sampleFiles()]);
    const media_urls = [host.addMedia('clip.mp4', file('clip.mp4'))];
    const { post } = await drive(
      publisher,
      jobOf(host, grant, { media_urls }),
      optionsOf(host, grant, served.bucket),
    );
    await served.close();
    const id = post.platform_post_id;
    host.setMetrics(id, { likes: 3, comments: 2, shares: 4, views: 90 });
    expect(await read([id, '7301234567890123456', 'v_pub_file~v2-1.1'])).toEqual(
      new Map([[id, { likes: 3, comments: 2, shares: 4, views: 90 }]]),
    );
    const [query] = host.traffic.filter(({ url }) => /video\/query/.test(url));
    expect(query!.body.toString()).toBe(
      JSON.stringify({ filters: { video_ids: [id, '7301234567890123456'] } }),
    );
  });

  test('are not read without the permission, nor of posts whose id is not known', async () => {
    expect(await read(['7301234567890123456'], { scopes: 'video.publish' })).toEqual(new Map());
    expect(await read(['v_pub_file~v2-1.1'])).toEqual(new Map());
    expect(host.traffic).toEqual([]);
  });
});
