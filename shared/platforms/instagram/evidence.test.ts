import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { contextOf, drive, reconcile, type DriveOptions } from '../../../test/support/drive.ts';
import {
  connected,
  jobOf,
  optionsOf,
  servedBucket,
  type Connected,
} from '../../../test/support/instagram.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { Checkpoint } from '../../model/destination.ts';
import { HttpFailure, type HttpClient } from '../../net/http.ts';
import type { Finding, PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

/* What becomes of a publishing request whose outcome is not known: the post is live once, and recorded so. */

const PUBLISH = /media_publish/;
const STATUS = /fields=status_code/;
const SETTLE_MS = 45_000;

let jpeg: Buffer;
let clip: Buffer;
beforeAll(async () => {
  clip = (await sampleFiles())('clip.mp4');
  const plain = { width: 40, height: 40, channels: 3, background: 'teal' } as const;
  jpeg = await sharp({ create: plain }).jpeg().toBuffer();
});

let host: TestSandbox;
let who: Connected;
let options: DriveOptions;
const opened: TestSandbox[] = [];
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  opened.push(host);
  await use('instagram');
});
afterAll(async () => {
  await Promise.all(opened.map(each => each.close()));
});

async function use(way: 'instagram' | 'facebook'): Promise<void> {
  who = await connected(host, way);
  options = optionsOf(host, who, servedBucket(host));
}

const image = (description = 'Hello @friend\r\nbye') =>
  jobOf(host, who, { description, media_urls: [host.addMedia('a', jpeg)] });
const mode = (change: object) => host.platform.change!('demo', { ...change });
const publishes = () => host.traffic.filter(({ url }) => PUBLISH.test(url)).length;

/** Publishes as delivery does: after a lost commit it reconciles, and repeats only what is absent. */
async function deliver(job: PublishJob, http: HttpClient = host.http): Promise<Finding> {
  let checkpoint = publisher.start(job);
  const onCheckpoint = (at: Checkpoint) => void (checkpoint = at);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const intentAt = host.now();
    try {
      const { post } = await drive(publisher, job, { ...options, http, from: checkpoint, onCheckpoint });
      return { type: 'published', post };
    } catch (error) {
      if (!(error instanceof HttpFailure) && !isTransient(error)) throw error;
      host.advance(SETTLE_MS);
    }
    if (checkpoint.step !== 'publish') continue;
    const finding = await reconcileToEnd(job, checkpoint, intentAt);
    if (finding.type !== 'absent') return finding;
  }
  throw new Error('Not published');
}

const isTransient = (error: unknown) =>
  error instanceof Error && 'kind' in error && error.kind === 'transient';

async function reconcileToEnd(job: PublishJob, checkpoint: Checkpoint, intentAt: number): Promise<Finding> {
  for (;;) {
    const finding = await reconcile(publisher, job, checkpoint, intentAt, options);
    if (finding.type !== 'wait') return finding;
    host.advance(finding.delayMs);
  }
}

const expectOneLive = (finding: Finding) => {
  expect(host.posts()).toHaveLength(1);
  const [live] = host.posts();
  expect(finding).toMatchObject({
    type: 'published',
    post: { platform_post_id: live!.platform_post_id, platform_post_url: live!.platform_post_url },
  });
};

describe.each(['before', 'after'] as const)('a connection that breaks %s the request is processed', drop => {
  test.each(['instagram', 'facebook'] as const)('leaves the image live once with %s login', async way => {
    await use(way);
    host.failNext({ match: PUBLISH, drop });
    expectOneLive(await deliver(image()));
  });

  test('leaves a carousel, a Reel and a story live once', async () => {
    const media = host.addMedia('clip', clip);
    const contents = [
      { media_urls: [host.addMedia('a', jpeg), host.addMedia('b', jpeg)] },
      { post_type: 'video' as const, media_urls: [media] },
      { post_type: 'video' as const, media_urls: [media], options: { instagram_media_type: 'STORIES' } },
    ];
    for (const [index, content] of contents.entries()) {
      host.failNext({ match: PUBLISH, drop });
      const finding = await deliver(jobOf(host, who, content));
      expect(host.posts()).toHaveLength(index + 1);
      expect(finding).toMatchObject({
        type: 'published',
        post: { platform_post_id: host.posts().at(-1)!.platform_post_id },
      });
    }
  });
});

describe.each([1, 2])('a worker that dies while it publishes %i image(s)', count => {
  const post = (description: string) => {
    const media_urls = Array.from({ length: count }, (_, index) => host.addMedia(`p${index}`, jpeg));
    return jobOf(host, who, { description, media_urls });
  };

  test.each(['before', 'after'] as const)('%s any request leaves the post live once', async when => {
    const before = host.traffic.length;
    const { ran } = await drive(publisher, post('counting'), options);
    expect(ran.at(-1)).toBe('publish');
    const total = host.traffic.length - before;
    expect(total).toBeGreaterThan(5);
    for (let index = 0; index < total; index += 1) {
      const live = host.posts().length;
      let left = index;
      const dying: HttpClient = {
        ...host.http,
        send: async request => {
          const dies = left === 0;
          left -= 1;
          if (dies && when === 'before') throw new HttpFailure('network', 'The worker died', false);
          const response = await host.http.send(request);
          if (dies) throw new HttpFailure('network', 'The worker died', true);
          return response;
        },
      };
      const finding = await deliver(post(`with a death at ${index}`), dying);
      expect([index, host.posts().length - live]).toEqual([index, 1]);
      expect(finding).toMatchObject({ post: { platform_post_id: host.posts().at(-1)!.platform_post_id } });
    }
  });
});

describe.each([
  ['spam (4/2207051)', { status: 400, code: 4, subcode: 2207051 }],
  ['a missing permission (10)', { status: 403, code: 10 }],
  ['an error of the server (2)', { status: 500, code: 2 }],
  ['an error that Instagram does not explain (-1)', { status: 400, code: -1 }],
])('a refusal because of %s', (_, answer) => {
  test('is recognised as wrong when the post went live all the same', async () => {
    mode({ next_publish: { ...answer, live: true } });
    expectOneLive(await deliver(image()));
    expect(publishes()).toBe(1);
  });

  test('is recognised as wrong when Instagram was slow to answer', async () => {
    mode({ next_publish: { ...answer, live: true } });
    const slow: HttpClient = {
      ...host.http,
      send: async request => {
        const response = await host.http.send(request);
        if (PUBLISH.test(request.url)) host.advance(20_000);
        return response;
      },
    };
    expectOneLive(await deliver(image(), slow));
  });
});

describe('a refusal that is true', () => {
  test('because of spam waits for a day, without publishing again', async () => {
    mode({ next_publish: { status: 400, code: 4, subcode: 2207051, live: false } });
    await expect(deliver(image())).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      retryAfterMs: 23 * 3_600_000,
      retries: 1,
    });
    expect([publishes(), host.posts().length]).toEqual([1, 0]);
  });

  test('because of a missing permission asks to reconnect', async () => {
    mode({ next_publish: { status: 403, code: 10, live: false } });
    await expect(deliver(image())).rejects.toMatchObject({ kind: 'rejected', code: 'PERMISSION_MISSING' });
    expect([publishes(), host.posts().length]).toEqual([1, 0]);
  });
});

describe('the evidence', () => {
  /** Loses the response of a publishing request and returns what is known afterwards. */
  async function lose(job: PublishJob): Promise<{ checkpoint: Checkpoint; intentAt: number }> {
    let checkpoint = publisher.start(job);
    const intentAt = host.now();
    host.failNext({ match: PUBLISH, drop: 'after' });
    await expect(
      drive(publisher, job, { ...options, onCheckpoint: at => void (checkpoint = at) }),
    ).rejects.toMatchObject({ outcomeUnknown: true });
    host.advance(SETTLE_MS);
    return { checkpoint, intentAt };
  }

  test.each([true, false])('compares captions with and without @ (read back with: %s)', async keeps => {
    mode({ keeps_mentions: keeps });
    const job = image('With @someone and\r\nlines ');
    const { checkpoint, intentAt } = await lose(job);
    expectOneLive(await reconcileToEnd(job, checkpoint, intentAt));
  });

  test('does not take another post with the same caption for this one', async () => {
    const earlier = image('twice');
    await drive(publisher, earlier, options);
    host.advance(60_000);
    const job = image('twice');
    const { checkpoint, intentAt } = await lose(job);
    expect(await reconcileToEnd(job, checkpoint, intentAt)).toMatchObject({
      post: { platform_post_id: host.posts().at(-1)!.platform_post_id },
    });
    expect(host.posts()).toHaveLength(2);
  });

  test('is a live post without id when several look like it', async () => {
    const job = image('three times');
    const { checkpoint, intentAt } = await lose(job);
    await drive(publisher, image('three times'), options);
    expect(await reconcileToEnd(job, checkpoint, intentAt)).toEqual({
      type: 'published',
      post: {
        platform_post_id: 'unknown',
        platform_post_url: 'https://www.instagram.com/demo/',
        published_at: expect.any(Number),
      },
    });
  });

  test('is a live post without id when the host does not show captions', async () => {
    mode({ plain_media_fields: true });
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    expect(await reconcileToEnd(job, checkpoint, intentAt)).toMatchObject({
      post: { platform_post_id: 'unknown' },
    });
  });

  test('is looked for again when the list was refused by accident', async () => {
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    host.advance(3 * 60_000);
    const refusal = { status: 400, body: '{"error":{"message":"Invalid parameter","code":100}}' };
    host.failNext({ match: /\/media\?.*caption/, respond: refusal });
    expectOneLive(await reconcileToEnd(job, checkpoint, intentAt));
  });

  test('is the list alone while the container is hidden', async () => {
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    mode({ hides_from: ['instagram'] });
    expectOneLive(await reconcileToEnd(job, checkpoint, intentAt));
  });

  test('is missing when the container stays hidden and the list has nothing: the post is not repeated', async () => {
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    mode({ hides_from: ['instagram'] });
    const empty = { status: 200, body: '{"data":[]}' };
    host.failNext({ match: /\/media\?.*caption/, respond: empty, times: 20 });
    expect(await reconcileToEnd(job, checkpoint, intentAt)).toEqual({ type: 'unknown' });
    expect(publishes()).toBe(1);
  });

  test('is never a refused read', async () => {
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    for (const match of [STATUS, /\/media\?.*caption/]) {
      host.failNext({ match, respond: { status: 403, body: '{"error":{"message":"No","code":10}}' } });
      await expect(reconcile(publisher, job, checkpoint, intentAt, options)).rejects.toMatchObject({
        code: 'PERMISSION_MISSING',
      });
    }
  });

  test('waits for the list after the container says that it is published', async () => {
    const job = image();
    const { checkpoint, intentAt } = await lose(job);
    host.failNext({ match: /\/media\?.*caption/, respond: { status: 200, body: '{"data":[]}' } });
    expect(await reconcile(publisher, job, checkpoint, intentAt, options)).toMatchObject({ type: 'wait' });
    expectOneLive(await reconcileToEnd(job, checkpoint, intentAt));
  });
});

test('a container that is published already is not published again', async () => {
  const job = image();
  let checkpoint = publisher.start(job);
  host.failNext({ match: PUBLISH, drop: 'after' });
  await expect(
    drive(publisher, job, { ...options, onCheckpoint: at => void (checkpoint = at) }),
  ).rejects.toThrow();
  const { post } = await drive(publisher, job, { ...options, from: checkpoint });
  expectOneLive({ type: 'published', post });
  expect(publishes()).toBe(1);
});

describe('a first comment', () => {
  const job = () => ({ ...image(), first_comment: 'First, @you' });
  const comment = () => publisher.followUps(job()).find(({ name }) => name === 'first_comment')!;
  const comments = () => host.posts()[0]!.comments;

  test('whose response was lost is found, and is not repeated', async () => {
    host.failNext({ match: /\/comments/, method: 'POST', drop: 'after' });
    await expect(drive(publisher, job(), options)).rejects.toMatchObject({ outcomeUnknown: true });
    const post = {
      platform_post_id: host.posts()[0]!.platform_post_id,
      platform_post_url: null,
      published_at: 0,
    };
    expect(await comment().reconcile!(contextOf(job(), options), {}, post, host.now())).toEqual({
      type: 'done',
    });
    expect(comments()).toHaveLength(1);
  });

  test('that did not arrive is absent', async () => {
    host.failNext({ match: /\/comments/, method: 'POST', drop: 'before' });
    await expect(drive(publisher, job(), options)).rejects.toMatchObject({ outcomeUnknown: true });
    const post = {
      platform_post_id: host.posts()[0]!.platform_post_id,
      platform_post_url: null,
      published_at: 0,
    };
    expect(await comment().reconcile!(contextOf(job(), options), {}, post, host.now())).toEqual({
      type: 'absent',
    });
  });

  test('is sent without fields, which would create it and fail', async () => {
    await drive(publisher, job(), options);
    const [sent] = host.traffic.filter(({ url, method }) => /\/comments/.test(url) && method === 'POST');
    expect(sent!.body.toString()).toBe(new URLSearchParams({ message: 'First, @you' }).toString());
    expect(sent!.url).not.toContain('fields');
  });

  test('that is not allowed fails alone', async () => {
    mode({ no_comments: true });
    await expect(drive(publisher, job(), options)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
    });
    expect(host.posts()).toHaveLength(1);
  });
});
