import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive, reconcile } from '../../../test/support/drive.ts';
import { connectPage, deliver, jobOf, optionsOf } from '../../../test/support/facebook.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { verticalClip } from '../../../test/support/vertical-clip.ts';
import type { Checkpoint } from '../../model/destination.ts';
import { HOUR, MINUTE } from '../../time/instant.ts';
import type { Target } from '../contract/connector.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { KB, MB } from '../kit/sizes.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const REEL = { facebook_media_type: 'REELS' };
const VIDEOS = /\/videos\b/;
const REELS = /\/video_reels\b/;
const RUPLOAD = /rupload/;
const STATUS = /fields=status/;

let host: TestSandbox;
let bucket: TestBucket;
let grant: AnyGrant;
let target: Target;
let clip: Buffer;
let vertical: Buffer;
let count = 0;

beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  bucket = await createTestBucket();
  clip = (await sampleFiles())('clip.mp4');
  vertical = await verticalClip(4);
});
afterAll(async () => {
  await host.close();
  await bucket.close();
});
beforeEach(async () => {
  host.advance(HOUR);
  host.setLimit(null);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.platform.reset();
  ({ grant, target } = await connectPage(host));
  host.traffic.length = 0;
});

const options = () => optionsOf(host, grant, target, bucket);
const video = (bytes: Buffer, more: Partial<PublishJob> = {}) =>
  jobOf(host, grant, {
    post_type: 'video',
    title: 'A title',
    description: `A video ${(count += 1)}`,
    media_urls: [host.addMedia(`clip${count}.mp4`, bytes)],
    ...more,
  });
const reel = (bytes = vertical, more: Partial<PublishJob> = {}) => video(bytes, { options: REEL, ...more });
const run = (post: PublishJob, more = {}) => drive(publisher, post, { ...options(), ...more });
const last = () => host.posts().at(-1)!;
const requests = (match: RegExp) =>
  host.traffic.filter(({ method, url }) => method === 'POST' && match.test(url));
const graph = (code: number, error_subcode?: number) => ({
  status: 400,
  body: JSON.stringify({ error: { code, error_subcode, message: 'no' } }),
});

describe('a video', () => {
  test('is fetched by Facebook from its URL', async () => {
    const { post, ran } = await run(video(clip));
    expect(ran).toEqual(['host_video', 'send_parts', 'publish']);
    expect(post).toMatchObject({
      platform_post_id: last().platform_post_id,
      platform_post_url: expect.stringMatching(/^https:\/\/www\.facebook\.com\/\d+\/videos\/\d+\/$/),
    });
    expect(last()).toMatchObject({
      kind: 'video',
      title: 'A title',
      fields: { file_url: expect.stringContaining(bucket.publicUrl), title: 'A title', published: 'true' },
      media: [{ type: 'video/mp4' }],
    });
    expect(last().fields['description']).toBe(last().text);
  });

  test('is live when Facebook has processed it', async () => {
    host.setProcessing({ seconds: 60 });
    const { waitedMs } = await run(video(clip));
    expect(waitedMs).toBeGreaterThanOrEqual(MINUTE);
    expect(requests(VIDEOS)).toHaveLength(1);
  });

  test.each([
    {},
    { completed: true },
    { single_error: true },
    { processing_error: true },
    { processing_error: true, single_error: true },
  ])('that cannot be processed fails with the words of Facebook (%j)', async modes => {
    host.platform.change!('app', modes);
    host.setProcessing({ seconds: 20, outcome: 'error', error: 'Resolution too low' });
    await expect(run(video(clip))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: 'Facebook could not process the video: Resolution too low',
    });
  });

  test('is live with the other spelling of the status', async () => {
    host.platform.change!('app', { completed: true });
    await expect(run(video(clip))).resolves.toMatchObject({ post: { platform_post_id: expect.any(String) } });
  });

  test.each([
    ['does not show it yet', graph(100, 33)],
    ['has an unknown problem', graph(1)],
  ])('is live once although Facebook %s after it has accepted it', async (_, respond) => {
    const before = host.posts().length;
    host.failNext({ match: STATUS, times: 4, respond });
    const { post } = await run(video(clip));
    expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
    expect(requests(VIDEOS)).toHaveLength(1);
    expect(host.posts()).toHaveLength(before + 1);
  });

  test('that Facebook never shows has an unknown outcome', async () => {
    host.platform.change!('app', { hidden_ms: HOUR });
    await expect(run(video(clip))).rejects.toMatchObject({ kind: 'rejected', code: 'DELIVERY_UNKNOWN' });
  });

  test('that is never processed has an unknown outcome', async () => {
    host.setProcessing({ seconds: 3600 });
    await expect(run(video(clip))).rejects.toMatchObject({ kind: 'rejected', code: 'DELIVERY_UNKNOWN' });
  });

  test('that cannot be fetched is tried three times', async () => {
    host.failNext({ match: VIDEOS, method: 'POST', times: 3, respond: graph(389) });
    await expect(run(video(clip))).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    expect(requests(VIDEOS)).toHaveLength(3);
  });

  test('is found after a lost response, and sent again where it is absent', async () => {
    for (const drop of ['before', 'after'] as const) {
      host.advance(HOUR);
      const before = host.posts().length;
      host.failNext({ match: VIDEOS, method: 'POST', drop });
      const post = await deliver(video(clip), options());
      expect(host.posts()).toHaveLength(before + 1);
      expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
    }
  });

  test('is found among the posts where Facebook does not list videos', async () => {
    host.platform.change!('app', { no_video_list: true });
    host.failNext({ match: VIDEOS, method: 'POST', drop: 'after' });
    const post = await deliver(video(clip), options());
    expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
  });

  test('is live once where Facebook does not list videos and processes it for long', async () => {
    const before = host.posts().length;
    host.platform.change!('app', { no_video_list: true });
    host.setProcessing({ seconds: 400 });
    host.failNext({ match: VIDEOS, method: 'POST', drop: 'after' });
    const post = await deliver(video(clip), options());
    expect(requests(VIDEOS)).toHaveLength(1);
    expect(host.posts()).toHaveLength(before + 1);
    expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
  });

  test('that neither the videos nor the posts of the Page show has an unknown outcome', async () => {
    host.platform.change!('app', { no_video_list: true });
    host.failNext({ match: VIDEOS, method: 'POST', drop: 'before' });
    await expect(deliver(video(clip), options())).resolves.toBe('unknown');
    expect(requests(VIDEOS)).toHaveLength(1);
  });

  test('gets its first comment on the video where Facebook does not show its post', async () => {
    const post = video(clip, { first_comment: 'First!' });
    host.failNext({ match: /\d+_\d+\/comments/, method: 'POST', respond: graph(100, 33) });
    await run(post);
    expect(last().comments).toMatchObject([{ text: 'First!' }]);
  });

  test.each([
    ['the video', /fields=post_id/, 1],
    ['the video and its post', /\/comments/, 2],
  ])('gets its first comment later where Facebook does not show %s', async (_, match, times) => {
    host.failNext({ match, times, respond: graph(100, 33) });
    const later = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false };
    await expect(run(video(clip, { first_comment: 'First!' }))).rejects.toMatchObject(later);
    expect(last().comments).toEqual([]);
  });

  test.each([false, true])('gets its first comment (bare post id: %s)', async bare_post_id => {
    host.platform.change!('app', { bare_post_id });
    await run(video(clip, { first_comment: 'First!' }));
    expect(last().comments).toMatchObject([{ text: 'First!' }]);
    expect(requests(/\d+_\d+\/comments/)).toHaveLength(1);
  });
});

describe('a large video', () => {
  const PART_BYTES = 64 * KB;
  const PARTS = 33;
  let file: Buffer;
  beforeAll(() => {
    file = padded(clip, 2 * MB + 3);
  });
  beforeEach(() => void host.platform.change!('app', { part_bytes: PART_BYTES }));

  /** A smaller video, after the step that found it too large for a URL. */
  const inParts = (post: PublishJob): Checkpoint => {
    const { state } = publisher.start(post);
    return { step: 'send_parts', state: { ...state, page_id: target.id, video_url: null } };
  };

  /** Runs until `until` holds for the checkpoints, and returns them. */
  async function runUntil(post: PublishJob, from: Checkpoint, until: (all: Checkpoint[]) => boolean) {
    const all: Checkpoint[] = [];
    const stop = new Error('stop');
    const onCheckpoint = (checkpoint: Checkpoint) => {
      all.push(checkpoint);
      if (until(all)) throw stop;
    };
    await expect(run(post, { onCheckpoint, from })).rejects.toBe(stop);
    return all;
  }
  const offsetOf = ({ state }: Checkpoint) =>
    (state['session'] as { progress: { offset: number } } | null)?.progress.offset ?? null;

  test('gets no URL, because Facebook would fetch it for too long', async () => {
    const post = video(padded(clip, 100 * MB + 1));
    const [checkpoint] = await runUntil(post, publisher.start(post), () => true);
    expect(checkpoint).toMatchObject({ step: 'send_parts', state: { video_url: null } });
  });

  test('is sent in the parts that Facebook asks for', async () => {
    const post = video(file);
    const { ran } = await run(post, { from: inParts(post) });
    expect(new Set(ran)).toEqual(new Set(['send_parts', 'publish']));
    expect(requests(/graph-video\.facebook\.com/)).toHaveLength(PARTS);
    expect(last()).toMatchObject({ kind: 'video', title: 'A title', media: [{ size: file.length }] });
  });

  test('continues at the offset that Facebook names', async () => {
    const post = video(file);
    const all = await runUntil(post, inParts(post), each => each.length === 2);
    expect(all.map(offsetOf)).toEqual([0, 16 * PART_BYTES]);
    host.traffic.length = 0;
    // The last checkpoint was lost, but Facebook has the parts.
    const resumed = await runUntil(post, all[0]!, () => true);
    expect(requests(VIDEOS).map(({ status }) => status)).toEqual([400, ...Array<number>(15).fill(200)]);
    expect(resumed.map(offsetOf)).toEqual([31 * PART_BYTES]);
  });

  test('starts again where the session is gone', async () => {
    const post = video(file);
    host.failNext({ match: /graph-video/, times: 3, respond: graph(100, 1363033) });
    const all = await runUntil(post, inParts(post), each => offsetOf(each.at(-1)!) === 16 * PART_BYTES);
    expect(all.at(-1)!.state['restarts']).toBe(1);
    expect(requests(VIDEOS).filter(({ body }) => body.includes('upload_phase=start'))).toHaveLength(2);
  });

  test('is known by its state when the response was lost', async () => {
    for (const drop of ['before', 'after'] as const) {
      host.advance(HOUR);
      const post = video(file);
      const all = await runUntil(post, inParts(post), each => each.at(-1)!.step === 'publish');
      host.failNext({ match: /graph\.facebook\.com\/v26\.0\/\d+\/videos/, method: 'POST', drop });
      const uploaded = all.at(-1)!;
      await expect(run(post, { from: uploaded })).rejects.toMatchObject({ outcomeUnknown: true });
      const at = host.now();
      host.advance(5 * MINUTE);
      const finding = await reconcile(publisher, post, uploaded, at, options());
      expect(finding.type).toBe(drop === 'before' ? 'absent' : 'published');
    }
  });

  test('is cancelled when the post is abandoned', async () => {
    const post = video(file);
    const [begun] = await runUntil(post, inParts(post), () => true);
    await publisher.discard!(contextOf(post, options()), begun!);
    expect(host.traffic.at(-1)).toMatchObject({ status: 200, response: '{"success":true}' });
    expect(host.traffic.at(-1)!.body.toString()).toContain('upload_phase=cancel');
  });
});

describe('a Reel', () => {
  test('is started, fetched from its URL and finished', async () => {
    const { post, ran } = await run(reel());
    expect(ran).toEqual(['host_video', 'upload_reel', 'upload_reel', 'await_reel', 'publish']);
    const [upload] = requests(RUPLOAD);
    expect(upload!.headers).toMatchObject({
      authorization: `OAuth ${target.secrets!['access_token'] as string}`,
      file_url: expect.stringContaining(bucket.publicUrl),
      'content-length': '0',
    });
    expect(upload!.url).not.toContain('?');
    expect(last()).toMatchObject({
      kind: 'reel',
      title: 'A title',
      fields: { upload_phase: 'finish', video_state: 'PUBLISHED' },
      media: [{ width: 544, height: 960 }],
    });
    expect(post).toMatchObject({
      platform_post_id: last().platform_post_id,
      platform_post_url: `https://www.facebook.com/reel/${last().platform_post_id}`,
    });
  });

  test('is live once although Facebook shows it late', async () => {
    host.platform.change!('app', { hidden_ms: 90_000 });
    const { post } = await run(reel());
    expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
    expect(requests(REELS)).toHaveLength(2);
  });

  test.each([
    ['is horizontal', () => clip, /540|height|width|aspect/i],
    ['is longer than 90 seconds', () => null, /90/],
  ])('that %s fails before it is sent', async (_, bytes, message) => {
    const file = bytes() ?? (await verticalClip(91));
    await expect(run(reel(file))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(message),
    });
    expect(requests(REELS)).toHaveLength(0);
  });

  test('that Facebook cannot fetch is started again twice', async () => {
    const respond = {
      status: 400,
      body: '{"debug_info":{"retriable":false,"type":"ProcessingFailedError","message":"no"}}',
    };
    host.failNext({ match: RUPLOAD, times: 3, respond });
    await expect(run(reel())).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    expect(requests(REELS)).toHaveLength(3);
  });

  test('is uploaded again where Facebook misses the upload', async () => {
    host.failNext({
      match: REELS,
      method: 'POST',
      respond: {
        status: 200,
        body: '{"video_id":"1","upload_url":"https://rupload.facebook.com/video-upload/v26.0/1"}',
      },
    });
    host.failNext({ match: RUPLOAD, respond: { status: 200, body: '{"success":true}' } });
    host.failNext({
      match: STATUS,
      respond: { status: 200, body: '{"status":{"video_status":"upload_complete"}}' },
    });
    host.failNext({ match: REELS, method: 'POST', respond: graph(6000) });
    await run(reel());
    expect(requests(RUPLOAD)).toHaveLength(2);
  });

  test('never sends the token to another host', async () => {
    const body = '{"video_id":"1","upload_url":"https://evil.example/video-upload/1"}';
    host.failNext({ match: REELS, method: 'POST', respond: { status: 200, body } });
    await expect(run(reel())).rejects.toMatchObject({
      message: expect.stringContaining('unexpected upload URL'),
    });
  });

  test('that was refused in processing fails with the words of Facebook', async () => {
    host.setProcessing({ seconds: 30, outcome: 'error', error: 'Unsupported frame rate' });
    await expect(run(reel())).rejects.toMatchObject({
      message: expect.stringContaining('Unsupported frame rate'),
    });
  });

  test('is deleted when the post is abandoned before it was published', async () => {
    const post = reel();
    let checkpoint = publisher.start(post);
    const stop = new Error('stop');
    const uploaded = (each: Checkpoint) => {
      checkpoint = each;
      if (each.step === 'await_reel') throw stop;
    };
    await expect(run(post, { onCheckpoint: uploaded })).rejects.toBe(stop);
    await publisher.discard!(contextOf(post, options()), checkpoint);
    expect(host.traffic.at(-1)).toMatchObject({ method: 'DELETE', status: 200 });
    await publisher.discard!(contextOf(post, options()), {
      ...checkpoint,
      state: { ...checkpoint.state, accepted_at: 1 },
    });
    expect(host.traffic.at(-1)).toMatchObject({ method: 'DELETE' });
    expect(host.traffic.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  test('is live once after a fault at any request', async () => {
    await run(reel());
    const number = host.traffic.length;
    for (const drop of ['before', 'after'] as const) {
      for (let index = 0; index < number; index += 1) {
        host.advance(HOUR);
        const before = host.posts().length;
        let seen = 0;
        const nth = { test: () => (seen += 1) === index + 1 } as unknown as RegExp;
        host.failNext({ match: nth, drop });
        const post = await deliver(reel(), options());
        expect([drop, index, host.posts().length]).toEqual([drop, index, before + 1]);
        expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
      }
    }
  });

  test('is known by its status when the response was lost', async () => {
    const post = reel();
    let checkpoint = publisher.start(post);
    host.failNext({ match: REELS, method: 'POST', respond: graph(100) });
    const onCheckpoint = (each: Checkpoint) => void (checkpoint = each);
    await expect(run(post, { onCheckpoint })).rejects.toMatchObject({ kind: 'rejected' });
    await expect(run(post, { onCheckpoint, from: checkpoint })).resolves.toBeDefined();
    const finding = await reconcile(publisher, post, checkpoint, host.now(), options());
    expect(finding).toMatchObject({ type: 'published', post: { platform_post_id: last().platform_post_id } });
  });
});
