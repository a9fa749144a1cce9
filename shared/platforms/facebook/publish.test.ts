import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive, reconcile } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { connectPage, deliver, jobOf, optionsOf } from '../../../test/support/facebook.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { HOUR, MINUTE } from '../../time/instant.ts';
import type { Target } from '../contract/connector.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const PAGE = '102938475610293';
const FEED = /\/feed\b/;
const PHOTOS = /\/photos\b/;
const CODE_2 = JSON.stringify({
  error: { code: 2, message: 'Service temporarily unavailable', type: 'OAuthException' },
});

let host: TestSandbox;
let bucket: TestBucket;
let grant: AnyGrant;
let target: Target;
let jpegs: Buffer[];
let count = 0;

beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  bucket = await createTestBucket();
  const colors = ['teal', 'red', 'blue'];
  jpegs = await Promise.all(
    colors.map(background =>
      sharp({ create: { width: 60, height: 40, channels: 3, background } })
        .jpeg()
        .toBuffer(),
    ),
  );
});
afterAll(async () => {
  await host.close();
  await bucket.close();
});
beforeEach(async () => {
  host.advance(HOUR);
  host.setLimit(null);
  host.platform.reset();
  ({ grant, target } = await connectPage(host));
  host.traffic.length = 0;
});

const options = () => optionsOf(host, grant, target, bucket);
const job = (more: Partial<PublishJob> = {}) =>
  jobOf(host, grant, { description: `Hello ${(count += 1)}`, ...more });
const images = (number: number, more: Partial<PublishJob> = {}) =>
  job({
    post_type: 'image',
    media_urls: jpegs.slice(0, number).map((bytes, index) => host.addMedia(`p${index}.jpg`, bytes)),
    ...more,
  });
const run = (post: PublishJob, more = {}) => drive(publisher, post, { ...options(), ...more });
const live = () => host.posts().filter(({ platform }) => platform === 'facebook');
const last = () => live().at(-1)!;
const requests = (match: RegExp, method = 'POST') =>
  host.traffic.filter(each => each.method === method && match.test(each.url));
const fail = (respond: NonNullable<Fault['respond']>, match = FEED) =>
  host.failNext({ match, method: 'POST', respond });

describe('a text post', () => {
  test('is one request with the token of the Page and its proof', async () => {
    const before = live().length;
    const { post, ran } = await run(job({ description: 'Hello <world> & all' }));
    expect(ran).toEqual(['publish']);
    expect(live()).toHaveLength(before + 1);
    expect(post).toEqual({
      platform_post_id: expect.stringMatching(new RegExp(`^${PAGE}_\\d+$`)),
      platform_post_url: expect.stringContaining('https://www.facebook.com/'),
      published_at: host.now(),
    });
    expect(last()).toMatchObject({ account: PAGE, text: 'Hello <world> & all', kind: 'text' });
    const [request] = requests(FEED);
    expect(request!.headers['authorization']).toBe(`Bearer ${target.secrets!['access_token'] as string}`);
    expect(request!.url).toContain('appsecret_proof=');
    expect(request!.body.toString()).toBe('message=Hello+%3Cworld%3E+%26+all&published=true');
  });

  test.each([
    ['See https://example.com/a?b=1 and https://other.example', 'https://example.com/a?b=1'],
    ['See example.com', undefined],
    ['See https://www.facebook.com/me', undefined],
    ['See https://fb.watch/abc', undefined],
    ['No link', undefined],
  ])('shows a preview of the first link: %s', async (description, link) => {
    await run(job({ description }));
    expect(last().fields['link']).toBe(link);
  });

  test.each([
    ['cannot be read', { code: 1609005 }],
    ['is not valid', { code: 1500 }],
    ['cannot be shared', { code: 200, error_subcode: 1609008 }],
  ])('is published without a preview where the link %s', async (_, error) => {
    fail({ status: 400, body: JSON.stringify({ error: { message: 'no', ...error } }) });
    const { ran } = await run(job({ description: 'See https://example.com/' }));
    expect(ran).toEqual(['publish', 'publish']);
    expect(last()).toMatchObject({ text: 'See https://example.com/', fields: { published: 'true' } });
    expect(last().fields['link']).toBeUndefined();
  });

  test('goes to the Page that is chosen only', async () => {
    await expect(run(job(), { target: null })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('No Facebook Page is chosen'),
    });
  });

  test.each([
    ['the password was changed', 460, 'token_expired'],
    ['the app was removed', 458, 'token_expired'],
    ['the user lost the role', 492, 'token_expired'],
    ['the token expired', 463, 'token_expired'],
  ])('fails when %s', async (_, error_subcode, kind) => {
    host.platform.change!('demo', { error_subcode });
    await expect(run(job())).rejects.toMatchObject({ kind, outcomeUnknown: false });
  });

  test('fails when the permission was withdrawn', async () => {
    host.platform.change!('demo', { without: ['pages_manage_posts'] });
    await expect(run(job())).rejects.toMatchObject({ kind: 'rejected', code: 'PERMISSION_MISSING' });
  });

  test.each([
    [{ code: 80001, minutes: 19 }, 19 * MINUTE],
    [{ code: 32 }, HOUR],
    [{ code: 368 }, 23 * HOUR],
  ])('waits for the limit %j', async (limit, retryAfterMs) => {
    host.setLimit(limit);
    await expect(run(job())).rejects.toMatchObject({ kind: 'rate_limited', retryAfterMs });
  });

  test('is refused as a duplicate of the post before', async () => {
    const post = job();
    await run(post);
    await expect(run(post)).rejects.toMatchObject({ kind: 'rejected', code: 'DUPLICATE_REJECTED' });
  });

  test('that was lost and is now a duplicate is found', async () => {
    const post = job();
    const { post: first } = await run(post);
    const [step] = publisher.plan(post);
    const context = { ...contextOf(post, options()), repeatedAfterLoss: true };
    expect(await step!.run(context, publisher.start(post))).toMatchObject({
      type: 'published',
      post: { platform_post_id: first.platform_post_id },
    });
    host.platform.change!('app', { feed_delay_ms: HOUR });
    await expect(step!.run(context, publisher.start(post))).rejects.toMatchObject({
      code: 'DELIVERY_UNKNOWN',
    });
  });
});

describe('a photo', () => {
  test('is published with its text', async () => {
    const { post, ran } = await run(images(1, { description: 'A photo', alt_texts: ['A teal square'] }));
    expect(ran).toEqual(['host_photos', 'host_photos', 'publish']);
    expect(post.platform_post_id).toMatch(new RegExp(`^${PAGE}_`));
    expect(post.platform_post_url).toContain('/posts/');
    expect(last()).toMatchObject({
      kind: 'image',
      fields: { caption: 'A photo', published: 'true', alt_text_custom: 'A teal square' },
      media: [{ type: 'image/jpeg', width: 60, height: 40 }],
    });
    expect(last().fields['message']).toBeUndefined();
  });

  test('is converted where Facebook does not accept it', async () => {
    const webp = await sharp(jpegs[0]).webp().toBuffer();
    await run(images(1, { media_urls: [host.addMedia('a.webp', webp)] }));
    expect(last().media).toMatchObject([{ type: 'image/jpeg' }]);
  });

  test('is live although its permalink cannot be read', async () => {
    host.failNext({ match: /fields=permalink_url/, respond: { status: 500, body: CODE_2 } });
    const { post } = await run(images(1));
    expect(post.platform_post_url).toBe(`https://www.facebook.com/${post.platform_post_id}`);
  });

  test('that Facebook cannot read is rejected with its words', async () => {
    const user_msg = 'Photos should be less than 4 MB';
    fail(
      {
        status: 400,
        body: JSON.stringify({ error: { code: 100, error_subcode: 1366046, error_user_msg: user_msg } }),
      },
      PHOTOS,
    );
    await expect(run(images(1))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining(user_msg),
    });
  });
});

describe('several photos', () => {
  test('are uploaded unpublished and attached in order', async () => {
    const before = live().length;
    const { ran } = await run(images(3, { alt_texts: ['One', null, 'Three'] }));
    expect(ran.filter(step => step === 'stage_photos')).toHaveLength(4);
    const staged = requests(PHOTOS).map(({ body }) => new URLSearchParams(body.toString()));
    expect(staged.map(form => form.get('published'))).toEqual(['false', 'false', 'false']);
    expect(staged.map(form => form.get('caption'))).toEqual([null, null, null]);
    const ids = requests(PHOTOS).map(({ response }) => (JSON.parse(response) as { id: string }).id);
    const form = new URLSearchParams(requests(FEED)[0]!.body.toString());
    expect([0, 1, 2].map(index => form.get(`attached_media[${index}]`))).toEqual(
      ids.map(id => JSON.stringify({ media_fbid: id })),
    );
    expect(live()).toHaveLength(before + 1);
    expect(last()).toMatchObject({
      kind: 'album',
      media: [{}, {}, {}],
      fields: { alt_texts: ['One', null, 'Three'] },
    });
  });

  test('are uploaded once, although the post fails twice', async () => {
    const before = live().length;
    for (let times = 0; times < 2; times += 1) fail({ status: 500, body: CODE_2 });
    await deliver(images(3), options());
    expect(requests(PHOTOS)).toHaveLength(3);
    expect(live()).toHaveLength(before + 1);
  });

  test('are uploaded again after a day, because Facebook has deleted them', async () => {
    const post = images(2);
    let checkpoint = publisher.start(post);
    const stop = new Error('stop');
    const untilPublish = (each: typeof checkpoint) => {
      checkpoint = each;
      if (each.step === 'publish') throw stop;
    };
    await expect(run(post, { onCheckpoint: untilPublish })).rejects.toBe(stop);
    host.advance(23 * HOUR);
    await run(post, { from: checkpoint });
    expect(requests(PHOTOS)).toHaveLength(4);
  });

  test('are deleted when the post is abandoned', async () => {
    const post = images(2);
    let checkpoint = publisher.start(post);
    fail({ status: 400, body: '{"error":{"code":100,"message":"no"}}' });
    await expect(
      run(post, { onCheckpoint: (each: typeof checkpoint) => void (checkpoint = each) }),
    ).rejects.toMatchObject({
      kind: 'rejected',
    });
    await publisher.discard!(contextOf(post, options()), checkpoint);
    const deleted = requests(/graph/, 'DELETE').map(({ url, status }) => [
      /\/(\d+)\?/.exec(url)?.[1],
      status,
    ]);
    expect(deleted).toEqual((checkpoint.state['staged'] as string[]).map(id => [id, 200]));
  });
});

describe('a commit whose response was lost', () => {
  const finding = (post: PublishJob, intentAt: number) =>
    reconcile(publisher, post, publisher.start(post), intentAt, options());

  test('is found by its text', async () => {
    const post = job({ description: 'Two  lines\nand spaces' });
    const at = host.now();
    fail({ status: 500, body: CODE_2 });
    await expect(run(post)).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
    expect(await finding(post, at)).toEqual({ type: 'wait', delayMs: MINUTE });
    const { post: published } = await run(post);
    expect(await finding(post, at)).toMatchObject({
      type: 'published',
      post: { platform_post_id: published.platform_post_id, platform_post_url: published.platform_post_url },
    });
  });

  test('is not found in a post of another text or time', async () => {
    const post = job();
    await run(job({ description: 'Another text' }));
    await run(post);
    host.advance(10 * MINUTE);
    expect(await finding(post, host.now())).toEqual({ type: 'wait', delayMs: MINUTE });
  });

  test('is found also where an earlier request shows only after its repetition', async () => {
    const post = job({ due_at: host.now() });
    await run(post);
    host.advance(10 * MINUTE);
    const from = publisher.start(post);
    const repeated = { ...options(), repeatedAfterLoss: true };
    expect(await reconcile(publisher, post, from, host.now(), repeated)).toMatchObject({
      type: 'published',
      post: { platform_post_id: last().platform_post_id },
    });
  });

  test('is not that of another post of the Page', async () => {
    const post = job({ description: 'Twice' });
    const at = host.now();
    await run(post);
    host.advance(3 * MINUTE);
    const { identify, asked } = allTaken();
    const found = reconcile(publisher, post, publisher.start(post), at, { ...options(), identify });
    expect(await found).toEqual({ type: 'absent' });
    expect(asked).toEqual([last().platform_post_id]);
  });

  test('is absent only after several readings', async () => {
    const at = host.now();
    host.advance(MINUTE);
    const post = job();
    expect(await finding(post, at)).toEqual({ type: 'wait', delayMs: MINUTE });
    host.advance(MINUTE);
    expect(await finding(post, at)).toEqual({ type: 'wait', delayMs: MINUTE });
    host.advance(MINUTE);
    expect(await finding(post, at)).toEqual({ type: 'absent' });
  });

  test('is live once although the feed shows it a minute later', async () => {
    const before = live().length;
    host.platform.change!('app', { feed_delay_ms: 90_000 });
    host.failNext({ match: FEED, method: 'POST', drop: 'after' });
    const result = await deliver(job(), options());
    expect(live()).toHaveLength(before + 1);
    expect(result).toMatchObject({ platform_post_id: last().platform_post_id });
  });

  test.each([
    ['the permission to read is missing', { without: ['pages_read_user_content'] }],
    ['no permission is left', { without: ['pages_read_user_content', 'pages_manage_posts'] }],
  ])('has an unknown outcome where %s', async (_, change) => {
    host.platform.change!('demo', change);
    host.advance(HOUR);
    expect(await finding(job(), host.now() - HOUR)).toEqual({ type: 'unknown' });
  });

  test('has an unknown outcome where another Page was chosen meanwhile', async () => {
    const post = images(2);
    const from = { step: 'publish', state: { ...publisher.start(post).state, page_id: '1' } };
    const at = host.now() - HOUR;
    expect(await reconcile(publisher, post, from, at, options())).toEqual({ type: 'unknown' });
  });

  test.each([0, 5])(
    'is looked for again where Facebook refuses to show the posts %i minutes later',
    async minutes => {
      const at = host.now() - minutes * MINUTE;
      host.failNext({ match: /published_posts/, respond: { status: 400, body: '{}' } });
      expect(await finding(job(), at)).toEqual({ type: 'wait', delayMs: MINUTE });
      host.advance(3 * MINUTE);
      expect(await finding(job(), at)).toEqual({ type: 'absent' });
    },
  );

  test('is read again where Facebook does not answer', async () => {
    host.failNext({ match: /published_posts/, respond: { status: 500, body: CODE_2 } });
    await expect(finding(job(), host.now())).rejects.toMatchObject({ kind: 'transient' });
  });
});

describe('a fault at any request', () => {
  test.each(['text', 'one photo', 'two photos'])('leaves one post of %s', async kind => {
    const make = () => (kind === 'text' ? job() : images(kind === 'one photo' ? 1 : 2));
    await run(make());
    const number = host.traffic.length;
    for (const drop of ['before', 'after'] as const) {
      for (let index = 0; index < number; index += 1) {
        host.advance(HOUR);
        const before = live().length;
        let seen = 0;
        const target = { test: () => (seen += 1) === index + 1 } as unknown as RegExp;
        host.failNext({ match: target, drop });
        const post = await deliver(make(), options());
        expect([drop, index, live().length]).toEqual([drop, index, before + 1]);
        expect(post).toMatchObject({ platform_post_id: last().platform_post_id });
      }
    }
  });
});

describe('the first comment', () => {
  test('is posted by the Page', async () => {
    const { ran } = await run(job({ first_comment: 'First!' }));
    expect(ran).toEqual(['publish', 'first_comment']);
    expect(last().comments).toEqual([{ id: expect.any(String), text: 'First!' }]);
  });

  test.each([true, false])('whose response was lost is looked for (sent: %s)', async isSent => {
    const post = job({ first_comment: 'First!' });
    const { post: published, checkpoints } = await run({ ...post, first_comment: null });
    const [followUp] = publisher.followUps(post);
    const context = contextOf(post, options());
    let state = followUp!.start(checkpoints.at(-1)!.state);
    const chosen = await followUp!.run(context, state, published);
    if (chosen.type !== 'again') throw new Error('The target of the comment is not stored');
    state = chosen.state;
    host.failNext({ match: /\/comments/, method: 'POST', drop: isSent ? 'after' : 'before' });
    await expect(followUp!.run(context, state, published)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await followUp!.reconcile!(context, state, published, host.now())).toEqual({
      type: isSent ? 'done' : 'absent',
    });
  });

  test.each(['text', 'image'] as const)(
    'of a new %s post waits until Facebook shows the post',
    async kind => {
      host.platform.change!('app', { hidden_ms: 30_000 });
      const post = { ...(kind === 'text' ? job() : images(1)), first_comment: 'First!' };
      const later = { kind: 'transient', code: 'PLATFORM_UNAVAILABLE', outcomeUnknown: false };
      await expect(run(post)).rejects.toMatchObject(later);
      expect(last().comments).toEqual([]);
    },
  );

  test('is denied without its permission', async () => {
    host.platform.change!('demo', { without: ['pages_manage_engagement'] });
    await expect(run(job({ first_comment: 'First!' }))).rejects.toMatchObject({ code: 'PERMISSION_MISSING' });
  });
});
