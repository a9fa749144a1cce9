import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, reconcile, repeatCommit, type DriveOptions } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { BOARD, connect, jobOf } from '../../../test/support/pinterest.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { publishDespite } from '../../../test/support/survive.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, boardsOf, DEMO } from './sandbox/state.ts';

const CREATE = /\/v5\/pins$/;
const LIST = /\/pins\?page_size/;
const REGISTER = /\/v5\/media$/;
const UPLOAD = /s3-accelerate/;
const STATUS = /\/v5\/media\/\d+/;
const HOUR = 3_600_000;
const MIB = 1024 * 1024;

let host: TestSandbox;
let served: Awaited<ReturnType<typeof servedBucket>>;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, served, file] = await Promise.all([startSandboxHost(sandbox), servedBucket(), sampleFiles()]);
});
afterAll(() => Promise.all([host.close(), served.close()]));
beforeEach(async () => {
  host.advance(HOUR);
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  grant = await connect(host);
  host.traffic.length = 0;
});

const options = (): DriveOptions => ({
  credentials: grant.credentials,
  app: APP,
  http: host.http,
  media: host.media,
  bucket: served.bucket,
  now: host.now,
  advance: host.advance,
  remainingMs: () => 600_000,
});
const job = (names: string[], more: Partial<PublishJob> = {}) =>
  jobOf(host, grant, {
    media_urls: names.map((name, index) => host.addMedia(`${index}-${name}`, file(name))),
    ...more,
  });
const video = (more: Partial<PublishJob> = {}) => job(['clip.mp4'], { post_type: 'video', ...more });
const run = (post: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, post, { ...options(), ...more });
const last = () => host.posts().at(-1)!;
const live = (text: string) => host.posts().filter(post => post.text === text);
const requests = (match: RegExp, method?: string) =>
  host.traffic.filter(each => match.test(each.url) && (method ?? each.method) === each.method);
const pins = () =>
  requests(CREATE, 'POST').map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
const refusal = (status: number, code: number, message: string) => ({
  status,
  body: JSON.stringify({ code, message }),
});
const UNREACHABLE = refusal(400, 1, 'Unable to reach the URL. Please check the URL and try again.');

describe('a Pin', () => {
  test('with one image sends only the fields that have a value', async () => {
    const { post, ran } = await run(job(['photo.jpg'], { description: null }));
    expect(ran).toEqual(['images', 'publish']);
    expect(pins()).toEqual([
      { board_id: BOARD.id, media_source: { source_type: 'image_url', url: expect.any(String) } },
    ]);
    expect(post).toMatchObject({
      platform_post_id: expect.stringMatching(/^\d{18}$/),
      platform_post_url: `https://www.pinterest.com/pin/${post.platform_post_id}/`,
    });
    expect(last().media).toMatchObject([{ type: 'image/jpeg' }]);
  });

  test('with one image sends title, text, link, alt text and section', async () => {
    await run(
      job(['photo.jpg'], {
        title: 'My Pin',
        alt_texts: ['A photo'],
        options: {
          pinterest_link: 'https://www.example.com/page',
          pinterest_board_section_id: BOARD.sections[0]!.id,
        },
      }),
    );
    expect(pins()).toMatchObject([
      {
        title: 'My Pin',
        description: 'Hello',
        link: 'https://www.example.com/page',
        alt_text: 'A photo',
        board_section_id: BOARD.sections[0]!.id,
      },
    ]);
  });

  test('with two to five images is a carousel in their order, each with the link', async () => {
    const names = ['photo.jpg', 'photo.png', 'photo.jpg', 'photo.png', 'photo.jpg'];
    await run(job(names, { options: { pinterest_link: 'https://www.example.com/' } }));
    const [{ media_source }] = pins() as [{ media_source: { items: object[] } }];
    expect(media_source).toMatchObject({ source_type: 'multiple_image_urls', index: 0 });
    expect(media_source.items).toEqual(
      names.map(() => ({ url: expect.any(String), link: 'https://www.example.com/' })),
    );
    expect(last().media.map(({ type }) => type)).toEqual(
      names.map(name => (name === 'photo.jpg' ? 'image/jpeg' : 'image/png')),
    );
  });

  test('with images of different ratios is rejected before any request', async () => {
    await expect(run(job(['photo.jpg', 'tall.jpg']))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('same ratio of width to height'),
    });
    expect(pins()).toEqual([]);
  });

  test.each(['anim.gif', 'photo.webp'])('with %s sends it unchanged', async name => {
    await run(job([name]));
    expect(last().media).toMatchObject([{ size: file(name).length }]);
  });

  test('goes to the default board of the account when the post names none', async () => {
    const target = { id: BOARD.id, name: BOARD.name, attributes: {}, secrets: null };
    await run({ ...job(['photo.jpg']), options: {} }, { target });
    expect(pins()).toMatchObject([{ board_id: BOARD.id }]);
  });

  test('is created in the environment of the app', async () => {
    const app = { ...APP, environment: 'sandbox' };
    host.platform.change!('demo', { trial: true });
    grant = await connect(host, {}, app);
    await run(job(['photo.jpg'], { description: 'In the sandbox' }), { app });
    expect(live('In the sandbox')).toHaveLength(1);
    expect(requests(CREATE, 'POST')[0]!.url).toBe('https://api-sandbox.pinterest.com/v5/pins');
  });
});

describe('a video', () => {
  test('is registered, sent as one form, read until it is processed, and pinned with a cover', async () => {
    host.setProcessing({ seconds: 20 });
    const { ran, waitedMs } = await run(video({ title: 'Clip', alt_texts: ['ignored'] }));
    expect(new Set(ran)).toEqual(new Set(['video', 'publish']));
    expect(waitedMs).toBeGreaterThanOrEqual(20_000);
    expect([requests(REGISTER).length, requests(UPLOAD).length]).toEqual([1, 1]);
    expect(pins()).toEqual([
      {
        board_id: BOARD.id,
        title: 'Clip',
        description: 'Hello',
        media_source: {
          source_type: 'video_id',
          media_id: expect.stringMatching(/^\d+$/),
          cover_image_key_frame_time: 0,
        },
      },
    ]);
    expect(last()).toMatchObject({
      kind: 'video',
      media: [{ type: 'video/mp4', size: file('clip.mp4').length }],
    });
  });

  test('is sent without the token, with its length, the file last', async () => {
    await run(video());
    const [{ headers, body, method }] = requests(UPLOAD) as [(typeof host.traffic)[number]];
    expect(method).toBe('POST');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers['content-length']).toBe(String(body.length));
    expect(body.lastIndexOf('name="file"')).toBeGreaterThan(body.lastIndexOf('name="policy"'));
  });

  test('of many pieces arrives byte by byte', async () => {
    const bytes = padded(file('clip.mp4'), 20 * MIB + 5);
    await run(video({ media_urls: [host.addMedia('large.mp4', bytes)], description: 'large' }));
    expect(live('large')).toMatchObject([{ media: [{ size: bytes.length }] }]);
  });

  test('that cannot be processed is rejected', async () => {
    host.setProcessing({ outcome: 'error' });
    await expect(run(video())).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    expect(pins()).toEqual([]);
  });

  test('that Pinterest forgot is sent again, twice at most', async () => {
    const forgotten = refusal(404, 404, 'Media upload not found');
    host.failNext({ match: STATUS, respond: forgotten, times: 2 });
    await run(video({ description: 'third upload' }));
    expect([requests(UPLOAD).length, live('third upload').length]).toEqual([3, 1]);
    host.failNext({ match: STATUS, respond: forgotten, times: 3 });
    await expect(run(video())).rejects.toMatchObject({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE' });
  });

  test('whose form has expired is an interruption that names the cause', async () => {
    const body =
      '<Error><Code>AccessDenied</Code><Message>Invalid according to Policy: Policy expired.</Message></Error>';
    host.failNext({ match: UPLOAD, respond: { status: 403, body } });
    await expect(run(video())).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('Policy expired'),
    });
  });

  test('that never arrived is uploaded again', async () => {
    host.failNext({ match: UPLOAD, respond: { status: 200, body: '<html></html>' } });
    await run(video({ description: 'lost by the storage' }), { advance: ms => host.advance(ms * 60) });
    expect([requests(UPLOAD).length, live('lost by the storage').length]).toEqual([2, 1]);
  });

  test('that is processed for more than half an hour is an interruption', async () => {
    host.setProcessing({ seconds: 9 * HOUR });
    await expect(run(video(), { advance: ms => host.advance(ms * 60) })).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('30 minutes'),
    });
  });

  test('is uploaded once when creating the Pin fails', async () => {
    const post = video({ description: 'uploaded once' });
    host.failNext({ match: CREATE, respond: { status: 500 }, times: 2 });
    await publishDespite(publisher, post, options());
    expect([requests(UPLOAD).length, live('uploaded once').length]).toEqual([1, 1]);
  });
});

describe('an image that Pinterest cannot fetch', () => {
  test.each([400, 403])('is fetched three times, then sent in the request (status %s)', async status => {
    host.failNext({ match: CREATE, method: 'POST', respond: { ...UNREACHABLE, status }, times: 3 });
    await run(job(['photo.jpg'], { description: `inline ${status}` }));
    expect(live(`inline ${status}`)).toHaveLength(1);
    expect(pins().map(({ media_source }) => (media_source as { source_type: string }).source_type)).toEqual([
      'image_url',
      'image_url',
      'image_url',
      'image_base64',
    ]);
  });

  test('of a carousel is sent in the request with the others', async () => {
    host.failNext({ match: CREATE, method: 'POST', respond: UNREACHABLE, times: 3 });
    await run(job(['photo.jpg', 'photo.png'], { description: 'inline both' }));
    expect(live('inline both')[0]!.media.map(({ type }) => type)).toEqual(['image/jpeg', 'image/png']);
  });

  test('is rejected when it cannot be sent in the request', async () => {
    host.failNext({ match: CREATE, method: 'POST', respond: UNREACHABLE, times: 3 });
    await expect(run(job(['anim.gif']))).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test('because it is broken is sent in the request at once, and once', async () => {
    const broken = refusal(403, 235, 'Sorry, this image is broken. Please pick a different image.');
    host.failNext({ match: CREATE, method: 'POST', respond: broken, times: 2 });
    await expect(run(job(['photo.jpg']))).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
    expect(pins()).toHaveLength(2);
  });
});

describe('errors while the Pin is created', () => {
  const KEPT = { kind: 'rejected', code: 'PERMISSION_MISSING', keepsAccount: true };

  test.each<[NonNullable<Fault['respond']>, object]>([
    [
      refusal(400, 1, "'board_id': 'a' does not match '^\\\\d+$'"),
      { kind: 'rejected', code: 'CONTENT_REJECTED', outcomeUnknown: false },
    ],
    [refusal(400, 1, 'Whoops! It looks like you entered an invalid URL.'), { code: 'CONTENT_REJECTED' }],
    [refusal(400, 1, 'cover_image_url or cover_image_content_type'), { code: 'INTERNAL' }],
    [refusal(403, 233, 'Your image is too small.'), { kind: 'rejected', code: 'MEDIA_REJECTED' }],
    [refusal(401, 2, 'Authentication failed.'), { kind: 'token_expired', code: 'TOKEN_EXPIRED' }],
    [refusal(401, 3, 'insufficient'), { ...KEPT, keepsAccount: false }],
    [refusal(403, 3, 'insufficient'), { ...KEPT, keepsAccount: false }],
    [refusal(403, 7, 'You are not authorized'), KEPT],
    [refusal(401, 7, 'You are not authorized'), KEPT],
    [refusal(403, 29, 'You are not permitted to access that resource.'), KEPT],
    [refusal(403, 2625, 'disapproved'), KEPT],
    [refusal(403, 2626, 'under review'), KEPT],
    [refusal(404, 40, 'Board not found.'), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [refusal(404, 404, 'Pin not found.'), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [refusal(404, 2031, 'Board section not found.'), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
    [refusal(405, 5, 'Method not allowed.'), { kind: 'rejected', code: 'INTERNAL' }],
    [
      refusal(409, 409, 'Conflict'),
      { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false },
    ],
    [
      refusal(429, 8, 'Rate limit'),
      { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', retryAfterMs: undefined },
    ],
    [
      { ...refusal(429, 8, 'Rate limit'), headers: { 'x-ratelimit-reset': '90' } },
      { kind: 'rate_limited', retryAfterMs: 90_000 },
    ],
    [
      { status: 500, body: '' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 200, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
  ])('%j becomes %j', async (respond, error) => {
    host.failNext({ match: CREATE, method: 'POST', respond });
    await expect(run(job(['photo.jpg']))).rejects.toMatchObject(error);
  });

  test('for the board of another account keep this one', async () => {
    const [foreign] = boardsOf({ ...DEMO, id: '2783136121146311752' });
    const options = { pinterest_board_id: foreign!.id };
    await expect(run(job(['photo.jpg'], { options }))).rejects.toMatchObject(KEPT);
  });

  test('name trial access, and what to do about it', async () => {
    host.platform.change!('demo', { trial: true });
    await expect(run(job(['photo.jpg']))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      keepsAccount: true,
      message: expect.stringMatching(/Trial access.*environment to sandbox/s),
    });
  });

  test('other than a rate limit are not retried when that resets', async () => {
    host.platform.change!('demo', { rate_limit_reset_s: 50_000 });
    await expect(run(job(['photo.jpg'], { options: { pinterest_board_id: '1' } }))).rejects.toMatchObject({
      code: 'CONTENT_REJECTED',
      retryAfterMs: undefined,
    });
    host.setLimit({ code: 8 });
    await expect(run(job(['photo.jpg']))).rejects.toMatchObject({ retryAfterMs: 50_000_000 });
  });

  test.each([null, 90, 50_000])('as spam may be repeated twice, an hour later (reset: %s)', async reset => {
    host.platform.change!('demo', { rate_limit_reset_s: reset });
    host.setLimit({ code: 'spam' });
    await expect(run(job(['photo.jpg']))).rejects.toMatchObject({
      kind: 'transient',
      code: 'CONTENT_REJECTED',
      retryAfterMs: HOUR,
      retries: 2,
      outcomeUnknown: false,
    });
  });

  test('name the request for the support of Pinterest', async () => {
    await expect(run(job(['photo.jpg'], { options: { pinterest_board_id: '1' } }))).rejects.toMatchObject({
      message: expect.stringContaining('request 5130121023010031'),
    });
  });
});

describe('a create request whose response was lost', () => {
  const ask = (post: PublishJob, intentAt: number) =>
    reconcile(publisher, post, publisher.start(post), intentAt, options());

  test('is found by title, text, link and board', async () => {
    const post = job(['photo.jpg'], { title: 'Lost', options: { pinterest_link: 'https://e.com/' } });
    const intentAt = host.now();
    host.failNext({ match: CREATE, method: 'POST', drop: 'after' });
    await expect(run(post)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await ask(post, intentAt)).toMatchObject({
      type: 'published',
      post: { platform_post_id: last().platform_post_id, published_at: intentAt },
    });
    for (const other of [
      { title: 'Other' },
      { text: 'Other' },
      { options: { pinterest_board_id: BOARD.id } },
    ]) {
      expect(await ask({ ...post, ...other }, intentAt)).toEqual({ type: 'absent' });
    }
  });

  test('is absent when only an older Pin is equal', async () => {
    const post = job(['photo.jpg'], { description: 'seen before' });
    await run(post);
    host.advance(60_000);
    expect(await ask(post, host.now())).toEqual({ type: 'absent' });
  });

  test('is absent when the only equal Pin is that of another post', async () => {
    const post = job(['photo.jpg'], { description: 'twice' });
    await run(post);
    const { identify, asked } = allTaken();
    const found = reconcile(publisher, post, publisher.start(post), host.now(), { ...options(), identify });
    expect(await found).toEqual({ type: 'absent' });
    expect(new Set(asked)).toEqual(new Set([last().platform_post_id]));
  });

  test('is not called absent when a list is refused', async () => {
    const post = job(['photo.jpg']);
    for (const respond of [refusal(401, 3, 'no'), refusal(429, 8, 'no'), { status: 500 }]) {
      host.failNext({ match: LIST, respond });
      await expect(ask(post, host.now())).rejects.toMatchObject({ name: 'PlatformError' });
    }
  });

  test('stays in doubt when the list is refused before the request is repeated', async () => {
    const post = job(['photo.jpg'], { description: 'refused list' });
    const { checkpoints } = await run(post);
    host.failNext({ match: LIST, respond: refusal(400, 1, 'no') });
    const repeated = repeatCommit(publisher, post, checkpoints.at(-1)!, options());
    await expect(repeated).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: true });
    expect(live('refused list')).toHaveLength(1);
  });

  test('is found before it is repeated when the list lagged', async () => {
    host.platform.change!('demo', { list_lag_s: 90 });
    const post = job(['photo.jpg'], { description: 'listed late' });
    host.failNext({ match: CREATE, method: 'POST', drop: 'after' });
    const send: TestSandbox['http']['send'] = request => {
      // Two lists are read after a minute; the next attempt follows later.
      if (requests(LIST).length === 2) host.platform.change!('demo', { list_lag_s: 0 });
      return host.http.send(request);
    };
    await publishDespite(publisher, post, { ...options(), http: { ...host.http, send } });
    expect(live('listed late')).toHaveLength(1);
  });
});

describe('a Pin whose worker loses one request', () => {
  const kinds: [string, (text: string) => PublishJob][] = [
    ['image', description => job(['photo.jpg'], { description })],
    ['carousel', description => job(['photo.jpg', 'photo.png'], { description })],
    ['video', description => video({ description })],
  ];

  test.each(kinds)('of type %s is live exactly once, whichever it is', async (kind, make) => {
    await run(make(`${kind} counted`));
    const count = host.traffic.length;
    const wrong: string[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const when of ['before', 'after'] as const) {
        host.advance(HOUR);
        const text = `${kind} ${index} ${when}`;
        const http = breaking(index, when);
        const { platform_post_id } = await publishDespite(publisher, make(text), { ...options(), http });
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

describe('metrics', () => {
  const read = (ids: readonly string[], app = {}) =>
    insights.read(
      {
        http: host.http,
        account: { platform_user_id: grant.account.platform_user_id, username: 'demo', attributes: {} },
        authorize: () =>
          Promise.resolve({ credentials: grant.credentials, app: { ...APP, ...app }, target: null }),
        now: host.now,
      },
      ids,
    );

  test('are reactions, comments, saves and impressions; deleted Pins are missing', async () => {
    const { post } = await run(job(['photo.jpg']));
    host.setMetrics(post.platform_post_id, { likes: 3, comments: 2, shares: 4, views: 90 });
    expect(await read([post.platform_post_id, '1'])).toEqual(
      new Map([[post.platform_post_id, { likes: 3, comments: 2, shares: 4, views: 90 }]]),
    );
  });

  test("do not exist in Pinterest's own sandbox", async () => {
    expect(await read(['1'], { environment: 'sandbox' })).toEqual(new Map());
    expect(requests(/analytics/)).toEqual([]);
  });

  test('are not read without the permission', async () => {
    host.failNext({ match: /analytics/, respond: refusal(403, 403, 'Not authorized') });
    await expect(read(['1'])).rejects.toMatchObject({ code: 'PERMISSION_MISSING' });
  });
});
