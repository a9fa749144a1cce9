import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import { connectPage, jobOf, optionsOf } from '../../../test/support/facebook.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { HOUR } from '../../time/instant.ts';
import type { Target } from '../contract/connector.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
let bucket: TestBucket;
let grant: AnyGrant;
let target: Target;
let id: string;

beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  bucket = await createTestBucket();
});
afterAll(async () => {
  await host.close();
  await bucket.close();
});
beforeEach(async () => {
  host.advance(HOUR);
  host.platform.reset();
  ({ grant, target } = await connectPage(host));
  id = await publish({});
  host.setMetrics(id, { likes: 5, comments: 2, shares: 1, views: 100 });
});

async function publish(more: Parameters<typeof jobOf>[2]): Promise<string> {
  const job = jobOf(host, grant, { description: `Post at ${host.now()}`, ...more });
  return (await drive(publisher, job, optionsOf(host, grant, target, bucket))).post.platform_post_id;
}

const read = (ids: readonly string[]) =>
  insights.read(
    {
      http: host.http,
      now: host.now,
      account: { platform_user_id: '1', username: null, attributes: {} },
      authorize: () => Promise.resolve({ credentials: grant.credentials, app: APP, target }),
    },
    ids,
  );

const METRICS = { likes: 5, comments: 2, shares: 1, views: 100 };

describe('the metrics', () => {
  test('of a post are its reactions, comments, shares and views', async () => {
    expect(Object.fromEntries(await read([id]))).toEqual({ [id]: METRICS });
  });

  test('of a video are those of its post', async () => {
    const clip = host.addMedia('clip.mp4', (await sampleFiles())('clip.mp4'));
    const video = await publish({ post_type: 'video', media_urls: [clip], description: 'A video' });
    host.setMetrics(video, METRICS);
    expect((await read([video])).get(video)).toEqual(METRICS);
  });

  test('are missing for a post that was deleted', async () => {
    expect([...(await read([id, '102938475610293_1'])).keys()]).toEqual([id]);
  });

  test.each([
    [
      'the permission read_insights is missing',
      () => host.platform.change!('demo', { without: ['read_insights'] }),
    ],
    ['too few people saw the post', () => host.platform.change!('app', { few_viewers: true })],
    [
      'the metric was removed',
      () =>
        host.failNext({
          match: /insights/,
          respond: { status: 400, body: '{"error":{"code":100,"message":"no"}}' },
        }),
    ],
  ])('have no views where %s', async (_, prepare) => {
    prepare();
    expect((await read([id])).get(id)).toEqual({ ...METRICS, views: null });
  });

  test.each([
    [{ status: 500, body: '' }, 'transient'],
    [{ status: 400, body: '{"error":{"code":190,"message":"no"}}' }, 'token_expired'],
    [{ status: 400, body: '{"error":{"code":80001,"message":"no"}}' }, 'rate_limited'],
  ])('cannot be read where Facebook answers %j', async (respond, kind) => {
    host.failNext({ match: /graph/, respond });
    await expect(read([id])).rejects.toMatchObject({ kind });
  });
});
