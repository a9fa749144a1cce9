import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/youtube.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const MIB = 1024 ** 2;
const MINUTE = 60_000;
const OPEN = /uploadType=resumable(?!.*upload_id)/;
const CHUNK = /upload_id=/;
const VIDEOS = /youtube\/v3\/videos\?part/;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let clip: Buffer;
let large: Buffer;
beforeAll(async () => {
  clip = (await sampleFiles())('clip.mp4');
  large = padded(clip, 17 * MIB + 5);
});

let host: TestSandbox;
let grant: AnyGrant;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
});
afterEach(() => host.close());

const job = (options: JsonObject = {}, more: Partial<PublishJob> = {}, bytes = clip) =>
  jobOf(host, grant, options, { media_urls: [host.addMedia('clip.mp4', bytes)], ...more });
const run = (post: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, post, { ...optionsOf(host, grant), ...more });
const change = (switches: JsonObject) => host.platform.change?.('demo', switches);
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const bodyOf = (match: RegExp) => JSON.parse(requests(match).at(-1)!.body.toString()) as JsonObject;
const later = (minutes: number): Partial<PublishJob> => ({ due_at: host.now() + minutes * MINUTE });

describe('a video that is due', () => {
  test('is uploaded with its privacy and appears with the last byte', async () => {
    const { post, ran } = await run(job());
    expect(ran.slice(0, 4)).toEqual(['upload', 'upload', 'process', 'publish']);
    expect(post).toMatchObject({
      platform_post_id: expect.stringMatching(/^[\w-]{11}$/),
      platform_post_url: `https://www.youtube.com/watch?v=${post.platform_post_id}`,
    });
    expect(host.posts()).toMatchObject([
      {
        title: 'Bread',
        text: 'How to bake',
        media: [{ sha256: sha256(clip) }],
        fields: { status: { privacyStatus: 'public' } },
      },
    ]);
    expect(requests(OPEN)[0]).toMatchObject({
      url: expect.stringContaining('notifySubscribers=true'),
      headers: {
        'x-upload-content-type': 'video/mp4',
        'x-upload-content-length': String(clip.length),
        slug: expect.stringMatching(/^post-\d+-\w+$/),
      },
    });
  });

  test('is sent in chunks of 8 MiB, and the last one by the commit', async () => {
    const { ran } = await run(job({}, {}, large));
    expect(host.posts()[0]?.media[0]).toMatchObject({ sha256: sha256(large) });
    const ranges = requests(CHUNK).map(({ headers }) => headers['content-range']);
    expect(ranges).toEqual([
      `bytes */${large.length}`,
      `bytes 0-8388607/${large.length}`,
      `bytes 8388608-16777215/${large.length}`,
      `bytes */${large.length}`,
      `bytes 16777216-${large.length - 1}/${large.length}`,
    ]);
    expect(ran.filter(name => name === 'upload')).toHaveLength(2);
  });

  test('continues where YouTube kept less than was sent', async () => {
    change({ keep_bytes: 5 * MIB + 3 });
    await run(job({}, {}, large));
    expect(host.posts()[0]?.media[0]).toMatchObject({ sha256: sha256(large) });
  });

  test('accepts the status 200 for the last byte', async () => {
    change({ created_status: 200 });
    expect((await run(job())).post.platform_post_id).toMatch(/^[\w-]{11}$/);
  });

  test('notifies no subscribers unless it is public', async () => {
    await run(job({ youtube_privacy_status: 'unlisted' }));
    expect(requests(OPEN)[0]?.url).toContain('notifySubscribers=false');
  });

  test('has the URL of a Short where it is one', async () => {
    const { checkpoints } = await run(job({}, later(15)));
    const short = job({ youtube_type: 'shorts' });
    const finding = await reconcile(
      publisher,
      short,
      checkpoints.at(-1)!,
      host.now(),
      optionsOf(host, grant),
    );
    expect(finding).toMatchObject({
      post: { platform_post_url: `https://www.youtube.com/shorts/${host.posts()[0]?.platform_post_id}` },
    });
  });

  test.each([503, 500])('survives the status %d on scattered chunks', async status => {
    host.failNext({ match: CHUNK, respond: { status } });
    const post = job({}, {}, large);
    let from = publisher.start(post);
    await expect(run(post, { onCheckpoint: at => (from = at) })).rejects.toMatchObject({ kind: 'transient' });
    await run(post, { from, http: failingAt(8 * MIB, { respond: { status } }) });
    expect(host.posts()).toMatchObject([{ media: [{ sha256: sha256(large) }] }]);
  });
});

/** Sends requests; the first chunk from `offset` on meets a fault. */
function failingAt(offset: number, fault: Omit<Parameters<TestSandbox['failNext']>[0], 'match'>) {
  let left = 1;
  const send: TestSandbox['http']['send'] = request => {
    const start = /^bytes (\d+)-/.exec(request.headers?.['content-range'] ?? '')?.[1];
    if (start !== undefined && Number(start) >= offset && left > 0) {
      left -= 1;
      host.failNext({ match: CHUNK, ...fault });
    }
    return host.http.send(request);
  };
  return { ...host.http, send };
}

describe('a video that is due later', () => {
  test('is uploaded as private and made public at its time', async () => {
    host.setProcessing({ seconds: 90 });
    const post = job({}, later(15));
    const seen: unknown[] = [];
    const onCheckpoint = ({ step }: Checkpoint) => {
      const [shown] = host.posts();
      seen.push([step, (shown?.fields['status'] as JsonObject | undefined)?.['privacyStatus'] ?? null]);
    };
    const { waitedMs } = await run(post, { onCheckpoint });
    expect(seen).toEqual([
      ['upload', null],
      ['upload', null],
      ['process', 'private'],
      ['process', 'private'],
      ['process', 'private'],
      ['publish', 'private'],
      ['publish', 'public'],
    ]);
    expect(waitedMs).toBe(2 * MINUTE);
    expect(requests(OPEN)[0]?.url).toContain('notifySubscribers=true');
    expect(bodyOf(/videos\?part=status$/)).toEqual({
      id: host.posts()[0]?.platform_post_id,
      status: {
        privacyStatus: 'public',
        selfDeclaredMadeForKids: false,
        containsSyntheticMedia: false,
        license: 'youtube',
        embeddable: true,
        publicStatsViewable: true,
      },
    });
  });

  test('that stays private needs no update', async () => {
    await run(job({ youtube_privacy_status: 'private' }, later(15)));
    expect(requests(/videos\?part=status$/).filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  test('is released later when YouTube does not find it within ten minutes of the upload', async () => {
    change({ unseen_s: 15 * 60 });
    const post = job({}, later(1));
    let from = publisher.start(post);
    const release = () => run(post, { from, onCheckpoint: at => (from = at) });
    await expect(release()).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: false });
    host.advance(10 * MINUTE);
    await expect(release()).rejects.toMatchObject({ kind: 'rejected', code: 'CONTENT_REJECTED' });
    change({ unseen_s: 0 });
    await release();
    expect(host.posts()).toMatchObject([{ fields: { status: { privacyStatus: 'public' } } }]);
  });

  test('is published at its time although it is not processed', async () => {
    host.setProcessing({ seconds: 3600 });
    const post = job({}, later(3));
    const { waitedMs } = await run(post).catch((error: unknown) => ({ waitedMs: error }));
    expect(waitedMs).toEqual(expect.any(Number));
    expect(host.posts()[0]?.fields).toMatchObject({ status: { privacyStatus: 'public' } });
  });

  test.each([
    ['conversion', 'MEDIA_REJECTED', 'could not be converted'],
    ['duplicate', 'DUPLICATE_REJECTED', 'already has this video'],
    ['copyright', 'CONTENT_REJECTED', 'infringes a copyright'],
  ])('that fails with %s is never made public, and is deleted', async (error, code, words) => {
    host.setProcessing({ outcome: 'error', error });
    const post = job({}, later(15));
    let last = publisher.start(post);
    await expect(run(post, { onCheckpoint: at => (last = at) })).rejects.toMatchObject({
      kind: 'rejected',
      code,
      message: expect.stringContaining(words),
    });
    await publisher.discard?.(contextOf(post, optionsOf(host, grant)), last);
    expect(host.posts()).toEqual([]);
  });
});

describe('a lost answer', () => {
  /** Runs a post until it fails, and returns the last checkpoint. */
  async function interrupted(post: PublishJob, more: Partial<DriveOptions> = {}) {
    let checkpoint = publisher.start(post);
    const options = { ...more, onCheckpoint: (at: Checkpoint) => (checkpoint = at) };
    const error: unknown = await run(post, options).catch((why: unknown) => why);
    return { checkpoint, at: host.now(), error };
  }
  const reconciled = ({ checkpoint, at }: { checkpoint: Checkpoint; at: number }, post: PublishJob) =>
    reconcile(publisher, post, checkpoint, at, optionsOf(host, grant));
  const found = () => ({
    type: 'published',
    post: { platform_post_id: host.posts()[0]?.platform_post_id },
  });

  test('to the last chunk is found at the session', async () => {
    const post = job();
    const before = await interrupted(post, { http: failingAt(0, { times: 2, drop: 'after' }) });
    expect(before.error).toMatchObject({ kind: 'transient', outcomeUnknown: true });
    expect(await reconciled(before, post)).toMatchObject(found());
    expect(host.posts()).toHaveLength(1);
  });

  test('to a chunk that did not arrive is absent', async () => {
    const post = job();
    const before = await interrupted(post, { http: failingAt(0, { times: 2, drop: 'before' }) });
    expect(before.error).toMatchObject({ kind: 'transient' });
    expect(await reconciled(before, post)).toEqual({ type: 'absent' });
    await run(post, { from: before.checkpoint });
    expect(host.posts()).toHaveLength(1);
  });

  test('whose session was forgotten is found among the uploads of the channel', async () => {
    change({ forget_finished: true });
    const post = job();
    const before = await interrupted(post, { http: failingAt(0, { times: 2, drop: 'after' }) });
    expect(before.error).toMatchObject({ kind: 'transient', outcomeUnknown: true });
    expect(await reconciled(before, post)).toMatchObject(found());
    await run(post, { http: failingAt(0, { drop: 'after' }) });
    expect(host.posts()).toHaveLength(2);
    host.failNext({ match: /playlistItems/, respond: { status: 403 } });
    const refused = await interrupted(post, { http: failingAt(0, { drop: 'after' }) });
    expect(refused.error).toMatchObject({ kind: 'rejected', outcomeUnknown: true });
  });

  test('to the last chunk, with a rate limit in its place, makes no second video', async () => {
    change({ forget_finished: true });
    const post = job();
    const send: TestSandbox['http']['send'] = async request => {
      const response = await host.http.send(request);
      const isLast = /^bytes \d/.test(request.headers?.['content-range'] ?? '');
      return isLast ? { ...response, status: 429, body: Buffer.from('') } : response;
    };
    const before = await interrupted(post, { http: { ...host.http, send } });
    expect(before.error).toMatchObject({ kind: 'rate_limited', outcomeUnknown: false });
    await run(post, { from: before.checkpoint });
    expect(host.posts()).toHaveLength(1);
  });

  test('to the last chunk of a worker that died long ago is searched twice before another upload', async () => {
    const post = job();
    const { checkpoints } = await run(post);
    const checkpoint = checkpoints.at(-2)!;
    const at = host.now();
    host.platform.reset();
    host.advance(7 * MINUTE);
    expect(await reconciled({ checkpoint, at }, post)).toEqual({ type: 'absent' });
    const { ran, waitedMs } = await run(post, { from: checkpoint });
    expect(ran.slice(0, 3)).toEqual(['publish', 'publish', 'upload']);
    expect(waitedMs).toBeGreaterThanOrEqual(MINUTE);
  });

  test('is absent only after the channel was searched twice', async () => {
    const post = job();
    const { checkpoints } = await run(post);
    const checkpoint = checkpoints.at(-2)!;
    const at = host.now();
    host.platform.reset();
    expect(await reconciled({ checkpoint, at }, post)).toEqual({ type: 'wait', delayMs: MINUTE });
    host.advance(2 * MINUTE);
    expect(await reconciled({ checkpoint, at }, post)).toEqual({ type: 'absent' });
    const again = await run(post, { from: checkpoint });
    expect(again.ran.slice(0, 3)).toEqual(['publish', 'publish', 'upload']);
  });

  test('to the change of the privacy is read from the video', async () => {
    const post = job({}, later(15));
    host.failNext({ match: VIDEOS, method: 'PUT', drop: 'after' });
    const before = await interrupted(post);
    expect(before.error).toMatchObject({ outcomeUnknown: true });
    expect(await reconciled(before, post)).toMatchObject({ type: 'published' });
    change({ forced_private: 'at_once' });
    expect(await reconciled(before, post)).toEqual({ type: 'absent' });
  });
});

describe('a worker that is killed', () => {
  const BIG = 9 * MIB;

  test.each([false, true])('at any request leaves one complete video (scheduled: %s)', async scheduled => {
    const bytes = padded(clip, BIG);
    for (let kill = 1; kill < 9; kill += 1) {
      for (const when of ['before', 'after'] as const) {
        host.platform.reset();
        grant = await connect(host);
        const post = job({}, scheduled ? later(15) : {}, bytes);
        await runKilled(post, kill, when);
        expect(host.posts().map(({ media }) => media[0]?.sha256)).toEqual([sha256(bytes)]);
      }
    }
  });

  /** Kills the worker at its n-th request, then resumes as delivery does. */
  async function runKilled(post: PublishJob, n: number, when: 'before' | 'after'): Promise<void> {
    let count = 0;
    const send: TestSandbox['http']['send'] = async request => {
      count += 1;
      if (count === n && when === 'before') throw new Error('killed');
      const response = await host.http.send(request);
      if (count === n) throw new Error('killed');
      return response;
    };
    let checkpoint = publisher.start(post);
    const options = { onCheckpoint: (at: Checkpoint) => (checkpoint = at) };
    const dead: unknown = await run(post, { ...options, http: { ...host.http, send } }).catch(
      (why: unknown) => why,
    );
    if (!(dead instanceof Error)) return;
    const finding =
      checkpoint.step === 'publish'
        ? await reconcile(publisher, post, checkpoint, host.now(), optionsOf(host, grant))
        : null;
    if (finding?.type !== 'published') await run(post, { from: checkpoint });
  }
});

describe('an upload session', () => {
  test('that expires before the last byte is replaced, at most twice', async () => {
    const post = job({}, {}, large);
    host.failNext({ match: CHUNK, respond: { status: 404 }, times: 2 });
    await run(post);
    expect(requests(OPEN)).toHaveLength(3);
    expect(host.posts()).toHaveLength(1);
    host.failNext({ match: CHUNK, respond: { status: 410 }, times: 3 });
    await expect(run(job({}, {}, large))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('of a held video that is gone after its last byte is searched twice before another upload', async () => {
    const post = job({}, later(20));
    const checkpoints: Checkpoint[] = [];
    await run(post, { onCheckpoint: at => void checkpoints.push(at) });
    const finishing = checkpoints.find(({ state }) => state['finishing'] === true)!;
    host.platform.reset();
    const { waitedMs, ran } = await run(post, { from: finishing });
    expect(waitedMs).toBeGreaterThanOrEqual(MINUTE);
    expect(ran.slice(0, 5)).toEqual(['upload', 'upload', 'upload', 'upload', 'upload']);
    expect(host.posts()).toHaveLength(1);
  });

  test('of a held video that is forgotten is found by its file name', async () => {
    change({ forget_finished: true });
    const post = job({}, later(20));
    let finishing: Checkpoint | undefined;
    await run(post, { onCheckpoint: at => void (finishing ??= at.state['finishing'] ? at : undefined) });
    await run(post, { from: finishing! });
    expect(host.posts()).toHaveLength(1);
  });

  test('on another host is not used', async () => {
    const headers = { location: 'https://evil.example/upload' };
    host.failNext({ match: OPEN, respond: { status: 200, headers } });
    await expect(run(job())).rejects.toMatchObject({ kind: 'transient' });
  });
});

test('a checkpoint keeps the session sealed', () => {
  expect(publisher.sealed).toBe(true);
});
