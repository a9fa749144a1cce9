import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { publishDespite } from '../../../test/support/survive.ts';
import { connect, jobOf } from '../../../test/support/threads.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const CREATE = /\/me\/threads$/;
const PUBLISH = /threads_publish$/;
const LIMIT = /threads_publishing_limit/;
const LIST = /\/me\/threads\?/;
const STATUS = /fields=id%2Cstatus/;
const PERMALINK = /fields=id%2Cpermalink$/;
const HOUR = 3_600_000;

let host: TestSandbox;
let served: Awaited<ReturnType<typeof servedBucket>>;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, served, file] = await Promise.all([startSandboxHost(sandbox), servedBucket(), sampleFiles()]);
  grant = await connect(host);
});
afterAll(() => Promise.all([host.close(), served.close()]));
beforeEach(() => {
  host.advance(HOUR);
  host.platform.change!('demo', { ...DEMO_SETTINGS });
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit({ quota_usage: 0 });
  host.traffic.length = 0;
});

const DEMO_SETTINGS = {
  counting: 'weight',
  visibility_delay_s: 0,
  lost_containers: 0,
  restricted: false,
  activity_restricted: false,
};

const options = (): DriveOptions => ({
  credentials: grant.credentials,
  http: host.http,
  media: host.media,
  bucket: served.bucket,
  now: host.now,
  advance: host.advance,
  remainingMs: () => 180_000,
});
const job = (more: Partial<PublishJob> = {}) => jobOf(host, grant, more);
const run = (post: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, post, { ...options(), ...more });
const media = (names: string[], more: Partial<PublishJob> = {}) =>
  job({
    post_type: 'image',
    media_urls: names.map((name, index) => host.addMedia(`${index}-${name}`, file(name))),
    ...more,
  });
const video = (more: Partial<PublishJob> = {}) => media(['clip.mp4'], { post_type: 'video', ...more });
const last = () => host.posts().at(-1)!;
const live = (text: string) => host.posts().filter(post => post.text === text);
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const forms = (match: RegExp) =>
  requests(match).map(({ body }) => Object.fromEntries(new URLSearchParams(body.toString())));
const graphError = (code: number, more: object = {}) => ({
  status: 400,
  body: JSON.stringify({
    error: { message: 'words', type: 'OAuthException', code, fbtrace_id: 'A', ...more },
  }),
});
const NOT_FOUND = graphError(24, { error_subcode: 4279009, is_transient: false });

describe('a text post', () => {
  test('is created, read until it is finished, and published', async () => {
    const { post, ran, waitedMs } = await run(job());
    expect(ran).toEqual(['check_limit', 'container', 'container', 'publish']);
    expect(waitedMs).toBe(2000);
    expect(forms(CREATE)).toEqual([{ media_type: 'TEXT', text: 'Hello' }]);
    expect(forms(PUBLISH)).toHaveLength(1);
    expect(post.platform_post_id).toBe(last().platform_post_id);
    expect(post.platform_post_url).toMatch(/^https:\/\/www\.threads\.com\/@demo\/post\/[\w-]+$/);
  });

  test('sends token and parameters in header and form, to the profile `me`', async () => {
    await run(job());
    for (const { url, headers } of host.traffic) {
      expect(headers['authorization']).toBe(`Bearer ${grant.credentials['access_token']}`);
      expect(url).not.toContain(grant.credentials['access_token']);
    }
    const [create] = requests(CREATE);
    expect(create!.url).toBe('https://graph.threads.net/v1.0/me/threads');
    expect(create!.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  test.each([
    [{ threads_topic_tag: 'Books' }, { topic_tag: 'Books' }],
    [{ threads_reply_control: 'accounts_you_follow' }, { reply_control: 'accounts_you_follow' }],
    [{}, {}],
  ])('with the options %j sends %j', async (given, sent) => {
    await run(job({ options: given }));
    expect(forms(CREATE)).toEqual([{ media_type: 'TEXT', text: 'Hello', ...sent }]);
  });

  test('does not depend on its link: a follow-up reads that later', async () => {
    const plain = await run(job());
    expect(plain.ran).not.toContain('permalink');
    host.failNext({ match: PERMALINK, respond: { status: 500 } });
    const { post, ran } = await run(job());
    expect(ran.at(-1)).toBe('permalink');
    expect(post.platform_post_url).toBe(last().platform_post_url);
  });
});

describe('media', () => {
  test('of one image carry its alt text, the text and the topic', async () => {
    const alt_texts = ['A photo'];
    await run(media(['photo.jpg'], { alt_texts, options: { threads_topic_tag: 'Books' } }));
    expect(forms(CREATE)).toMatchObject([
      { media_type: 'IMAGE', text: 'Hello', topic_tag: 'Books', alt_text: 'A photo' },
    ]);
    expect(last()).toMatchObject({ kind: 'image', media: [{ type: 'image/jpeg' }] });
  });

  test('without a text leave it out', async () => {
    await run(media(['photo.png'], { description: null }));
    expect(forms(CREATE)[0]).not.toHaveProperty('text');
    expect(last().media).toMatchObject([{ type: 'image/png' }]);
  });

  test('of a video are published after processing', async () => {
    host.setProcessing({ seconds: 45 });
    const { waitedMs } = await run(video({ alt_texts: ['A clip'] }));
    expect(waitedMs).toBeGreaterThanOrEqual(45_000);
    expect(forms(CREATE)).toMatchObject([{ media_type: 'VIDEO', alt_text: 'A clip' }]);
    expect(last()).toMatchObject({ kind: 'video', media: [{ type: 'video/mp4' }] });
  });

  test('of a carousel carry alt texts on its items, and text and topic on the parent', async () => {
    host.setProcessing({ seconds: 10 });
    const post = media(['photo.jpg', 'photo.png', 'alpha.png'], {
      alt_texts: ['One', null, 'Three'],
      options: { threads_topic_tag: 'Books', threads_reply_control: 'mentioned_only' },
    });
    const { ran } = await run(post);
    expect([...new Set(ran)]).toEqual(['check_limit', 'items', 'container', 'publish']);
    const [first, second, third, parent] = forms(CREATE);
    expect([first, second, third]).toEqual([
      { media_type: 'IMAGE', image_url: expect.any(String), is_carousel_item: 'true', alt_text: 'One' },
      { media_type: 'IMAGE', image_url: expect.any(String), is_carousel_item: 'true' },
      { media_type: 'IMAGE', image_url: expect.any(String), is_carousel_item: 'true', alt_text: 'Three' },
    ]);
    const children = expect.stringMatching(/^\d+,\d+,\d+$/);
    const [text, topic_tag, reply_control] = ['Hello', 'Books', 'mentioned_only'];
    expect(parent).toEqual({ media_type: 'CAROUSEL', children, text, topic_tag, reply_control });
    expect(last()).toMatchObject({ kind: 'album', media: Array(3).fill({}) });
  });

  test('of ten images keep their order', async () => {
    const names = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'photo.jpg' : 'photo.png'));
    await run(media(names));
    expect(last().media.map(({ type }) => type)).toEqual(
      names.map(name => (name === 'photo.jpg' ? 'image/jpeg' : 'image/png')),
    );
  });

  test('are stored between the files of a carousel when the time runs short', async () => {
    const { ran } = await run(media(['photo.jpg', 'photo.png']), { remainingMs: () => 100_000 });
    expect(ran.filter(name => name === 'items')).toHaveLength(3);
    expect(forms(CREATE)).toHaveLength(3);
  });

  test('that are no image of Threads are rejected', async () => {
    await expect(run(media(['anim.gif']))).rejects.toMatchObject({ code: 'MEDIA_REJECTED' });
    expect(requests(CREATE)).toEqual([]);
  });
});

describe('a container', () => {
  test.each([
    ['FAILED_DOWNLOADING_VIDEO', 3, /could not download/],
    ['FAILED_PROCESSING_AUDIO', 2, /AAC/],
    ['FAILED_PROCESSING_VIDEO', 2, /could not process the file/],
    ['UNKNOWN', 2, /could not process the file \(UNKNOWN\)/],
    ['INVALID_ASPEC_RATIO', 1, /aspect ratios/],
    ['INVALID_BIT_RATE', 1, /100 Mbit/],
    ['INVALID_DURATION', 1, /5 minutes/],
    ['INVALID_FRAME_RATE', 1, /23 to 60/],
    ['FAILED_FRAME_RATE', 1, /23 to 60/],
    ['INVALID_AUDIO_CHANNELS', 1, /audio channels/],
    ['INVALID_AUDIO_CHANNEL_LAYOUT', 1, /audio channels/],
    ['INVALID_SOMETHING', 1, /requirements/],
  ])('that fails with %s is created %s times in all', async (error, times, words) => {
    host.setProcessing({ outcome: 'error', error });
    await expect(run(video())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(words),
    });
    expect(requests(CREATE)).toHaveLength(times);
  });

  test('that succeeds at the second time is published', async () => {
    host.failNext({
      match: STATUS,
      respond: { status: 200, body: '{"status":"ERROR","id":"1","error_message":"UNKNOWN"}' },
    });
    await run(video({ description: 'second time' }));
    expect(live('second time')).toHaveLength(1);
  });

  test('whose image cannot be fetched is created three times', async () => {
    const refused = graphError(9004, { error_subcode: 2207052 });
    host.failNext({ match: CREATE, respond: refused, times: 3 });
    await expect(run(media(['photo.jpg']))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('could not fetch'),
    });
    expect(requests(CREATE)).toHaveLength(3);
    host.failNext({ match: CREATE, respond: refused, times: 2 });
    await run(media(['photo.jpg'], { description: 'third time' }));
    expect(live('third time')).toHaveLength(1);
  });

  test('that expired is created anew', async () => {
    host.failNext({ match: STATUS, respond: { status: 200, body: '{"status":"EXPIRED","id":"1"}' } });
    await run(job());
    expect(requests(CREATE)).toHaveLength(2);
  });

  test.each([NOT_FOUND, graphError(100, { error_subcode: 33 })])(
    'that is not visible yet is waited for (%j)',
    async respond => {
      host.failNext({ match: STATUS, respond, times: 3 });
      await run(job());
      expect(requests(CREATE)).toHaveLength(1);
    },
  );

  test('that is never finished is given up after half an hour, twice', async () => {
    host.setProcessing({ seconds: 5 * HOUR });
    await expect(run(video(), { advance: ms => host.advance(ms * 30) })).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('30 minutes'),
    });
    expect(requests(CREATE)).toHaveLength(2);
  });
});

describe('publishing', () => {
  test('waits until the container is visible', async () => {
    host.platform.change!('demo', { visibility_delay_s: 9 });
    await run(job({ description: 'visible late' }));
    expect(live('visible late')).toHaveLength(1);
    expect([requests(CREATE).length, requests(PUBLISH).length]).toEqual([1, 3]);
  });

  test('creates new containers when a finished one is lost for good', async () => {
    host.platform.change!('demo', { lost_containers: 1 });
    await run(media(['photo.jpg', 'photo.png'], { description: 'lost once' }));
    expect(live('lost once')).toHaveLength(1);
    expect([requests(CREATE).length, requests(PUBLISH).length]).toEqual([6, 5]);
  });

  test('fails when containers are lost again and again', async () => {
    host.platform.change!('demo', { lost_containers: 99 });
    await expect(run(job())).rejects.toMatchObject({ kind: 'rejected', code: 'PLATFORM_UNAVAILABLE' });
    expect([requests(CREATE).length, requests(PUBLISH).length]).toEqual([4, 16]);
  });

  test('waits an hour when the account has used up its 250 posts', async () => {
    host.setLimit({ quota_usage: 250 });
    const limited = { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: HOUR };
    await expect(run(job())).rejects.toMatchObject({ ...limited, limit: 250 });
    expect(requests(CREATE)).toEqual([]);
    host.failNext({ match: LIMIT, respond: { status: 500 } });
    await expect(run(job())).rejects.toMatchObject({ ...limited, outcomeUnknown: false });
  });

  test('does not need the limit to be readable', async () => {
    for (const respond of [graphError(10), { status: 200, body: '{"data":[]}' }]) {
      host.failNext({ match: LIMIT, respond });
      await run(job());
    }
  });

  test('is denied for a user that Threads has restricted', async () => {
    host.platform.change!('demo', { restricted: true });
    await expect(run(job())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      outcomeUnknown: false,
      keepsAccount: true,
      message: expect.stringContaining('open the Threads app'),
    });
  });
});

describe('errors while a container is created', () => {
  test.each([
    [graphError(1), { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' }],
    [graphError(2), { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' }],
    [
      { status: 500, body: '<html>' },
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE' },
    ],
    [graphError(4), { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: HOUR }],
    [graphError(9), { kind: 'rate_limited', retryAfterMs: HOUR }],
    [graphError(17), { kind: 'rate_limited', retryAfterMs: HOUR }],
    [graphError(613), { kind: 'rate_limited', retryAfterMs: HOUR }],
    [graphError(80002), { kind: 'rate_limited', retryAfterMs: HOUR }],
    [
      { status: 429, body: '' },
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' },
    ],
    [graphError(10), { kind: 'rejected', code: 'PERMISSION_MISSING', outcomeUnknown: false }],
    [graphError(190, { message: 'Failed to decode' }), { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    [graphError(190, { error_subcode: 463 }), { kind: 'token_expired' }],
    [graphError(100, { message: "text can't be blank" }), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [
      graphError(100, { message: 'THREADS_API__LINK_LIMIT_EXCEEDED' }),
      { code: 'CONTENT_REJECTED', message: expect.stringContaining('remove some') },
    ],
    [
      graphError(100, { message: 'THREADS_API__FEATURE_NOT_AVAILABLE' }),
      { kind: 'rejected', code: 'CONTENT_REJECTED' },
    ],
    [graphError(100, { message: 'THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES' }), { kind: 'rejected' }],
    [graphError(100, { error_subcode: 4279047 }), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [graphError(4, { error_subcode: 2207051 }), { kind: 'rate_limited', retryAfterMs: 23 * HOUR }],
    [graphError(10, { error_subcode: 4279013 }), { kind: 'rejected', code: 'PERMISSION_MISSING' }],
  ] as [NonNullable<Fault['respond']>, object][])('%j becomes %j', async (respond, error) => {
    host.failNext({ match: CREATE, respond });
    await expect(run(job())).rejects.toMatchObject(error);
  });

  test('never contain the token', async () => {
    const token = grant.credentials['access_token']!;
    host.failNext({ match: CREATE, respond: graphError(190, { message: `Cannot parse ${token}` }) });
    await expect(run(job())).rejects.toMatchObject({ message: expect.not.stringContaining(token) });
  });
});

describe('a text whose length Threads counts in bytes', () => {
  const curly = `${'a '.repeat(247)}\u2019\u2019\u2019\u2019`;
  beforeEach(() => void host.platform.change!('demo', { counting: 'bytes' }));

  test('is rejected with a message that names the signs', async () => {
    await expect(run(job({ description: curly, text: curly }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: expect.stringMatching(/curly apostrophe/),
    });
    expect(requests(CREATE)).toHaveLength(1);
  });

  test('is cut once more with auto_truncate, and found by the cut text', async () => {
    const post = job({ description: curly, text: curly, auto_truncate: true });
    let checkpoint: Checkpoint = publisher.start(post);
    host.failNext({ match: PUBLISH, drop: 'after' });
    await expect(run(post, { onCheckpoint: at => (checkpoint = at) })).rejects.toThrow();
    expect(requests(CREATE)).toHaveLength(2);
    const { text } = last();
    expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(500);
    expect(text).toMatch(/…$/);
    expect(await reconcile(publisher, post, checkpoint, host.now(), options())).toMatchObject({
      type: 'published',
      post: { platform_post_id: last().platform_post_id },
    });
  });
});

describe('a publish request of unknown outcome', () => {
  const lost = async (post: PublishJob, fault: Fault) => {
    let checkpoint: Checkpoint = publisher.start(post);
    host.failNext(fault);
    await expect(run(post, { onCheckpoint: at => (checkpoint = at) })).rejects.toMatchObject({
      outcomeUnknown: true,
    });
    return checkpoint;
  };
  const ask = (post: PublishJob, checkpoint: Checkpoint, intentAt = host.now()) =>
    reconcile(publisher, post, checkpoint, intentAt, options());

  test.each([
    ['text', () => job({ description: 'lost text' })],
    ['image', () => media(['photo.jpg'], { description: 'lost image' })],
    ['video', () => video({ description: 'lost video' })],
    ['carousel', () => media(['photo.jpg', 'photo.png'], { description: '' })],
  ])('is found for a post of type %s', async (_, make) => {
    const post = make();
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    expect(await ask(post, checkpoint)).toEqual({
      type: 'published',
      post: {
        platform_post_id: last().platform_post_id,
        platform_post_url: last().platform_post_url,
        published_at: Date.parse(last().published_at),
      },
    });
  });

  test('is not that of another post of the account', async () => {
    const post = job({ description: 'twice' });
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    const { identify, asked } = allTaken();
    const at = host.now();
    const again = () => reconcile(publisher, post, checkpoint, at, { ...options(), identify });
    expect(await again()).toMatchObject({ type: 'wait' });
    expect(asked).toEqual([last().platform_post_id]);
    host.advance(6 * 60_000);
    expect(await again()).toMatchObject({ type: 'published', post: { platform_post_id: 'unknown' } });
  });

  test.each([
    ['code 1 with status 500', { ...graphError(1), status: 500 }],
    ['code 2', graphError(2)],
    ['code 10', graphError(10)],
    ['code 10 with status 502', { ...graphError(10), status: 502 }],
    ['subcode 2207051', graphError(4, { error_subcode: 2207051 })],
    ['a page of a proxy', { status: 502, body: '<html>' }],
    ['a success without an id', { status: 200, body: '{}' }],
  ])('after %s is absent when the container is still finished', async (_, respond) => {
    const post = job();
    const checkpoint = await lost(post, { match: PUBLISH, respond });
    expect(await ask(post, checkpoint)).toEqual({ type: 'absent' });
  });

  test('is published when the container is read as a post', async () => {
    const post = job({ description: 'turned' });
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    const message = '(#100) Tried accessing nonexisting field (status) on node type (ThreadsMedia)';
    host.failNext({ match: STATUS, respond: graphError(100, { type: 'THApiException', message }) });
    expect(await ask(post, checkpoint)).toMatchObject({ type: 'published' });
  });

  test('is looked up in the list when the container is gone', async () => {
    const post = job({ description: 'gone' });
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    host.failNext({ match: STATUS, respond: NOT_FOUND, times: 2 });
    expect(await ask(post, checkpoint)).toMatchObject({ type: 'published' });
    host.failNext({ match: LIST, respond: { status: 200, body: '{"data":[]}' } });
    expect(await ask(post, checkpoint)).toEqual({ type: 'absent' });
  });

  test('is live under the address of the profile when the list never shows it', async () => {
    const post = job({ description: 'unlisted' });
    const intentAt = host.now();
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    host.failNext({ match: LIST, respond: { status: 200, body: '{"data":[]}' }, times: 2 });
    expect(await ask(post, checkpoint, intentAt)).toEqual({ type: 'wait', delayMs: 30_000 });
    host.advance(300_000);
    expect(await ask(post, checkpoint, intentAt)).toEqual({
      type: 'published',
      post: {
        platform_post_id: 'unknown',
        platform_post_url: 'https://www.threads.com/@demo',
        published_at: intentAt,
      },
    });
  });

  test.each([STATUS, LIST])('is not called absent when a read (%s) is refused', async match => {
    const post = job({ description: 'unreadable' });
    const checkpoint = await lost(post, { match: PUBLISH, drop: 'after' });
    for (const respond of [graphError(10), graphError(4), { status: 500 }, { status: 200, body: '<html>' }]) {
      host.failNext({ match, respond });
      await expect(ask(post, checkpoint)).rejects.toMatchObject({ name: 'PlatformError' });
    }
  });

  test('is not confused with an older post of the same text', async () => {
    const post = job({ description: 'same words' });
    await run(post);
    host.advance(60_000);
    const again = job({ description: 'same words' });
    const checkpoint = await lost(again, { match: PUBLISH, drop: 'before' });
    host.failNext({ match: STATUS, respond: NOT_FOUND });
    expect(await ask(again, checkpoint)).toEqual({ type: 'absent' });
  });

  test('is believed to be a refusal at the second time', async () => {
    host.failNext({ match: PUBLISH, respond: graphError(10), times: 2 });
    await expect(publishDespite(publisher, job(), options())).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      outcomeUnknown: false,
    });
    expect(requests(PUBLISH)).toHaveLength(2);
  });

  test('whose repetition does not find the container is found in the list', async () => {
    const post = job({ description: 'used up' });
    host.failNext({ match: PUBLISH, drop: 'after' });
    host.failNext({
      match: STATUS,
      respond: { status: 200, body: '{"status":"FINISHED","id":"1"}' },
      times: 2,
    });
    host.failNext({ match: PUBLISH, respond: NOT_FOUND });
    const { platform_post_id } = await publishDespite(publisher, post, options());
    expect(live('used up').map(each => each.platform_post_id)).toEqual([platform_post_id]);
  });
});

describe('a post whose worker loses one request', () => {
  const kinds: [string, (text: string) => PublishJob][] = [
    ['text', description => job({ description })],
    ['image', description => media(['photo.jpg'], { description })],
    ['carousel', description => media(['photo.jpg', 'photo.png'], { description })],
  ];

  test.each(kinds)('of type %s is live exactly once, whichever it is', async (kind, make) => {
    await run(make(`${kind} counted`));
    const count = host.traffic.length;
    expect(count).toBeGreaterThan(4);
    const wrong: string[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const when of ['before', 'after'] as const) {
        host.advance(HOUR);
        const text = `${kind} ${index} ${when}`;
        const { platform_post_id } = await publishDespite(publisher, make(text), {
          ...options(),
          http: breaking(index, when),
        });
        const ids = live(text).map(each => each.platform_post_id);
        if (ids.join() !== platform_post_id) wrong.push(`${text}: ${platform_post_id}, live ${ids.join()}`);
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
