import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import * as v from 'valibot';
import { fakeQueues } from '../../../test/support/queue-messages.ts';
import { createTestBucket, type TestBucket } from '../../../test/support/bucket.ts';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { newPendingPost } from '../../../test/support/delivery-world.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { createTestTable, type TestTable } from '../../../test/support/table.ts';
import type { Post } from '../../model/post.ts';
import { hashUrl } from '../../model/copy.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import { createHttpClient, type HttpClient } from '../../net/http.ts';
import { createWorkspace } from '../../runtime/bootstrap.ts';
import type { Services } from '../../runtime/services.ts';
import { copiesOfPost, getCopy } from '../../store/copies.ts';
import { MEDIA, publicUrlOf, putObject } from '../../store/objects.ts';
import { createPost, deletePost, getPost, replacePost } from '../../store/posts.ts';
import { reserveStorage, storageUsed } from '../../store/storage.ts';
import { processCopy, releaseCopies, planCopies, startCopies, withCopiedMedia } from './copy-media.ts';
import { MediaWorkSchema, type MediaWork } from '../work.ts';
import { HEAD_BYTES } from '../probe/head-bytes.ts';
import { maxBytesOf } from './post-media.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let table: TestTable;
let bucket: TestBucket;
let origin: TestOrigin;
let http: HttpClient;
let answer: RequestListener;
let asked: number;
let jpg: Buffer;
let services: Services;
let queues: ReturnType<typeof fakeQueues>;
const clock = { now: Date.UTC(2026, 11, 1, 10) };

beforeAll(async () => {
  table = await createTestTable();
  jpg = (await sampleFiles())('photo.jpg');
  http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  origin = await testOrigin((request, response) => {
    asked += 1;
    answer(request, response);
  });
});
afterAll(async () => {
  http.close();
  await origin.close();
  await table.close();
});
beforeEach(async () => {
  clock.now = Date.UTC(2026, 11, 1, 10);
  asked = 0;
  bucket = await createTestBucket();
  queues = fakeQueues();
  answer = (_, response) => void response.writeHead(200, { 'content-length': jpg.length }).end(jpg);
  services = {
    table,
    bucket,
    sqs: queues.sqs,
    lambda: queues.lambda,
    setting: (name: string) => name,
    now: () => clock.now,
  } as unknown as Services;
});
afterEach(() => bucket.close());

const url = (name = 'a.jpg') => `${origin.url}/${name}`;

/** An image post that is due in two hours. */
function waiting(changes: Partial<Post> = {}): Post {
  return {
    ...newPendingPost(clock.now, ['x', 'telegram']),
    post_type: 'image',
    scheduling: 'scheduled',
    due_at: clock.now + 2 * HOUR,
    media_urls: [url()],
    ...changes,
  };
}

async function create(post: Post): Promise<Post> {
  await planCopies(services, post);
  await createPost(table, post);
  await startCopies(services, post);
  return post;
}

const run = () => ({ services, http, remainingMs: () => 60_000, maxInlineBytes: Infinity, maxFailures: 2 });
const handle = (message: MediaWork) =>
  message.kind === 'copy' ? processCopy(run(), message) : Promise.reject(new Error('Not a copy message'));

/** Handles all messages of the queue. */
async function work(): Promise<void> {
  for (const { body } of queues.take()) await handle(v.parse(MediaWorkSchema, body));
}

/** Processes every copy of a post that is due, as the sweeper has it done. */
async function sweep(post: Post): Promise<void> {
  for (const copy of await copiesOfPost(table, post.workspace_id, post.post_id)) {
    if (copy.wake_at <= clock.now) await processCopy(run(), copy);
  }
}

const copies = (post: Post) => copiesOfPost(table, post.workspace_id, post.post_id);
const delivered = async (post: Post) => (await withCopiedMedia(services, post)).media_urls;
const fetched = async (from: string) => Buffer.from(await (await fetch(from)).arrayBuffer());

/** Gives all destinations of a post this final status. */
async function settle(post: Post, status: 'published' | 'failed'): Promise<Post> {
  const end = { changed_at: clock.now, outbox: [], revision: 2 };
  const destinations = Object.fromEntries(
    Object.values(post.destinations).map(each => [
      each.platform,
      status === 'published'
        ? {
            ...each,
            ...end,
            status,
            platform_post_id: '1',
            platform_post_url: null,
            published_at: clock.now,
            follow_ups: [],
            lease: null,
          }
        : {
            ...each,
            ...end,
            status,
            error: { code: 'INTERNAL', category: 'internal', message: 'x', remedy: 'y', retryable: true },
            abandoned: null,
          },
    ]),
  ) as Post['destinations'];
  await replacePost(table, post, { ...post, destinations });
  return (await getPost(table, post.workspace_id, post.post_id))!;
}

describe('a waiting post', () => {
  test('is delivered with the copy when its link stops working', async () => {
    const post = await create(waiting());
    await work();
    answer = (_, response) => void response.writeHead(403).end();
    const [copy] = await delivered(post);
    expect(copy).toMatch(new RegExp(`^${bucket.publicUrl}/copies/[\\w-]{32}\\.jpg$`));
    expect((await fetched(copy!)).equals(jpg)).toBe(true);
    expect(post.media_urls).toEqual([url()]);
  });

  test('has every file that is sent copied once', async () => {
    const mp4 = (await sampleFiles())('clip.mp4');
    answer = (request, response) => void response.end(request.url === '/cover.jpg' ? jpg : mp4);
    const post = await create(
      waiting({
        media_urls: [url('a.jpg'), url('b.jpg'), url('a.jpg')],
        destinations: newPendingPost(clock.now, ['instagram', 'x']).destinations,
        post_type: 'video',
        scheduling: 'scheduled',
        options: { instagram_media_urls: [url('own.jpg')], instagram_cover_url: url('cover.jpg') },
      }),
    );
    const planned = (await copies(post)).map(copy => copy.url).sort();
    expect(planned).toEqual([url('a.jpg'), url('cover.jpg'), url('own.jpg')]);
    await work();
    const after = await withCopiedMedia(services, post);
    expect(JSON.stringify(after.options)).not.toContain(origin.url);
  });

  test('has no file copied beyond those that its platforms accept', async () => {
    const media_urls = Array.from({ length: 30 }, (_, index) => url(`${index}.jpg`));
    const post = await create(waiting({ media_urls }));
    const planned = (await copies(post)).map(copy => copy.url).sort();
    expect(planned).toEqual(media_urls.slice(0, 10).sort());
    expect(queues.take()).toHaveLength(10);
  });

  test.each<[string, RequestListener]>([
    ['answers 404', (_, response) => void response.writeHead(404).end()],
    [
      'returns a web page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    ['hangs up', request => void request.socket.destroy()],
  ])('is delivered with its original link when the host %s', async (_, listener) => {
    answer = listener;
    const post = await create(waiting());
    await work();
    expect(await delivered(post)).toEqual([url()]);
    expect(bucket.keys()).toEqual([]);
  });

  test('does not wait for unfinished copies', async () => {
    const post = await create(waiting());
    expect(await delivered(post)).toEqual([url()]);
  });

  test('keeps the URLs of media in the bucket', async () => {
    await putObject(bucket, `${MEDIA}x.jpg`, jpg, 'image/jpeg');
    const own = publicUrlOf(bucket, `${MEDIA}x.jpg`);
    const post = await create(waiting({ media_urls: [own] }));
    expect(await copies(post)).toEqual([]);
    expect(queues.take()).toEqual([]);
    expect(await delivered(post)).toEqual([own]);
  });

  test('has a lost message sent again by the sweeper', async () => {
    const post = await create(waiting());
    queues.take();
    clock.now += 3 * MINUTE;
    await sweep(post);
    expect((await copies(post))[0]?.status).toBe('ready');
  });

  test('has one copy made by concurrent and repeated messages', async () => {
    const post = await create(waiting());
    const messages = queues.take().map(({ body }) => v.parse(MediaWorkSchema, body));
    await Promise.all([...messages, ...messages, ...messages].map(handle));
    await Promise.all(messages.map(handle));
    expect([bucket.keys().length, asked]).toEqual([1, 1]);
    expect((await copies(post))[0]?.status).toBe('ready');
  });

  test('has its copy finished after a crash before any call of the worker', async () => {
    for (let at = 1; at <= 8; at += 1) {
      const post = await create(waiting());
      const [message] = queues.take().map(({ body }) => v.parse(MediaWorkSchema, body));
      let calls = 0;
      const crashing = async <T>(call: () => Promise<T>): Promise<T> => {
        calls += 1;
        if (calls >= at) throw new Error('crashed');
        return call();
      };
      const crashingServices = {
        ...services,
        table: { ...table, client: { send: (command: never) => crashing(() => table.client.send(command)) } },
        bucket: {
          ...bucket,
          client: { send: (command: never) => crashing(() => bucket.client.send(command)) },
        },
      } as unknown as Services;
      await processCopy({ ...run(), services: crashingServices }, message as never).catch(() => undefined);
      clock.now += 3 * MINUTE;
      await sweep(post);
      expect({ at, status: (await copies(post))[0]?.status }).toEqual({ at, status: 'ready' });
      expect((await fetched((await delivered(post))[0]!)).equals(jpg)).toBe(true);
      await deletePost(table, post);
      await releaseCopies(services, post);
      await work();
      expect({ at, keys: bucket.keys() }).toEqual({ at, keys: [] });
    }
  });
});

describe('the copies', () => {
  test('of an edited post follow its URLs', async () => {
    const post = await create(waiting({ media_urls: [url('a.jpg'), url('b.jpg')] }));
    await work();
    const next = { ...post, version: 2, media_urls: [url('b.jpg'), url('c.jpg')] };
    await planCopies(services, next);
    await replacePost(table, post, next);
    await startCopies(services, next);
    await work();
    expect(asked).toBe(3);
    clock.now = post.due_at + DAY + MINUTE;
    await sweep(next);
    expect((await copies(next)).map(copy => copy.url).sort()).toEqual([url('b.jpg'), url('c.jpg')]);
  });

  test('are removed with a deleted post', async () => {
    const post = await create(waiting());
    await work();
    await deletePost(table, post);
    await releaseCopies(services, post);
    await work();
    expect([await copies(post), bucket.keys()]).toEqual([[], []]);
  });

  test('of a post that was never stored are removed', async () => {
    const post = waiting();
    await planCopies(services, post);
    clock.now += 3 * MINUTE;
    await sweep(post);
    expect(await copies(post)).toEqual([]);
  });

  test.each([
    ['a day after a post was published', 'published', 1],
    ['a week after a post failed', 'failed', 7],
  ] as const)('are removed %s', async (_, status, days) => {
    const post = await create(waiting());
    await work();
    clock.now = post.due_at + MINUTE;
    const settled = await settle(post, status);
    clock.now += days * DAY - 2 * MINUTE;
    await sweep(settled);
    expect(bucket.keys()).toHaveLength(1);
    clock.now += HOUR;
    for (let round = 0; round < 3; round += 1) {
      await sweep(settled);
      clock.now += DAY / 24;
    }
    expect([await copies(settled), bucket.keys()]).toEqual([[], []]);
  });

  test('are kept as long as a post is late', async () => {
    const post = await create(waiting());
    await work();
    clock.now = post.due_at + 3 * DAY;
    await sweep(post);
    expect(bucket.keys()).toHaveLength(1);
    const ref = { workspace_id: post.workspace_id, post_id: post.post_id, url_hash: hashUrl(url()) };
    expect((await getCopy(table, ref))?.wake_at).toBeGreaterThan(clock.now);
  });
});

describe('the storage of a workspace', () => {
  const used = () => storageUsed(table, workspaceId);
  const LIMIT = PLAN_LIMITS.starter.storage_bytes!;
  let workspaceId: string;
  beforeEach(async () => {
    const input = { name: 'Acme', plan: 'starter', owner_email: 'a@example.com' } as const;
    workspaceId = (await createWorkspace(table, input, clock.now)).workspace.workspace_id;
  });

  test('counts the copies of a post until they are removed', async () => {
    const media_urls = [url('a.jpg'), url('b.jpg')];
    const post = await create(waiting({ workspace_id: workspaceId, media_urls }));
    const messages = queues.take().map(({ body }) => v.parse(MediaWorkSchema, body));
    for (const message of [...messages, ...messages]) await handle(message);
    expect(await used()).toBe(2 * jpg.length);
    await deletePost(table, post);
    for (const message of [...messages, ...messages]) await handle(message);
    expect([await used(), bucket.keys()]).toEqual([0, []]);
  });

  test('keeps no copy that does not fit; its post is published from the original', async () => {
    const full = { workspace_id: workspaceId, file_id: 'full' };
    await reserveStorage(table, full, LIMIT - jpg.length + 1, LIMIT);
    const post = await create(waiting({ workspace_id: workspaceId }));
    await work();
    expect((await copies(post))[0]).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/storage limit/),
    });
    expect([bucket.keys(), await delivered(post)]).toEqual([[], [url()]]);
    expect(await used()).toBe(LIMIT - jpg.length + 1);
  });
});

describe('a file that its post cannot contain', () => {
  test('is not copied where it is larger than every platform accepts', async () => {
    const post = waiting();
    const { image } = await maxBytesOf(post, url());
    expect(await maxBytesOf(post, url())).toEqual({ image: expect.any(Number), video: 0, document: 0 });
    answer = (_, response) => {
      response
        .writeHead(200, { 'content-length': image + 1 })
        .write(Buffer.concat([jpg, Buffer.alloc(HEAD_BYTES)]));
    };
    await create(post);
    await work();
    expect((await copies(post))[0]).toMatchObject({
      status: 'failed',
      error: `The file is larger than ${image} bytes`,
    });
    expect(bucket.keys()).toEqual([]);
  });

  test('is not copied where it is of another kind', async () => {
    const mp4 = (await sampleFiles())('clip.mp4');
    answer = (_, response) => void response.end(mp4);
    const post = await create(waiting());
    await work();
    expect((await copies(post))[0]).toMatchObject({
      status: 'failed',
      error: 'The file is MP4, which the post cannot contain',
    });
  });
});

test.each([
  ['an immediate post', { scheduling: 'immediate' as const }],
  ['a text post', { post_type: 'text' as const, media_urls: [] }],
])('neither copies nor looks for copies of %s', async (_, change) => {
  const post = await create(waiting(change));
  expect(queues.take()).toEqual([]);
  const withoutTable = { ...services, table: null } as unknown as Services;
  expect(await withCopiedMedia(withoutTable, post)).toBe(post);
});
