import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, type DriveOptions } from '../../../test/support/drive.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf } from '../../../test/support/snapchat.ts';
import { verticalClip } from '../../../test/support/vertical-clip.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP, DEMO, STUDIO } from './sandbox/state.ts';

const MEDIA = /\/media$/;
const UPLOAD = /multipart-upload$/;
const CREATE = /\/(?:stories|spotlights|saved_stories)$/;
const LIST = /\/(?:spotlights|saved_stories)\?limit=10$/;
const STATE = /\/spotlights\/[^/?]+$/;
const SUBMITTED = {
  status: 200,
  body: JSON.stringify({ request_status: 'SUCCESS', spotlights: [{ spotlight: { status: 'SUBMITTED' } }] }),
};
const HOUR = 3_600_000;

let host: TestSandbox;
let file: (name: string) => Buffer;
let clip: Buffer;
let small: Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, file, clip, small] = await Promise.all([
    startSandboxHost(sandbox),
    sampleFiles(),
    verticalClip(7),
    verticalClip(7, 320, 576),
  ]);
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(HOUR);
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  grant = await connect(host);
  host.traffic.length = 0;
});

type Options = Record<string, string | boolean>;
const options = (): DriveOptions => ({
  credentials: grant.credentials,
  app: APP,
  http: host.http,
  media: host.media,
  now: host.now,
  advance: host.advance,
  remainingMs: () => 600_000,
});
const image = (fields: Options = {}, name = 'photo.jpg', more: Partial<PublishJob> = {}) =>
  jobOf(host, grant, { media_urls: [host.addMedia(name, file(name))], options: fields, ...more });
const video = (fields: Options = {}, more: Partial<PublishJob> = {}, bytes = clip) =>
  jobOf(host, grant, {
    post_type: 'video',
    media_urls: [host.addMedia('clip.mp4', bytes)],
    options: fields,
    ...more,
  });
const spotlight = (description: string | null = null, fields: Options = {}) =>
  video({ snapchat_post_type: 'spotlight', ...fields }, { description });
const saved = (title: string) =>
  image({ snapchat_post_type: 'saved_story', snapchat_saved_story_title: title });
const run = (post: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, post, { ...options(), ...more });

const live = () => host.posts().filter(({ published_at }) => Date.parse(published_at) > host.now() - HOUR);
const requests = (match: RegExp) => host.traffic.filter(({ url }) => match.test(url));
const bodies = (match: RegExp) =>
  requests(match).map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
const text = ({ body }: { body: Buffer }) => body.toString('latin1');
const parts = () => requests(UPLOAD).filter(each => text(each).includes('ADD'));
const ends = () => requests(UPLOAD).filter(each => text(each).includes('FINALIZE'));
const change = (settings: Record<string, string | number | boolean>) =>
  expect(host.platform.change!('demo', settings)).toBe(true);
const refusal = (status: number, error_code: string): NonNullable<Fault['respond']> => ({
  status,
  body: JSON.stringify({ request_status: 'ERROR', request_id: 'r', error_code, debug_message: 'Details' }),
});
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a story', () => {
  test('with a video creates the media, sends them encrypted, and creates the story by them', async () => {
    const { post, ran } = await run(video());
    expect(ran).toEqual(['upload', 'upload', 'publish', 'publish', 'publish']);
    const [media] = bodies(MEDIA);
    expect(media).toEqual({
      type: 'VIDEO',
      name: 'post-post-1',
      key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      iv: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    });
    expect([parts().length, ends().length]).toEqual([1, 1]);
    expect(parts()[0]!.body.includes(clip.subarray(0, 64))).toBe(false);
    expect(bodies(CREATE)).toEqual([0, 1, 2].map(() => ({ media_id: post.platform_post_id })));
    expect(post.platform_post_url).toBe('https://www.snapchat.com/add/demo');
    expect(live()).toMatchObject([
      { kind: 'story', account: DEMO.id, media: [{ type: 'video/mp4', sha256: sha256(clip) }] },
    ]);
  });

  test.each(['photo.jpg', 'photo.png'])('with the image %s has no text', async name => {
    await run(image({ snapchat_post_type: 'story' }, name, { description: 'Not shown', title: 'Nor this' }));
    expect(bodies(MEDIA)).toMatchObject([{ type: 'IMAGE' }]);
    expect(live()).toMatchObject([
      { kind: 'story', text: null, title: null, media: [{ size: file(name).length }] },
    ]);
    expect(bodies(CREATE).at(-1)).toEqual({ media_id: expect.any(String) });
  });

  test('has its own id where Snapchat tells one', async () => {
    change({ story_ids: true });
    const { post } = await run(image());
    expect(post.platform_post_id).toBe(live()[0]!.platform_post_id);
    expect(post.platform_post_id).not.toBe(bodies(CREATE)[0]!['media_id']);
  });

  test('goes to the chosen public profile', async () => {
    const target = {
      id: STUDIO.id,
      name: 'Demo Studio',
      attributes: { username: 'demo_studio' },
      secrets: null,
    };
    const { post } = await run(image(), { target });
    expect(live()).toMatchObject([{ account: STUDIO.id }]);
    expect(post.platform_post_url).toBe('https://www.snapchat.com/add/demo_studio');
    expect((await run(image(), { target: { ...target, attributes: {} } })).post.platform_post_url).toBeNull();
  });
});

describe('a Spotlight video', () => {
  test('fails its post when moderation rejects it', async () => {
    change({ moderation: 'REJECTED' });
    await expect(run(spotlight('Rejected'))).rejects.toThrow(
      "moderation was rejected: Snapchat's moderation",
    );
    expect(requests(STATE)).toHaveLength(1);
  });

  test.each<[string, number, () => void]>([
    ['until moderation lets it through', 1, () => undefined],
    [
      'once where Snapchat does not show it',
      1,
      () => host.failNext({ match: STATE, respond: refusal(404, 'E') }),
    ],
    [
      'for an hour while moderation does not end',
      4,
      () => host.failNext({ match: STATE, times: 4, respond: SUBMITTED }),
    ],
  ])('is read %s', async (_, readings, prepare) => {
    prepare();
    const { ran } = await run(spotlight('Moderated'));
    expect(ran.filter(name => name === 'moderation')).toHaveLength(1);
    expect(requests(STATE)).toHaveLength(readings);
  });

  test.each<[Options, object]>([
    [{}, { locale: 'en_US', skip_save_to_profile: false }],
    [{ snapchat_locale: 'de-AT' }, { locale: 'de_AT' }],
    [{ snapchat_locale: 'fr' }, { locale: 'fr_FR' }],
    [{ snapchat_locale: 'pt_BR' }, { locale: 'pt_BR' }],
    [{ snapchat_skip_save_to_profile: true }, { skip_save_to_profile: true }],
    [{ snapchat_description: 'Short #cats' }, { description: 'Short #cats' }],
  ])('with %j sends %j', async (fields, sent) => {
    const { post } = await run(spotlight('A long common text', fields));
    expect(bodies(CREATE).at(-1)).toEqual({
      media_id: expect.any(String),
      description: 'A long common text',
      locale: 'en_US',
      skip_save_to_profile: false,
      ...sent,
    });
    expect(post.platform_post_id).toMatch(/^W7_/);
    expect(post.platform_post_url).toBe(`https://www.snapchat.com/spotlight/${post.platform_post_id}`);
    expect(live()).toMatchObject([{ kind: 'spotlight', platform_post_id: post.platform_post_id }]);
  });

  test('without a text sends no description', async () => {
    await run(spotlight());
    expect(bodies(CREATE).at(-1)).not.toHaveProperty('description');
  });

  test('whose answer has no id is known by its media', async () => {
    change({ processing_calls: 0 });
    host.failNext({ match: CREATE, respond: { status: 200, body: '{"request_status":"SUCCESS"}' } });
    const { post } = await run(spotlight());
    expect(post).toMatchObject({
      platform_post_id: bodies(CREATE)[0]!['media_id'],
      platform_post_url: 'https://www.snapchat.com/add/demo',
    });
  });
});

describe('a saved story', () => {
  test('has the title, and one source', async () => {
    const { post } = await run(saved('Behind the scenes'));
    const [media_id] = bodies(MEDIA).map(
      () => live()[0] && (requests(UPLOAD)[0]!.url.split('/').at(-2) ?? ''),
    );
    expect(bodies(CREATE).at(-1)).toEqual({
      saved_stories: [{ title: 'Behind the scenes', snap_sources: [{ media_id }] }],
    });
    expect(post).toMatchObject({
      platform_post_id: live()[0]!.platform_post_id,
      platform_post_url: 'https://www.snapchat.com/add/demo',
    });
    expect(live()).toMatchObject([{ kind: 'saved_story', title: 'Behind the scenes' }]);
  });

  test.each(['nested', 'plain', 'top', 'none'])(
    'has the id of an answer of the form "%s"',
    async saved_answer => {
      change({ saved_answer });
      const { post } = await run(saved('Title'));
      expect(post.platform_post_id).toBe(live()[0]!.platform_post_id);
    },
  );

  test('that fails within a success is rejected with its reason', async () => {
    change({ processing_calls: 0 });
    const member = { sub_request_status: 'ERROR', sub_request_error_reason: 'Title is not allowed' };
    const body = JSON.stringify({ request_status: 'PARTIAL', saved_stories: [member] });
    host.failNext({ match: CREATE, respond: { status: 200, body } });
    await expect(run(saved('Title'))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining('Title is not allowed'),
      outcomeUnknown: false,
    });
    expect(live()).toEqual([]);
  });
});

describe('the upload', () => {
  test('of several parts arrives byte by byte, and is resumed from any checkpoint with the same key', async () => {
    const large = padded(clip, 31_000_005);
    const post = video({}, {}, large);
    let stored: Checkpoint | undefined;
    // One part in each invocation, and the first one is interrupted.
    let left = 95_000;
    const remainingMs = () => (left -= 5000);
    const interrupted = run(post, {
      remainingMs,
      onCheckpoint: checkpoint => {
        stored = checkpoint;
        throw new Error('killed');
      },
    });
    await expect(interrupted).rejects.toThrow('killed');
    expect(parts()).toHaveLength(1);
    left = 600_000;
    const { ran } = await run(post, { from: stored! });
    expect(ran.slice(0, 2)).toEqual(['upload', 'upload']);
    expect(requests(MEDIA)).toHaveLength(1);
    expect(parts().map(each => /part_number"\r\n\r\n(\d+)/.exec(text(each))![1])).toEqual(['1', '2']);
    expect(parts().every(({ body }) => body.length < 32 * 1024 ** 2)).toBe(true);
    expect(live()).toMatchObject([{ media: [{ sha256: sha256(large), size: large.length }] }]);
  });

  test('is read in the nested form too', async () => {
    change({ media_answer: 'nested' });
    await run(image());
    expect(live()).toHaveLength(1);
  });

  const answered = (add_path: string) => ({
    status: 200,
    body: JSON.stringify({ request_status: 'SUCCESS', media_id: 'm1', add_path, finalize_path: add_path }),
  });

  test.each([
    'https://evil.example/x',
    '//evil.example/x',
    'http://businessapi.snapchat.com/x',
    'file:///etc',
  ])('is not sent to %s', async path => {
    host.failNext({ match: MEDIA, respond: answered(path) });
    await expect(run(image())).rejects.toMatchObject({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE' });
    expect(host.traffic.map(({ url }) => url)).toEqual([expect.stringMatching(MEDIA)]);
  });

  test.each([
    ['us/v1/up?a=1', 'https://businessapi.snapchat.com/us/v1/up?a=1'],
    ['/us/v1/up', 'https://businessapi.snapchat.com/us/v1/up'],
    ['https://businessapi.snapchat.com/us/v1/up', 'https://businessapi.snapchat.com/us/v1/up'],
  ])('follows the path %s', async (path, url) => {
    host.failNext({ match: MEDIA, respond: answered(path) });
    await expect(run(image())).rejects.toMatchObject({ kind: 'rejected' });
    expect(host.traffic.at(-1)!.url).toBe(url);
  });

  test.each([
    ['a part', { repeated_part: 'refuse' }, /ADD/],
    ['FINALIZE', { repeated_finalize: 'refuse' }, /FINALIZE/],
  ])('is repeated with new media when Snapchat refuses %s that it has', async (_, settings, action) => {
    change(settings);
    const post = image();
    const send: TestSandbox['http']['send'] = async request => {
      const answer = await host.http.send(request);
      const last = host.traffic.at(-1)!;
      if (UPLOAD.test(last.url) && action.test(text(last)) && requests(MEDIA).length === 1) lost += 1;
      if (lost === 1) throw new Error('killed');
      return answer;
    };
    let lost = 0;
    let stored: Checkpoint | undefined;
    const more = { onCheckpoint: (checkpoint: Checkpoint) => void (stored = checkpoint) };
    await expect(run(post, { ...more, http: { ...host.http, send } })).rejects.toThrow('killed');
    await run(post, stored ? { from: stored } : {});
    expect([requests(MEDIA).length, live().length]).toEqual([2, 1]);
  });

  test('is kept through a failure of the media object', async () => {
    host.failNext({ match: MEDIA, respond: { status: 500 } });
    await expect(run(image())).rejects.toMatchObject({ kind: 'transient' });
    host.failNext({ match: MEDIA, respond: { status: 403 } });
    await expect(run(image())).rejects.toMatchObject({ kind: 'rejected', code: 'PERMISSION_MISSING' });
  });

  test('of a file that Snapchat calls too large is rejected', async () => {
    const body = '{"request_status":"ERROR","debug_message":"Media size is too large"}';
    host.failNext({ match: UPLOAD, respond: { status: 400, body } });
    await expect(run(image())).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test('is repeated three times after transient errors of a part', async () => {
    host.failNext({ match: UPLOAD, respond: { status: 503 } });
    await run(image());
    expect([parts().length, live().length]).toEqual([2, 1]);
  });
});

describe('media that are processed', () => {
  test.each(['code', 'code_in_200', 'text'])(
    'are asked for with the same id after 5, 10, 20, 30, 30 seconds (answer: %s)',
    async processing_answer => {
      change({ processing_answer, processing_calls: 5 });
      const waits: number[] = [];
      await run(image(), {
        advance: ms => {
          waits.push(ms);
          host.advance(ms);
        },
      });
      expect(waits).toEqual([5000, 10_000, 20_000, 30_000, 30_000]);
      expect([requests(MEDIA).length, new Set(bodies(CREATE).map(each => each['media_id'])).size]).toEqual([
        1, 1,
      ]);
      expect(live()).toHaveLength(1);
    },
  );

  test('for more than 15 minutes are an interruption', async () => {
    host.setProcessing({ seconds: HOUR });
    await expect(run(image())).rejects.toMatchObject({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      message: expect.stringContaining('15 minutes'),
    });
  });

  test('and fail are rejected', async () => {
    host.setProcessing({ outcome: 'error' });
    await expect(run(image())).rejects.toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test.each<[string, () => Buffer, number, string]>([
    ['longer than Snapchat takes', () => clip, 6, 'from 6 to 6 seconds'],
    ['too small', () => small, 60, '540x960'],
  ])('and are %s are rejected with the words of Snapchat', async (_, bytes, max_seconds, words) => {
    change({ max_seconds });
    await expect(run(video({ snapchat_post_type: 'spotlight' }, {}, bytes()))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      message: expect.stringContaining(words),
    });
  });
});

describe('media that have expired', () => {
  test('are uploaded again with a new key', async () => {
    host.failNext({ match: CREATE, respond: refusal(400, 'MEDIA_EXPIRED') });
    const { ran } = await run(image());
    expect(ran.filter(name => name === 'upload')).toHaveLength(4);
    expect(new Set(bodies(MEDIA).map(({ key }) => key)).size).toBe(2);
    expect(live()).toHaveLength(1);
  });

  test('after 24 hours in the middle of an upload are uploaded again', async () => {
    const post = image();
    let stored: Checkpoint | undefined;
    const killed = run(post, {
      onCheckpoint: checkpoint => {
        stored = checkpoint;
        throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    host.advance(25 * HOUR);
    grant = await connect(host);
    await run(post, { from: stored! });
    expect([requests(MEDIA).length, live().length]).toEqual([2, 1]);
  });

  test('are uploaded three times at most', async () => {
    host.failNext({ match: CREATE, respond: refusal(200, 'MEDIA_EXPIRED'), times: 3 });
    await expect(run(image())).rejects.toMatchObject({ kind: 'transient', code: 'PLATFORM_UNAVAILABLE' });
    expect(requests(MEDIA)).toHaveLength(3);
  });
});

describe('media that are being posted already', () => {
  const posting = (status = 400) =>
    host.failNext({ match: CREATE, respond: refusal(status, 'MEDIA_POSTING_ALREADY_IN_PROGRESS') });

  test.each([400, 200, 409])('are a story that is live (status %i)', async status => {
    posting(status);
    const { post } = await run(image());
    expect([post.platform_post_id, requests(CREATE).length]).toEqual([bodies(CREATE)[0]!['media_id'], 1]);
  });

  test('are a Spotlight video whose id is looked up until it is listed', async () => {
    change({ processing_calls: 0, list_lag_s: 25 });
    const send: TestSandbox['http']['send'] = async request => {
      const answer = await host.http.send(request);
      if (!CREATE.test(host.traffic.at(-1)!.url) || request.method !== 'POST') return answer;
      return {
        ...answer,
        status: 400,
        body: Buffer.from(refusal(400, 'MEDIA_POSTING_ALREADY_IN_PROGRESS').body!),
      };
    };
    const { post } = await run(spotlight('Found'), { http: { ...host.http, send } });
    expect(post.platform_post_id).toBe(live()[0]!.platform_post_id);
    expect(host.traffic.filter(({ url, method }) => CREATE.test(url) && method === 'POST')).toHaveLength(1);
    expect(requests(LIST).length).toBeGreaterThan(1);
  });

  test('are known by their media when the list does not show them within a minute', async () => {
    posting();
    const { post, waitedMs } = await run(spotlight('Never listed'));
    expect(post.platform_post_id).toBe(bodies(CREATE)[0]!['media_id']);
    expect(waitedMs).toBeGreaterThanOrEqual(60_000);
    expect(requests(CREATE)).toHaveLength(1);
  });
});

describe('errors while the post is created', () => {
  test.each<[NonNullable<Fault['respond']>, object]>([
    [
      { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
      { kind: 'token_expired' },
    ],
    [{ status: 403 }, { kind: 'rejected', code: 'PERMISSION_MISSING' }],
    [{ status: 404 }, { kind: 'rejected', code: 'PERMISSION_MISSING' }],
    [{ status: 429 }, { kind: 'rate_limited', code: 'PLATFORM_RATE_LIMIT', outcomeUnknown: false }],
    [{ status: 500 }, { kind: 'transient', outcomeUnknown: true }],
    [
      { status: 200, body: '<html>' },
      { kind: 'transient', outcomeUnknown: true },
    ],
    [refusal(400, 'UNKNOWN_CODE'), { kind: 'rejected', code: 'CONTENT_REJECTED' }],
  ])('%j becomes %j', async (respond, error) => {
    host.failNext({ match: CREATE, respond });
    await expect(run(image())).rejects.toMatchObject(error);
  });

  test('never contain the token or the key', async () => {
    change({ processing_calls: 0 });
    host.failNext({ match: CREATE, respond: { status: 400, body: 'Bad' } });
    const failed = await run(image()).catch((error: unknown) => error as Error);
    const secrets = [grant.credentials['access_token']!, bodies(MEDIA)[0]!['key'] as string];
    expect(secrets.filter(each => (failed as Error).message.includes(each))).toEqual([]);
    expect(publisher.sealed).toBe(true);
  });
});
