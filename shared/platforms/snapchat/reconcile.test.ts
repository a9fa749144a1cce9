import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { connect, jobOf } from '../../../test/support/snapchat.ts';
import { publishDespite } from '../../../test/support/survive.ts';
import { verticalClip } from '../../../test/support/vertical-clip.ts';
import type { Checkpoint } from '../../model/destination.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

/* Requests whose response is lost: nothing is posted twice, and nothing is called absent without evidence. */

const CREATE = /\/(?:stories|spotlights|saved_stories)$/;
const LIST = /\/(?:spotlights|saved_stories)\?limit=10$/;
const HOUR = 3_600_000;

let host: TestSandbox;
let photo: Buffer;
let clip: Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  const [started, file, video] = await Promise.all([
    startSandboxHost(sandbox),
    sampleFiles(),
    verticalClip(7),
  ]);
  [host, photo, clip] = [started, file('photo.jpg'), video];
});
afterAll(() => host.close());
beforeEach(async () => {
  host.advance(HOUR);
  host.platform.reset();
  host.platform.change!('demo', { processing_calls: 0 });
  grant = await connect(host);
  host.traffic.length = 0;
});

const options = (): DriveOptions => ({
  credentials: grant.credentials,
  app: APP,
  http: host.http,
  media: host.media,
  now: host.now,
  advance: host.advance,
  remainingMs: () => 600_000,
});
type Make = (text: string) => PublishJob;
const story: Make = () => jobOf(host, grant, { media_urls: [host.addMedia('photo.jpg', photo)] });
const spotlight: Make = description =>
  jobOf(host, grant, {
    post_type: 'video',
    media_urls: [host.addMedia('clip.mp4', clip)],
    description,
    options: { snapchat_post_type: 'spotlight' },
  });
const saved: Make = title =>
  jobOf(host, grant, {
    media_urls: [host.addMedia('photo.jpg', photo)],
    options: { snapchat_post_type: 'saved_story', snapchat_saved_story_title: title },
  });
const created = () => host.traffic.filter(({ url, method }) => CREATE.test(url) && method === 'POST');
const live = (text: string) => host.posts().filter(post => post.text === text || post.title === text);

/** Publishes until the creating request, whose connection drops. */
async function lose(
  post: PublishJob,
  drop: 'before' | 'after',
): Promise<{ at: Checkpoint; intentAt: number }> {
  let at = publisher.start(post);
  host.failNext({ match: CREATE, method: 'POST', drop });
  const lost = drive(publisher, post, { ...options(), onCheckpoint: checkpoint => void (at = checkpoint) });
  await expect(lost).rejects.toMatchObject({ outcomeUnknown: true });
  return { at, intentAt: host.now() };
}
const ask = (post: PublishJob, { at, intentAt }: Awaited<ReturnType<typeof lose>>) =>
  reconcile(publisher, post, at, intentAt, options());

describe('a creating request whose response was lost', () => {
  test.each<[string, Make]>([
    ['Spotlight video', spotlight],
    ['saved story', saved],
  ])('of a %s is found by text and time', async (kind, make) => {
    const post = make(`Lost ${kind}`);
    const lost = await lose(post, 'after');
    expect(await ask(post, lost)).toMatchObject({
      type: 'published',
      post: { platform_post_id: live(`Lost ${kind}`)[0]!.platform_post_id, published_at: lost.intentAt },
    });
    expect(await ask(make('Another'), lost)).toEqual({ type: 'absent' });
    host.advance(HOUR / 2);
    expect(await ask(post, { ...lost, intentAt: host.now() })).toEqual({ type: 'absent' });
  });

  test.each<[string, Make]>([
    ['Spotlight video', spotlight],
    ['saved story', saved],
  ])('of a %s is absent when the only one listed is that of another post', async (_, make) => {
    const post = make('Twice');
    const { at, intentAt } = await lose(post, 'after');
    const { identify, asked } = allTaken();
    const found = await reconcile(publisher, post, at, intentAt, { ...options(), identify });
    expect(found).toEqual({ type: 'absent' });
    expect(asked).toEqual([live('Twice').at(-1)!.platform_post_id]);
  });

  test.each(['before', 'after'] as const)('of a story is unknown (dropped %s)', async drop => {
    const post = story('');
    const lost = await lose(post, drop);
    expect(await ask(post, lost)).toEqual({ type: 'unknown' });
  });

  test('is unknown where Snapchat has no such list, refuses it, or answers with another shape', async () => {
    const post = saved('Title');
    const lost = await lose(post, 'before');
    expect(await ask(post, lost)).toEqual({ type: 'absent' });
    host.platform.change!('demo', { lists: false });
    expect(await ask(post, lost)).toEqual({ type: 'unknown' });
    const success = (more: object) => JSON.stringify({ request_status: 'SUCCESS', ...more });
    const recent = { id: 'a', created_at: new Date(host.now()).toISOString() };
    for (const respond of [
      { status: 403 },
      { status: 400, body: '{"request_status":"ERROR","debug_message":"limit"}' },
      { status: 200, body: success({}) },
      { status: 200, body: success({ saved_stories: [{ saved_story: { id: 'a' } }] }) },
      { status: 200, body: success({ saved_stories: [{ saved_story: recent }] }) },
    ]) {
      host.failNext({ match: LIST, respond });
      expect(await ask(post, lost)).toEqual({ type: 'unknown' });
    }
  });

  test.each([
    ['a flat member', (at: number) => ({ id: 'a', title: 'Title', created_at: at })],
    [
      'an ISO time',
      (at: number) => ({ saved_story: { id: 'a', title: 'Title', created_at: new Date(at).toISOString() } }),
    ],
  ])('is found in a list with %s', async (_, member) => {
    const post = saved('Title');
    const lost = await lose(post, 'before');
    const body = JSON.stringify({ request_status: 'SUCCESS', saved_stories: [member(host.now())] });
    host.failNext({ match: LIST, respond: { status: 200, body } });
    expect(await ask(post, lost)).toMatchObject({ type: 'published', post: { platform_post_id: 'a' } });
  });

  test('is not called absent when the list cannot be read now', async () => {
    const post = spotlight('Unread');
    const lost = await lose(post, 'before');
    for (const respond of [
      { status: 401 },
      { status: 429 },
      { status: 500 },
      { status: 200, body: '<html>' },
    ]) {
      host.failNext({ match: LIST, respond });
      await expect(ask(post, lost)).rejects.toMatchObject({ name: 'PlatformError' });
    }
  });

  test('is repeated once, with the same media', async () => {
    const post = spotlight('Repeated');
    host.failNext({ match: CREATE, method: 'POST', drop: 'before' });
    await publishDespite(publisher, post, options());
    expect(created()).toHaveLength(2);
    expect(
      new Set(created().map(({ body }) => (JSON.parse(body.toString()) as { media_id: string }).media_id))
        .size,
    ).toBe(1);
    const other = spotlight('Lost twice');
    host.failNext({ match: CREATE, method: 'POST', drop: 'before', times: 2 });
    await expect(publishDespite(publisher, other, options())).rejects.toThrow('cannot tell');
    expect(live('Lost twice')).toEqual([]);
  });

  test('is found before it is repeated when the list lagged', async () => {
    host.platform.change!('demo', { list_lag_s: 90 });
    const post = spotlight('Listed late');
    host.failNext({ match: CREATE, method: 'POST', drop: 'after' });
    let lists = 0;
    const send: TestSandbox['http']['send'] = request => {
      if (LIST.test(request.url)) lists += 1;
      if (lists === 2) host.platform.change!('demo', { list_lag_s: 0 });
      return host.http.send(request);
    };
    await publishDespite(publisher, post, { ...options(), http: { ...host.http, send } });
    expect([live('Listed late').length, created().length]).toEqual([1, 1]);
  });
});

describe('a post whose worker loses one request', () => {
  const kinds: [string, Make][] = [
    ['spotlight', spotlight],
    ['saved story', saved],
  ];

  /** A client whose request with this index is dropped before or after Snapchat has processed it. */
  const breaking = (index: number, drop: 'before' | 'after') => {
    let sent = 0;
    const send: TestSandbox['http']['send'] = request => {
      if (sent === index) host.failNext({ drop });
      sent += 1;
      return host.http.send(request);
    };
    return { ...host.http, send };
  };

  test.each(kinds)('of type %s is live exactly once, whichever it is', async (kind, make) => {
    await drive(publisher, make(`${kind} counted`), options());
    const count = host.traffic.length;
    const wrong: string[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const when of ['before', 'after'] as const) {
        host.advance(HOUR / 4);
        grant = await connect(host);
        const text = `${kind} ${index} ${when}`;
        const http = breaking(index, when);
        const { platform_post_id } = await publishDespite(publisher, make(text), { ...options(), http });
        const ids = live(text).map(each => each.platform_post_id);
        if (ids.join() !== platform_post_id) wrong.push(`${text}: ${platform_post_id}, live ${ids.join()}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('of type story is never live twice', async () => {
    await drive(publisher, story(''), options());
    const count = host.traffic.length;
    const outcomes: string[] = [];
    for (let index = 0; index < count; index += 1) {
      for (const when of ['before', 'after'] as const) {
        host.advance(HOUR / 4);
        grant = await connect(host);
        const before = host.posts().length;
        const http = breaking(index, when);
        const ended = await publishDespite(publisher, story(''), { ...options(), http }).then(
          () => 'published',
          () => 'unknown',
        );
        outcomes.push(`${ended} ${host.posts().length - before}`);
      }
    }
    expect(outcomes.slice(0, -2)).toEqual(outcomes.slice(0, -2).map(() => 'published 1'));
    expect(outcomes.slice(-2)).toEqual(['unknown 0', 'unknown 1']);
  });
});
