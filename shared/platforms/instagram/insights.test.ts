import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { drive } from '../../../test/support/drive.ts';
import {
  appOf,
  connected,
  jobOf,
  optionsOf,
  servedBucket,
  type Connected,
} from '../../../test/support/instagram.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { PostContent } from '../kit/draft.ts';
import { basics } from './basics.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const HOUR = 3_600_000;

let jpeg: Buffer;
let clip: Buffer;
beforeAll(async () => {
  clip = (await sampleFiles())('clip.mp4');
  const plain = { width: 40, height: 40, channels: 3, background: 'teal' } as const;
  jpeg = await sharp({ create: plain }).jpeg().toBuffer();
});

let host: TestSandbox;
let who: Connected;
const opened: TestSandbox[] = [];
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  opened.push(host);
  who = await connected(host);
});
afterAll(async () => {
  await Promise.all(opened.map(each => each.close()));
});

async function publish(content: Partial<PostContent> = {}): Promise<string> {
  const media_urls = [host.addMedia('a', content.post_type === 'video' ? clip : jpeg)];
  const job = jobOf(host, who, { media_urls, ...content });
  return (await drive(publisher, job, optionsOf(host, who, servedBucket(host)))).post.platform_post_id;
}

const read = (...ids: string[]) => {
  const { grant, target, way } = who;
  const { platform_user_id, username } = grant.account;
  return insights.read(
    {
      http: host.http,
      now: host.now,
      account: { platform_user_id, username, attributes: grant.attributes },
      authorize: () => Promise.resolve({ credentials: grant.credentials, app: appOf(way), target }),
    },
    ids,
  );
};

describe.each(['instagram', 'facebook'] as const)('with %s login', way => {
  test('likes, comments, shares and views of an image, a Reel and a story are read', async () => {
    who = await connected(host, way);
    const ids = [
      await publish(),
      await publish({ post_type: 'video' }),
      await publish({ post_type: 'video', options: { instagram_media_type: 'STORIES' } }),
    ];
    for (const id of ids) host.setMetrics(id, { likes: 3, comments: 2, shares: 1, views: 100 });
    const expected = { likes: 3, comments: 2, shares: 1, views: 100 };
    expect(Object.fromEntries(await read(...ids))).toEqual(Object.fromEntries(ids.map(id => [id, expected])));
  });
});

test('metrics that Instagram does not report yet are null', async () => {
  const id = await publish();
  expect((await read(id)).get(id)).toEqual({ likes: 0, comments: 0, shares: null, views: null });
});

test('stories are read before they end, and are missing afterwards', async () => {
  expect(basics.reading_ages_ms).toEqual([HOUR, 23 * HOUR, 168 * HOUR]);
  const id = await publish({ post_type: 'video', options: { instagram_media_type: 'STORIES' } });
  host.advance(23 * HOUR);
  expect((await read(id)).has(id)).toBe(true);
  host.advance(HOUR);
  expect((await read(id)).has(id)).toBe(false);
});

test('a story with too few viewers has no views', async () => {
  host.platform.change!('demo', { few_viewers: true });
  const id = await publish({ post_type: 'video', options: { instagram_media_type: 'STORIES' } });
  expect((await read(id)).get(id)).toMatchObject({ views: null, shares: null });
});

test('a post that was deleted, or whose id is not known, is missing', async () => {
  expect(await read('17900000000000009', 'unknown')).toEqual(new Map());
});

test('a limit ends the reading', async () => {
  const id = await publish();
  const body = JSON.stringify({ error: { message: 'Too many', type: 'OAuthException', code: 4 } });
  host.failNext({ match: /like_count/, respond: { status: 403, body } });
  await expect(read(id)).rejects.toMatchObject({ kind: 'rate_limited' });
});
