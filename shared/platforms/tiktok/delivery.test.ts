import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { publishDespite } from '../../../test/support/survive.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/tiktok.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { DAY_LIMIT_WAIT_MS } from './errors.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

/* What happens while TikTok processes a post, and after lost responses. */

const INIT = /\/init\//;
const CONTENT = /content\/init/;
const STATUS = /status\/fetch/;
const UPLOAD = /open-upload/;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let host: TestSandbox;
let served: Awaited<ReturnType<typeof servedBucket>>;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, served, file] = await Promise.all([startSandboxHost(sandbox), servedBucket(), sampleFiles()]);
});
afterAll(() => Promise.all([host.close(), served.close()]));
beforeEach(async () => {
  host.advance(25 * HOUR);
  host.platform.reset();
  host.platform.change!('app', { rate_limits: false, posts_per_day: 1000, access_life_s: 30 * 86_400 });
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  grant = await connect(host);
  host.traffic.length = 0;
});

type More = Partial<PublishJob> & { options?: JsonObject };
const video = (more: More = {}, bytes: Buffer = file('clip.mp4')) =>
  jobOf(host, grant, { media_urls: [host.addMedia('clip.mp4', bytes)], ...more });
const photo = (more: More = {}) =>
  jobOf(host, grant, {
    post_type: 'image',
    media_urls: [host.addMedia('photo.jpg', file('photo.jpg'))],
    ...more,
  });
const draft = (more: More = {}) => video({ ...more, options: { tiktok_post_mode: 'MEDIA_UPLOAD' } });
const options = () => optionsOf(host, grant, served.bucket);
const run = (job: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, job, { ...options(), ...more });
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const live = (text: string) => host.posts().filter(post => post.text === text);
const ok = (data: string) => ({ status: 200, body: `{"data":${data},"error":{"code":"ok"}}` });

describe('a process that failed', () => {
  test.each([
    ['file_format_check_failed', 'rejected', 'MEDIA_REJECTED', undefined],
    ['duration_check_failed', 'rejected', 'MEDIA_REJECTED', undefined],
    ['frame_rate_check_failed', 'rejected', 'MEDIA_REJECTED', undefined],
    ['picture_size_check_failed', 'rejected', 'MEDIA_REJECTED', undefined],
    ['internal', 'transient', 'PLATFORM_UNAVAILABLE', MINUTE],
    ['video_pull_failed', 'transient', 'MEDIA_REJECTED', MINUTE],
    ['photo_pull_failed', 'transient', 'MEDIA_REJECTED', MINUTE],
    ['publish_cancelled', 'rejected', 'CONTENT_REJECTED', undefined],
    ['auth_removed', 'token_expired', 'TOKEN_EXPIRED', undefined],
    ['spam_risk_too_many_posts', 'rate_limited', 'PLATFORM_RATE_LIMIT', DAY_LIMIT_WAIT_MS],
    ['spam_risk_user_banned_from_posting', 'rejected', 'PERMISSION_MISSING', undefined],
    ['spam_risk_text', 'rejected', 'CONTENT_REJECTED', undefined],
    ['spam_risk', 'rejected', 'CONTENT_REJECTED', undefined],
    ['something_new', 'rejected', 'CONTENT_REJECTED', undefined],
  ])('because of %s is %s with %s', async (error, kind, code, retryAfterMs) => {
    host.setProcessing({ outcome: 'error', error });
    const message = expect.stringContaining(`(${error})`);
    await expect(run(video())).rejects.toMatchObject({ kind, code, retryAfterMs, message });
    expect(requests(INIT)).toHaveLength(1);
  });

  test.each([
    ['internal', 4, 'PLATFORM_UNAVAILABLE'],
    ['photo_pull_failed', 3, 'MEDIA_REJECTED'],
  ])('because of %s is announced %i times', async (error, times, code) => {
    host.setProcessing({ outcome: 'error', error });
    await expect(publishDespite(publisher, photo(), options())).rejects.toMatchObject({
      kind: 'rejected',
      code,
    });
    expect(requests(INIT)).toHaveLength(times);
  });

  test('once by a fault of TikTok is live after the next one, a minute later', async () => {
    host.setProcessing({ outcome: 'error', error: 'internal' });
    const send: TestSandbox['http']['send'] = request => {
      if (requests(STATUS).length === 1) host.setProcessing({ outcome: 'ok', error: null });
      return host.http.send(request);
    };
    const from = host.now();
    const job = video({ description: 'Second try' });
    await publishDespite(publisher, job, { ...options(), http: { ...host.http, send } });
    expect([live('Second try').length, requests(INIT).length]).toEqual([1, 2]);
    expect(host.now() - from).toBeGreaterThan(MINUTE);
  });
});

describe('a post that TikTok processes', () => {
  test('for more than an hour is of unknown outcome and never sent again', async () => {
    host.setProcessing({ seconds: 1e6 });
    const from = host.now();
    await expect(run(video())).rejects.toMatchObject({ kind: 'rejected', code: 'DELIVERY_UNKNOWN' });
    expect(host.now() - from).toBeGreaterThan(HOUR);
    expect(requests(INIT)).toHaveLength(1);
    expect(requests(STATUS).length).toBeLessThan(110);
  });

  test('continues with the same process after its token ended', async () => {
    host.setProcessing({ seconds: 30 });
    host.failNext({
      match: STATUS,
      respond: { status: 401, body: '{"error":{"code":"access_token_invalid","message":"x"}}' },
    });
    let stored: Checkpoint | undefined;
    const onCheckpoint = (checkpoint: Checkpoint) => void (stored = checkpoint);
    const job = video({ description: 'Renewed' });
    await expect(run(job, { onCheckpoint })).rejects.toMatchObject({ kind: 'token_expired' });
    await run(job, { from: stored! });
    expect([requests(INIT).length, live('Renewed').length]).toEqual([1, 1]);
  });

  test.each(['[]', 'null', undefined])('is live without id when the ids are %s', async ids => {
    const named = ids === undefined ? '' : `,"publicaly_available_post_id":${ids}`;
    host.failNext({ match: STATUS, respond: ok(`{"status":"PUBLISH_COMPLETE"${named}}`) });
    const { checkpoints } = await run(video({ options: { tiktok_privacy_level: 'SELF_ONLY' } }));
    const publishId = checkpoints.at(-1)!.state['publish_id'];
    host.failNext({ match: STATUS, respond: ok(`{"status":"PUBLISH_COMPLETE"${named}}`) });
    const { post } = await run(video({ options: { tiktok_privacy_level: 'SELF_ONLY' } }));
    expect(post.platform_post_id).toMatch(/^v_pub_file~/);
    expect([post.platform_post_url, publishId]).toEqual([
      'https://www.tiktok.com/@demo',
      expect.stringMatching(/^v_pub_file~/),
    ]);
  });

  test.each(['[7301234567890123456]', '["7301234567890123456"]'])(
    'has the exact id when it is sent as %s',
    async ids => {
      const data = `{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":${ids}}`;
      host.failNext({ match: STATUS, respond: ok(data) });
      expect((await run(video())).post.platform_post_id).toBe('7301234567890123456');
    },
  );
});

describe('the id of a public post', () => {
  test('replaces the id of the process once TikTok names it, hours later', async () => {
    host.platform.change!('app', { unnamed_s: 7200 });
    grant.attributes = { ...grant.attributes, scopes: 'video.publish' };
    const { post } = await run(video({ description: 'Named late' }));
    const [found] = live('Named late');
    expect(post).toMatchObject({
      platform_post_id: found!.platform_post_id,
      platform_post_url: found!.platform_post_url,
    });
    expect(requests(STATUS).length).toBeLessThan(80);
  });

  test('is taken from the list of posts after half an hour', async () => {
    host.platform.change!('app', { unnamed_s: 1e6 });
    const { post } = await run(video({ description: 'Listed' }));
    expect(post.platform_post_id).toBe(live('Listed')[0]!.platform_post_id);
    expect(requests(/video\/list/)).toHaveLength(1);
  });

  test('is given up after six hours', async () => {
    host.platform.change!('app', { unnamed_s: 1e6 });
    const { post } = await run(photo({ description: 'Never named' }));
    expect(post.platform_post_id).toMatch(/^p_pub_url~/);
    expect(post.platform_post_url).toBe('https://www.tiktok.com/@demo');
  });
});

describe('a lost response', () => {
  const lose = (match: RegExp, drop: 'before' | 'after') => host.failNext({ match, drop });

  test('to the last of several chunks is found out from the status, and sent once more where it was lost', async () => {
    const app = { ...APP, chunk_bytes: '32000000' };
    const job = video({ description: 'Two chunks' }, padded(file('clip.mp4'), 64_000_001));
    const send: TestSandbox['http']['send'] = request => {
      const puts = requests(UPLOAD).length;
      if (request.method === 'PUT' && puts >= 1) lose(UPLOAD, puts === 1 ? 'before' : 'after');
      return host.http.send(request);
    };
    const http = { ...host.http, send };
    await publishDespite(publisher, job, { ...options(), app, http });
    expect([requests(INIT).length, requests(UPLOAD).length]).toEqual([1, 3]);
    expect(live('Two chunks')).toHaveLength(1);
  });

  test('to the request for photos leaves the outcome unknown where TikTok does not list them', async () => {
    lose(CONTENT, 'after');
    const job = photo({ description: 'Lost photos' });
    await expect(publishDespite(publisher, job, options())).rejects.toThrow('cannot tell');
    expect(requests(CONTENT)).toHaveLength(1);
  });

  test('to the request for photos is found in the list where TikTok lists them', async () => {
    host.platform.change!('app', { photos_listed: true });
    lose(CONTENT, 'after');
    const job = photo({ description: 'Listed photos' });
    const { platform_post_id } = await publishDespite(publisher, job, options());
    expect(live('Listed photos').map(post => post.platform_post_id)).toEqual([platform_post_id]);
  });

  test.each([
    ['SELF_ONLY', { tiktok_privacy_level: 'SELF_ONLY' }],
    ['drafts', { tiktok_post_mode: 'MEDIA_UPLOAD' }],
  ])('to the request for photos (%s) is looked for in no list', async (_, given) => {
    const job = photo({ options: given });
    const found = await reconcile(publisher, job, publisher.start(job), host.now(), options());
    expect([found, requests(/video\/list/)]).toEqual([{ type: 'unknown' }, []]);
  });

  test('is no evidence of absence while the status cannot be read or names no bytes', async () => {
    const job = video();
    const checkpoints: Checkpoint[] = [];
    await run(job, { onCheckpoint: checkpoint => void checkpoints.push(checkpoint) });
    const before = checkpoints.findLast(({ state }) => state['accepted_at'] === null)!;
    const ask = () => reconcile(publisher, job, before, host.now(), options());
    host.failNext({ match: STATUS, respond: { status: 500 } });
    await expect(ask()).rejects.toMatchObject({ kind: 'transient' });
    host.failNext({ match: STATUS, respond: ok('{"status":"PROCESSING_UPLOAD"}') });
    expect(await ask()).toMatchObject({ type: 'wait' });
    host.failNext({ match: STATUS, respond: ok('{"status":"PROCESSING_UPLOAD","uploaded_bytes":0}') });
    expect(await ask()).toEqual({ type: 'absent' });
    expect(await ask()).toMatchObject({ type: 'published' });
  });
});

describe('a post whose worker loses one request', () => {
  const kinds: [string, (text: string) => PublishJob][] = [
    ['video', description => video({ description })],
    ['draft', description => draft({ description })],
    ['photo', description => photo({ description })],
  ];

  test.each(kinds)('of type %s is live once, or its outcome is known to be unknown', async (kind, make) => {
    host.platform.change!('app', { photos_listed: true });
    await run(make(`${kind} counted`));
    const count = host.traffic.length;
    const wrong: string[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const when of ['before', 'after'] as const) {
        host.advance(25 * HOUR);
        const text = `${kind} ${index} ${when}`;
        const before = host.posts().length;
        const http = breaking(index, when);
        const outcome = await publishDespite(publisher, make(text), { ...options(), http }).then(
          () => 1,
          () => 0,
        );
        const posts = host.posts().length - before;
        const isUnknown = kind === 'photo' && when === 'before' && outcome === 0;
        if (posts !== outcome && !isUnknown) wrong.push(`${text}: ${outcome}, live ${posts}`);
        if (outcome === 0 && !isUnknown) wrong.push(`${text}: not published`);
      }
    }
    expect(wrong).toEqual([]);
  });

  /** A client whose request with this index is dropped before or after the platform has processed it. */
  const breaking = (index: number, drop: 'before' | 'after') => {
    let sent = 0;
    const send: TestSandbox['http']['send'] = request => {
      if (sent === index) host.failNext({ drop });
      sent += 1;
      return host.http.send(request);
    };
    return { ...host.http, send };
  };
});
