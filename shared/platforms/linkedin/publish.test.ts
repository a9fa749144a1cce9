import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import sharp from 'sharp';
import { filesOfFormats } from '../../../test/support/formats.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import {
  COMMUNITY_APP,
  connect,
  jobOf,
  optionsOf,
  PAGE,
  SELF_SERVE_APP,
} from '../../../test/support/linkedin.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { fakeVideo } from '../../../test/support/x.ts';
import type { Checkpoint } from '../../model/destination.ts';
import { MINUTE } from '../../time/instant.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const MIB = 1024 * 1024;
const CREATE = /\/rest\/posts$/;
const PART = /\/uploaded-video\//;
const PICTURE = /\/uploaded-file\//;
const MENTION = '@[Demo Company](urn:li:organization:2414183)';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let host: TestSandbox;
let grant: AnyGrant;
let jpeg: Buffer;
let pdf: Buffer;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  jpeg = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  pdf = (await filesOfFormats()).PDF;
});
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  grant = await connect(host);
});

const job = (more: Partial<PublishJob> = {}) => jobOf(host, grant, more);
const run = (post: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, post, { ...optionsOf(host, grant), ...more });
const reconcileAt = (post: PublishJob, more: Partial<DriveOptions> = {}, intentAt = host.now()) =>
  reconcile(publisher, post, publisher.start(post), intentAt, { ...optionsOf(host, grant), ...more });
const images = (files: Buffer[], more: Partial<PublishJob> = {}) =>
  job({ post_type: 'image', media_urls: files.map((bytes, n) => host.addMedia(`p${n}`, bytes)), ...more });
const video = (bytes: Buffer, more: Partial<PublishJob> = {}) =>
  job({ post_type: 'video', media_urls: [host.addMedia('clip.mp4', bytes)], ...more });
const last = () => host.posts().at(-1)!;
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const change = (settings: Record<string, unknown>) => host.platform.change?.('app', settings as never);

describe('a text post', () => {
  test('is one request with all its fields', async () => {
    const description = `Version 2 (beta) for ${MENTION} #go_on`;
    const options = { linkedin_visibility: 'CONNECTIONS', linkedin_disable_reshare: true };
    const { post, ran } = await run(job({ description, options }));
    expect(ran).toEqual(['publish']);
    expect(post.platform_post_id).toMatch(/^urn:li:share:\d{19}$/);
    expect(post.platform_post_url).toBe(`https://www.linkedin.com/feed/update/${post.platform_post_id}/`);
    expect(last()).toMatchObject({
      text: 'Version 2 (beta) for Demo Company #go_on',
      fields: {
        author: 'urn:li:person:782bbtaQ',
        commentary: String.raw`Version 2 \(beta\) for ${MENTION} {hashtag|\#|go\_on}`,
        visibility: 'CONNECTIONS',
        distribution: {
          feedDistribution: 'MAIN_FEED',
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        lifecycleState: 'PUBLISHED',
        isReshareDisabledByAuthor: true,
        mentions: ['urn:li:organization:2414183'],
      },
    });
    expect(last().fields).not.toHaveProperty('content');
  });

  test('is public and may be reposted by default', async () => {
    await run(job());
    expect(last().fields).toMatchObject({ visibility: 'PUBLIC', isReshareDisabledByAuthor: false });
  });

  test('of an organization has it as its author', async () => {
    await run(job(), { target: PAGE });
    expect(last()).toMatchObject({ account: PAGE.id, fields: { author: PAGE.id, visibility: 'PUBLIC' } });
  });

  test('is published whether LinkedIn cuts or refuses an unescaped character', async () => {
    change({ unescaped: 'refuse' });
    const description = String.raw`\|{}@[]()<>#*_~ #a @x`;
    await run(job({ description }));
    expect(last().text).toBe(description);
  });

  test('is published with either type of URN', async () => {
    change({ swapped_urns: true });
    const { post } = await run(job());
    expect(post.platform_post_id).toMatch(/^urn:li:ugcPost:\d{19}$/);
  });

  test('fails before the first request without the permission to post as its author', async () => {
    const narrow = { ...grant, attributes: { ...grant.attributes, scopes: 'w_member_social' } };
    const before = host.traffic.length;
    const post = jobOf(host, narrow);
    await expect(run(post, { target: PAGE })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('w_organization_social'),
    });
    expect(host.traffic.length).toBe(before);
  });

  test('of an organization without a role there is denied', async () => {
    host.platform.change?.('demo', { roles: {} });
    await expect(run(job(), { target: PAGE })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
    });
  });

  test('waits until midnight UTC when the daily quota is used up', async () => {
    host.setLimit({ text: 'MEMBER DAY' });
    await expect(run(job())).rejects.toMatchObject({ kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT' });
  });

  test('is rejected as a duplicate of an equal post', async () => {
    await run(job({ description: 'twice' }));
    await expect(run(job({ description: 'twice' }))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'DUPLICATE_REJECTED',
    });
    host.advance(11 * MINUTE);
    change({ duplicate_window_s: 600 });
    await run(job({ description: 'twice' }));
  });

  test.each([
    [
      { status: 201, headers: {} },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 200, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [
      { status: 500, body: '{"message":"Internal Server Error"}' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [{ status: 401, body: '{}' }, { kind: 'token_expired' }],
  ])('with the response %j fails with %j', async (respond, error) => {
    host.failNext({ match: CREATE, respond });
    await expect(run(job())).rejects.toMatchObject(error);
  });
});

describe('a link of a text post', () => {
  const html =
    '<title>Page</title><meta property="og:description" content="About"><meta property="og:image" content="/p.jpg">';

  /** A client that serves a page with a picture. */
  function web(pages: Record<string, { type: string; body: Buffer }>) {
    const send: TestSandbox['media']['send'] = ({ url }) => {
      const page = pages[url];
      const headers = { 'content-type': page?.type ?? 'text/plain' };
      return Promise.resolve({ status: page ? 200 : 404, headers, body: page?.body ?? Buffer.alloc(0) });
    };
    const open: TestSandbox['media']['open'] = async request => {
      const { body, ...response } = await send(request);
      const stream = new IncomingMessage(new Socket());
      stream.push(body);
      stream.push(null);
      return { ...response, stream };
    };
    return { ...host.media, send, open };
  }
  const media = () =>
    web({
      'https://example.com/a': { type: 'text/html', body: Buffer.from(html) },
      'https://example.com/p.jpg': { type: 'image/jpeg', body: jpeg },
    });

  test('gets a preview with the picture of the page', async () => {
    const { ran } = await run(job({ description: 'See example.com/a' }), { media: media() });
    expect(ran).toEqual(['preview', 'publish']);
    expect(last()).toMatchObject({
      kind: 'article',
      text: 'See example.com/a',
      fields: {
        content: {
          article: {
            source: 'https://example.com/a',
            title: 'Page',
            description: 'About',
            thumbnail: expect.stringMatching(/^urn:li:image:/),
          },
        },
      },
    });
    expect(last().media[0]?.sha256).toBe(sha256(jpeg));
  });

  test('gets a preview without a picture when that cannot be uploaded', async () => {
    host.failNext({ match: /images\?action/, respond: { status: 500 } });
    await run(job({ description: 'Look https://example.com/a' }), { media: media() });
    expect(last().fields['content']).toEqual({
      article: { source: 'https://example.com/a', title: 'Page', description: 'About' },
    });
  });

  test.each([
    ['the page cannot be read', () => undefined],
    [
      'LinkedIn rejects it',
      () =>
        host.failNext({ match: CREATE, respond: { status: 400, body: '{"code":"URL_VALIDATION_FAILED"}' } }),
    ],
    [
      'its picture fails',
      () =>
        host.failNext({
          match: CREATE,
          respond: { status: 400, body: '{"code":"MEDIA_ASSET_PROCESSING_FAILED"}' },
        }),
    ],
  ])('stays plain text when %s', async (reason, arrange) => {
    arrange();
    const client = reason.startsWith('the page') ? web({}) : media();
    const description = `Plain https://example.com/a ${reason}`;
    await run(job({ description }), { media: client });
    expect(last()).toMatchObject({ text: description, kind: 'text' });
  });

  test.each([
    ['DUPLICATE_REJECTED', 422, '{"code":"DUPLICATE_POST"}'],
    ['PERMISSION_MISSING', 403, '{"code":"ACCESS_DENIED"}'],
    ['INTERNAL', 426, '{"code":"NONEXISTENT_VERSION"}'],
  ])('is not sent again without its preview after %s', async (code, status, body) => {
    const before = requests(CREATE).length;
    host.failNext({ match: CREATE, respond: { status, body } });
    const post = job({ description: `Once https://example.com/a ${code}` });
    await expect(run(post, { media: media() })).rejects.toMatchObject({ code });
    expect(requests(CREATE)).toHaveLength(before + 1);
  });
});

describe('images', () => {
  test('of one post are one medium, or several in their order', async () => {
    await run(images([jpeg], { description: null, alt_texts: ['A teal square'] }));
    expect(last()).toMatchObject({
      kind: 'image',
      text: '',
      fields: {
        content: { media: { id: expect.stringMatching(/^urn:li:image:/), altText: 'A teal square' } },
      },
    });
    const colors = await Promise.all(
      ['red', 'green', 'blue'].map(background =>
        sharp({ create: { width: 8, height: 8, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const { ran } = await run(images(colors, { description: 'Three', alt_texts: ['Red', null, 'Blue'] }));
    expect(ran).toEqual(['upload', 'process', 'process', 'publish']);
    expect(last().fields['content']).toMatchObject({
      multiImage: {
        images: [
          { id: expect.any(String), altText: 'Red' },
          { id: expect.any(String) },
          { id: expect.any(String), altText: 'Blue' },
        ],
      },
    });
    expect(last().media.map(each => each.sha256)).toEqual(colors.map(sha256));
  });

  test('of an organization belong to it, and are awaited', async () => {
    host.setProcessing({ seconds: 4 });
    const { waitedMs, ran } = await run(images([jpeg, jpeg]), { target: PAGE });
    expect(waitedMs).toBeGreaterThanOrEqual(4000);
    expect(ran).toEqual(['upload', 'process', 'process', 'publish']);
    expect(
      requests(/images\?action/)
        .at(-1)
        ?.body.toString(),
    ).toContain(PAGE.id);
    expect(last()).toMatchObject({ account: PAGE.id, kind: 'image' });
  });

  test('of a member, whose state cannot be read, are awaited by trying again', async () => {
    host.setProcessing({ seconds: 20 });
    const { ran } = await run(images([jpeg]));
    expect(ran.filter(name => name === 'publish').length).toBeGreaterThan(1);
    expect(last().kind).toBe('image');
  });

  test('that LinkedIn never processes fail, not forever', async () => {
    host.setProcessing({ seconds: 86_400 });
    for (const target of [PAGE, null]) {
      const advance = (ms: number) => host.advance(ms * 10);
      await expect(run(images([jpeg]), { target, advance })).rejects.toMatchObject({
        kind: 'transient',
        message: expect.stringContaining('in time'),
      });
    }
  });

  test('that never arrived are uploaded again', async () => {
    for (const target of [PAGE, null]) {
      host.failNext({ match: PICTURE, respond: { status: 200, body: '<html></html>' } });
      const { ran } = await run(images([jpeg]), { target });
      expect(ran.filter(name => name === 'upload')).toHaveLength(2);
      expect(last()).toMatchObject({ kind: 'image', media: [{ sha256: sha256(jpeg) }] });
    }
  });

  test('that LinkedIn cannot process are rejected', async () => {
    host.setProcessing({ outcome: 'error' });
    for (const target of [PAGE, null]) {
      await expect(run(images([jpeg]), { target })).rejects.toMatchObject({
        kind: 'rejected',
        code: 'MEDIA_REJECTED',
      });
    }
  });

  test('C032: a GIF moves, and has at most 250 frames', async () => {
    await run(images([gif(250)]));
    expect(last().media[0]).toMatchObject({ type: 'image/gif', sha256: sha256(gif(250)) });
    await expect(run(images([gif(375)]))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('375; at most 250'),
    });
  });

  test('are uploaded to another URL where one has expired', async () => {
    const body = '{"code":"EXPIRED_UPLOAD_URL","status":400}';
    host.failNext({ match: PICTURE, respond: { status: 400, body } });
    await run(images([jpeg]));
    host.failNext({ match: PICTURE, respond: { status: 400, body }, times: 2 });
    await expect(run(images([jpeg], { description: 'b' }))).rejects.toMatchObject({ kind: 'transient' });
  });

  test('are never sent to a host that is not of LinkedIn', async () => {
    const value = { uploadUrl: 'https://linkedin.com.evil.example/x', image: 'urn:li:image:a' };
    host.failNext({ match: /images\?action/, respond: { status: 200, body: JSON.stringify({ value }) } });
    await expect(run(images([jpeg]))).rejects.toMatchObject({
      message: expect.stringContaining('not its own'),
    });
  });

  test('are uploaded once when creating the post fails', async () => {
    const post = images([jpeg, jpeg]);
    let checkpoint = publisher.start(post);
    const onCheckpoint = (at: Checkpoint) => (checkpoint = at);
    host.failNext({ match: CREATE, respond: { status: 503 } });
    const before = requests(PICTURE).length;
    await expect(run(post, { onCheckpoint })).rejects.toMatchObject({ kind: 'transient' });
    await run(post, { from: checkpoint });
    expect(requests(PICTURE).length - before).toBe(2);
  });
});

/** Returns a GIF with this number of frames. */
function gif(frames: number): Buffer {
  const head = Buffer.from('47494638396101000100800000ff0000ffffff', 'hex');
  const frame = Buffer.from('21f90400000000002c00000000010001000002024401 00'.replace(' ', ''), 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from('3b', 'hex')]);
}

describe('a document', () => {
  test('has the title of the post, else the name of its file', async () => {
    const document = (more: Partial<PublishJob>) =>
      job({ post_type: 'document', media_urls: [host.addMedia('Deck.pdf', pdf)], ...more });
    const { post } = await run(document({ title: 'Plan 2027' }));
    expect(post.platform_post_id).toMatch(/^urn:li:ugcPost:/);
    expect(last()).toMatchObject({ kind: 'document', title: 'Plan 2027', media: [{ sha256: sha256(pdf) }] });
    await run(document({}));
    expect(last().title).toBe('Deck.pdf');
    expect(requests(PICTURE).at(-1)?.headers['content-length']).toBe(String(pdf.length));
  });
});

/** The time left of invocations that are long enough for one part. */
function onePartEach(): () => number {
  let calls = 0;
  return () => ((calls += 1) % 2 === 1 ? 60_000 : 0);
}

describe('a video', () => {
  test('is uploaded in parts without a token, finished, awaited and published', async () => {
    const bytes = fakeVideo(9 * MIB + 5);
    host.setProcessing({ seconds: 30 });
    change({ refused_reads: 1 });
    const { ran, waitedMs } = await run(video(bytes, { title: 'Launch' }), { target: PAGE });
    expect([...new Set(ran)]).toEqual(['upload', 'finish', 'process', 'publish']);
    expect(waitedMs).toBeGreaterThanOrEqual(30_000);
    const parts = requests(PART).slice(-3);
    expect(parts.map(({ body }) => body.length)).toEqual([4 * MIB, 4 * MIB, MIB + 5]);
    expect(parts.map(({ headers }) => [headers['authorization'], headers['linkedin-version']])).toEqual(
      Array(3).fill([undefined, undefined]),
    );
    expect(last()).toMatchObject({
      account: PAGE.id,
      kind: 'video',
      title: 'Launch',
      media: [{ type: 'video/mp4', sha256: sha256(bytes) }],
    });
  });

  test('that is interrupted in a part is resumed there', async () => {
    const bytes = fakeVideo(9 * MIB);
    const post = video(bytes);
    let checkpoint = publisher.start(post);
    host.failNext({ match: /uploaded-video\/1\b/, drop: 'after', times: 3 });
    const before = requests(PART).length;
    const interrupted = run(post, { onCheckpoint: at => (checkpoint = at), remainingMs: onePartEach() });
    await expect(interrupted).rejects.toMatchObject({ kind: 'transient' });
    await run(post, { from: checkpoint });
    expect(last().media[0]?.sha256).toBe(sha256(bytes));
    expect(
      requests(PART)
        .slice(before)
        .map(({ url }) => /uploaded-video\/(\d)/.exec(url)?.[1]),
    ).toEqual(['0', '1', '1', '1', '1', '2']);
  });

  test('whose upload URLs have expired is uploaded from the start', async () => {
    const bytes = fakeVideo(5 * MIB);
    host.failNext({ match: /uploaded-video\/1\b/, respond: { status: 403 } });
    const { ran } = await run(video(bytes));
    expect(ran.filter(name => name === 'upload')).toHaveLength(2);
    expect(last().media[0]?.sha256).toBe(sha256(bytes));
    change({ upload_url_s: 0 });
    await expect(run(video(bytes, { description: 'again' }))).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('expire too early'),
    });
  });

  test('with a part that was confirmed without an ETag is sent that part again', async () => {
    const bytes = fakeVideo(5 * MIB);
    host.failNext({ match: /uploaded-video\/1\b/, respond: { status: 200, body: '<html></html>' } });
    const { ran } = await run(video(bytes));
    expect(ran.filter(name => name === 'finish')).toHaveLength(1);
    expect(last().media[0]?.sha256).toBe(sha256(bytes));
  });

  test('whose parts LinkedIn refuses to put together is uploaded again, and rejected in the end', async () => {
    const bytes = fakeVideo(5 * MIB);
    const body = JSON.stringify({ status: 400, code: 'UPDATING_ASSET_FAILED', message: 'Mismatch' });
    const refusal = { status: 400, body };
    host.failNext({ match: /finalizeUpload/, respond: refusal });
    const { ran } = await run(video(bytes));
    expect(ran.filter(name => name === 'upload').length).toBeGreaterThan(1);
    expect(last().media[0]?.sha256).toBe(sha256(bytes));
    host.failNext({ match: /finalizeUpload/, respond: refusal, times: 4 });
    const refused = run(video(bytes, { description: 'again' }));
    await expect(refused).rejects.toMatchObject({ code: 'MEDIA_REJECTED' });
  });

  test('whose session has expired meanwhile gets another one', async () => {
    const post = video(fakeVideo(5 * MIB));
    let checkpoint = publisher.start(post);
    host.failNext({ match: /uploaded-video\/1\b/, respond: { status: 503 }, times: 3 });
    await run(post, { onCheckpoint: at => (checkpoint = at) }).catch(() => undefined);
    host.advance(31 * 24 * 60 * MINUTE);
    grant = await connect(host);
    await run(post, { from: checkpoint });
    expect(last().kind).toBe('video');
  });

  test('whose completion was lost is not uploaded again', async () => {
    const post = video(fakeVideo(MIB));
    let checkpoint = publisher.start(post);
    host.failNext({ match: /finalizeUpload/, drop: 'after' });
    await expect(run(post, { onCheckpoint: at => (checkpoint = at) })).rejects.toMatchObject({
      kind: 'transient',
    });
    const before = requests(PART).length;
    await run(post, { from: checkpoint });
    expect(requests(PART).length).toBe(before);
    expect(last().kind).toBe('video');
  });

  test('that LinkedIn finds too large, or cannot process, is rejected with its reason', async () => {
    change({ max_video_bytes: MIB });
    await expect(run(video(fakeVideo(2 * MIB)))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('/fileSizeBytes must be at most'),
    });
    host.setProcessing({ outcome: 'error', error: 'VIDEO_CORRUPT' });
    await expect(run(video(fakeVideo(MIB)))).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining('VIDEO_CORRUPT'),
    });
  });
});

describe('a create request whose response was lost', () => {
  const lose = async (post: PublishJob, more: Partial<DriveOptions> = {}) => {
    let checkpoint = publisher.start(post);
    host.failNext({ match: CREATE, drop: 'after' });
    const interrupted = run(post, { ...more, onCheckpoint: at => (checkpoint = at) });
    await expect(interrupted).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
    return checkpoint;
  };

  test.each([`Escaped (#a_b) for ${MENTION}\nline`, 'plain'])(
    'of an organization is found by its text: %j',
    async description => {
      const post = job({ description });
      await lose(post, { target: PAGE });
      host.advance(30_000);
      expect(await reconcileAt(post, { target: PAGE }, host.now() - 30_000)).toEqual({
        type: 'published',
        post: {
          platform_post_id: last().platform_post_id,
          platform_post_url: last().platform_post_url,
          published_at: host.now() - 30_000,
        },
      });
    },
  );

  test('of an organization is distinguished from an equal text by its media', async () => {
    const post = images([jpeg], { description: 'same' });
    await run(job({ description: 'same' }), { target: PAGE });
    const at = host.now();
    const checkpoint = await lose(post, { target: PAGE });
    const find = (from: Checkpoint) =>
      reconcile(publisher, post, from, at, { ...optionsOf(host, grant), target: PAGE });
    expect(await find(checkpoint)).toMatchObject({ post: { platform_post_id: last().platform_post_id } });
    const other = { ...checkpoint, state: { ...checkpoint.state, assets: ['urn:li:image:other'] } };
    expect(await find(other)).toEqual({ type: 'absent' });
  });

  test('of an organization is absent when the only post with the text is that of another', async () => {
    const post = job({ description: 'twice' });
    await run(post, { target: PAGE });
    const { identify, asked } = allTaken();
    expect(await reconcileAt(post, { target: PAGE, identify })).toEqual({ type: 'absent' });
    expect(asked).toEqual([last().platform_post_id]);
  });

  test('of an organization is absent when only an older post has the text', async () => {
    await run(job({ description: 'seen' }), { target: PAGE });
    host.advance(MINUTE);
    expect(await reconcileAt(job({ description: 'seen' }), { target: PAGE })).toEqual({ type: 'absent' });
  });

  test('of an organization is never absent because a read was refused', async () => {
    host.failNext({ match: /\/rest\/posts\?/, respond: { status: 403, body: '{}' } });
    await expect(reconcileAt(job(), { target: PAGE })).rejects.toMatchObject({ code: 'PERMISSION_MISSING' });
  });

  test('of a member cannot be looked up', async () => {
    expect(await reconcileAt(job())).toEqual({ type: 'unknown' });
  });

  test('B062: is published when the repetition is rejected as a duplicate', async () => {
    const post = job({ description: 'slow to show' });
    await lose(post, { target: PAGE });
    const [step] = publisher.plan(post);
    const context = {
      ...contextOf(post, { ...optionsOf(host, grant), target: PAGE }),
      repeatedAfterLoss: true,
    };
    const repeat = () => step!.run(context, publisher.start(post));
    expect(await repeat()).toMatchObject({
      type: 'published',
      post: { platform_post_id: last().platform_post_id },
    });
    const unnamed = { status: 422, body: '{"message":"Content is a duplicate of another"}' };
    host.failNext({ match: CREATE, respond: unnamed });
    expect(await repeat()).toMatchObject({ post: { platform_post_id: last().platform_post_id } });
    host.failNext({ match: CREATE, respond: unnamed });
    host.failNext({ match: /\/rest\/posts\?/, respond: { status: 200, body: '{"elements":[]}' } });
    expect(await repeat()).toMatchObject({ post: { platform_post_id: 'unknown', platform_post_url: null } });
  });
});

describe('the first comment', () => {
  test('B010: is plain text of the author', async () => {
    for (const [target, actor] of [
      [PAGE, PAGE.id],
      [null, 'urn:li:person:782bbtaQ'],
    ] as const) {
      const { ran } = await run(job({ first_comment: 'See (v2) #x' }), { target });
      expect(ran).toEqual(['publish', 'first_comment']);
      expect(last().comments).toEqual([{ id: expect.any(String), text: 'See (v2) #x' }]);
      expect(
        JSON.parse(
          requests(/comments$/)
            .at(-1)!
            .body.toString(),
        ),
      ).toMatchObject({
        actor,
        object: last().platform_post_id,
      });
    }
  });

  test('is tried again until LinkedIn knows the post, but not forever', async () => {
    change({ comment_delay_s: 15 });
    await run(job({ first_comment: 'late' }));
    expect(last().comments).toHaveLength(1);
    host.failNext({
      match: /comments$/,
      respond: { status: 500, body: '{"message":"Unable to obtain activity"}' },
    });
    change({ comment_delay_s: 0 });
    await run(job({ first_comment: 'again' }));
    expect(last().comments).toHaveLength(1);
    change({ comment_delay_s: 3600 });
    await expect(run(job({ first_comment: 'never' }))).rejects.toThrow('Unable to obtain activity');
  });

  test('is refused for a self-serve app; the post stays live', async () => {
    grant = await connect(host, SELF_SERVE_APP);
    await expect(
      run(job({ description: 'stays', first_comment: 'no' }), { app: SELF_SERVE_APP }),
    ).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
      message: expect.stringContaining('Community Management API'),
    });
    expect(last()).toMatchObject({ text: 'stays', comments: [] });
  });

  test('needs the newer permission, except for apps approved long ago', async () => {
    const app = { ...COMMUNITY_APP, extra_scopes: '' };
    grant = await connect(host, app);
    await expect(run(job({ first_comment: 'no' }), { app })).rejects.toMatchObject({
      code: 'PERMISSION_MISSING',
    });
    change({ comment_scopes: 'social' });
    await run(job({ first_comment: 'yes' }), { app });
    expect(last().comments).toHaveLength(1);
  });

  test('is not sent again when its response was lost', async () => {
    host.failNext({ match: /comments$/, drop: 'after' });
    await expect(run(job({ first_comment: 'once' }))).rejects.toMatchObject({ outcomeUnknown: true });
    const [followUp] = publisher.followUps(job({ first_comment: 'once' }));
    expect(followUp).toMatchObject({ idempotent: false, reconcile: null });
  });
});

test('a token that expires in the middle of an upload is reported as such', async () => {
  const post = images([jpeg, jpeg]);
  host.failNext({ match: PICTURE, respond: { status: 401, body: '{}' } });
  await expect(run(post)).rejects.toMatchObject({ kind: 'token_expired' });
});
