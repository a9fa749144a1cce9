import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive, reconcile, repeatCommit, type DriveOptions } from '../../../test/support/drive.ts';
import { allTaken } from '../../../test/support/identify.ts';
import { connect, jobOf, targetsOf } from '../../../test/support/gbp.ts';
import { padded, sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { servedBucket } from '../../../test/support/served-bucket.ts';
import { publishDespite } from '../../../test/support/survive.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import type { JsonObject } from '../../model/json.ts';
import { HttpFailure, type HttpClient } from '../../net/http.ts';
import type { Target } from '../contract/connector.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

const POSTS = /\/localPosts(\?|$)/;
const MEDIA = /\/media(\?|$)/;
const HOUR = 3_600_000;
const PARENT = 'accounts/110000000000000000001/locations/12341542785316514841';
const FETCH_LIMIT = 26_214_400;
/** An access token lasts an hour, which is how long a review takes: the test clock shortens its longest waits. */
const LONGEST_WAIT_MS = 600_000;

let host: TestSandbox;
let served: Awaited<ReturnType<typeof servedBucket>>;
let file: (name: string) => Buffer;
let grant: AnyGrant;
let target: Target;
let waits: number[];
beforeAll(async () => {
  [host, served, file] = await Promise.all([startSandboxHost(sandbox), servedBucket(), sampleFiles()]);
});
afterAll(() => Promise.all([host.close(), served.close()]));
beforeEach(async () => {
  host.advance(HOUR);
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  waits = [];
  await login('demo');
});

async function login(as: string, location = 0): Promise<void> {
  grant = await connect(host, { as });
  target = (await targetsOf(host, grant))[location]!;
  host.traffic.length = 0;
}

const options = (): DriveOptions => ({
  credentials: grant.credentials,
  target,
  app: APP,
  http: host.http,
  media: host.media,
  bucket: served.bucket,
  now: host.now,
  advance: ms => {
    waits.push(ms);
    host.advance(Math.min(ms, LONGEST_WAIT_MS));
  },
  remainingMs: () => 240_000,
});
const withFile = (name: string, bytes = file(name)) => [host.addMedia(name, bytes)];
const image = (more: Partial<PublishJob> = {}, fields: JsonObject = {}) =>
  jobOf(host, grant, fields, { post_type: 'image', media_urls: withFile('photo.jpg'), ...more });
const video = (more: Partial<PublishJob> = {}, fields: JsonObject = {}) =>
  jobOf(host, grant, fields, { post_type: 'video', media_urls: withFile('clip.mp4'), ...more });
const run = (job: PublishJob, more: Partial<DriveOptions> = {}) =>
  drive(publisher, job, { ...options(), ...more });
const requests = (match: RegExp, method?: string) =>
  host.traffic.filter(each => match.test(each.url) && (method ?? each.method) === each.method);
const sent = (match = POSTS) =>
  requests(match, 'POST').map(({ body }) => JSON.parse(body.toString()) as JsonObject);
const live = (text: string) => host.posts().filter(post => post.text === text);
const invalid = (...errorDetails: object[]) => ({
  status: 400,
  body: JSON.stringify({
    error: {
      code: 400,
      message: 'Request contains an invalid argument.',
      status: 'INVALID_ARGUMENT',
      ...(errorDetails.length > 0 ? { details: [{ errorDetails }] } : {}),
    },
  }),
});

describe('a post', () => {
  test('with a text has topic and language, and is reviewed until it is live', async () => {
    const { post, ran } = await run(jobOf(host, grant));
    expect(ran).toEqual(['prepare', 'publish', 'review']);
    expect(sent()).toEqual([
      { languageCode: 'en', topicType: 'STANDARD', summary: 'Fresh bread from 7 am.' },
    ]);
    expect(requests(POSTS, 'POST')[0]!.url).toBe(`https://mybusiness.googleapis.com/v4/${PARENT}/localPosts`);
    expect(post).toMatchObject({
      platform_post_id: expect.stringMatching(new RegExp(`^${PARENT}/localPosts/\\d+$`)),
      platform_post_url: expect.stringContaining('https://local.google.com/place?'),
    });
    expect(live('Fresh bread from 7 am.')).toHaveLength(1);
  });

  test('uses the language of the location', async () => {
    await login('demo_many');
    await run(jobOf(host, grant));
    expect(sent()).toMatchObject([{ languageCode: 'de' }]);
  });

  test('links to the map until Google sends the link of the post', async () => {
    host.setProcessing({ seconds: 7200 });
    const { post } = await run(jobOf(host, grant));
    expect(post.platform_post_url).toBe('https://maps.google.com/maps?cid=12341542785316514841');
  });

  test.each(['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP'])(
    'with the button %s opens its page',
    async type => {
      await run(jobOf(host, grant, { gbp_cta_type: type, gbp_cta_url: 'https://example.com/a' }));
      expect(sent()).toMatchObject([{ callToAction: { actionType: type, url: 'https://example.com/a' } }]);
    },
  );

  test('with the button CALL has no URL, even if one was given', async () => {
    await run(jobOf(host, grant, { gbp_cta_type: 'CALL', gbp_cta_url: 'https://example.com/' }));
    expect(sent()).toMatchObject([{ callToAction: { actionType: 'CALL' } }]);
    expect(sent()[0]!['callToAction']).not.toHaveProperty('url');
  });

  test('keeps a title for events only', async () => {
    await run(jobOf(host, grant, {}, { title: 'Title' }));
    expect(JSON.stringify(sent())).not.toContain('Title');
  });
});

describe('an event', () => {
  const EVENT = { gbp_topic_type: 'EVENT', gbp_event_title: 'Tasting' };
  const at = (hours: number, minutes: number) => ({ hours, minutes, seconds: 0, nanos: 0 });

  test.each<[string, JsonObject, object]>([
    [
      'with all fields sends local times as they were written',
      {
        gbp_event_start_date: '2026-10-31',
        gbp_event_start_time: '09:30',
        gbp_event_end_date: '2026-11-01',
        gbp_event_end_time: '17:00',
      },
      {
        startDate: { year: 2026, month: 10, day: 31 },
        startTime: at(9, 30),
        endDate: { year: 2026, month: 11, day: 1 },
        endTime: at(17, 0),
      },
    ],
    [
      'with only a first day lasts that day',
      { gbp_event_start_date: '2026-10-31' },
      {
        startDate: { year: 2026, month: 10, day: 31 },
        startTime: at(0, 0),
        endDate: { year: 2026, month: 10, day: 31 },
        endTime: at(23, 59),
      },
    ],
    [
      'with days in another time zone keeps the days as they were written',
      {
        gbp_event_start_date: '2026-10-31T23:30:00-08:00',
        gbp_event_end_date: '2026-11-01T00:30:00+14:00',
      },
      { startDate: { year: 2026, month: 10, day: 31 }, endDate: { year: 2026, month: 11, day: 1 } },
    ],
    [
      'on the day of a time change keeps its times',
      { gbp_event_start_date: '2026-03-29', gbp_event_start_time: '02:30', gbp_event_end_time: '03:00' },
      { startTime: at(2, 30), endTime: at(3, 0) },
    ],
  ])('%s', async (_, fields, schedule) => {
    await run(jobOf(host, grant, { ...EVENT, ...fields }));
    expect(sent()).toMatchObject([{ topicType: 'EVENT', event: { title: 'Tasting', schedule } }]);
    expect(host.posts()).toMatchObject([{ title: 'Tasting' }]);
  });

  test('has a picture and a button, and falls back to the title of the post', async () => {
    await run(
      image(
        { title: 'My day' },
        { gbp_topic_type: 'EVENT', gbp_event_start_date: '2026-10-31', gbp_cta_type: 'CALL' },
      ),
    );
    expect(sent()).toMatchObject([
      { event: { title: 'My day' }, callToAction: { actionType: 'CALL' }, media: [{ mediaFormat: 'PHOTO' }] },
    ]);
  });

  test('that is over everywhere on earth is refused before it is sent', async () => {
    const over = { ...EVENT, gbp_event_start_date: '2026-03-01' };
    host.advance(Date.parse('2026-03-02T11:58:00Z') - host.now());
    await expect(run(jobOf(host, grant, over))).resolves.toBeDefined();
    host.advance(Date.parse('2026-03-02T12:00:00Z') - host.now());
    await expect(run(jobOf(host, grant, over))).rejects.toMatchObject({
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining('is over since 2026-03-01T23:59'),
    });
  });
});

describe('an offer', () => {
  test('sends all fields, and no button', async () => {
    await run(
      jobOf(host, grant, {
        gbp_topic_type: 'OFFER',
        gbp_event_title: 'October offer',
        gbp_event_start_date: '2026-10-01',
        gbp_event_end_date: '2026-10-31',
        gbp_coupon_code: 'BREAD10',
        gbp_redeem_url: 'https://example.com/offer',
        gbp_terms: 'One per person.',
        gbp_cta_type: 'SHOP',
        gbp_cta_url: 'https://example.com/',
      }),
    );
    expect(sent()).toEqual([
      {
        languageCode: 'en',
        topicType: 'OFFER',
        summary: 'Fresh bread from 7 am.',
        event: {
          title: 'October offer',
          schedule: {
            startDate: { year: 2026, month: 10, day: 1 },
            startTime: { hours: 0, minutes: 0, seconds: 0, nanos: 0 },
            endDate: { year: 2026, month: 10, day: 31 },
            endTime: { hours: 23, minutes: 59, seconds: 0, nanos: 0 },
          },
        },
        offer: {
          couponCode: 'BREAD10',
          redeemOnlineUrl: 'https://example.com/offer',
          termsConditions: 'One per person.',
        },
      },
    ]);
  });

  test('without dates lasts a week from the day it is due', async () => {
    const due_at = Date.parse('2026-12-28T23:00:00Z');
    await run(jobOf(host, grant, { gbp_topic_type: 'OFFER' }, { title: 'Sale', due_at }));
    expect(sent()).toMatchObject([
      {
        offer: {},
        event: {
          title: 'Sale',
          schedule: {
            startDate: { year: 2026, month: 12, day: 28 },
            endDate: { year: 2027, month: 1, day: 4 },
          },
        },
      },
    ]);
  });
});

describe('an image', () => {
  test('is fetched by Google from the bucket, with its format', async () => {
    await run(image());
    expect(sent()).toMatchObject([
      { media: [{ mediaFormat: 'PHOTO', sourceUrl: expect.stringContaining(served.bucket.publicUrl) }] },
    ]);
    expect(live('Fresh bread from 7 am.')).toMatchObject([
      { kind: 'image', media: [{ type: 'image/jpeg' }] },
    ]);
  });

  test('without a text shows the title as the text', async () => {
    await run(image({ description: null, title: 'Open again' }));
    expect(sent()).toMatchObject([{ summary: 'Open again' }]);
  });

  test('that Google fetches after its answer is rejected later when that fails', async () => {
    host.platform.change!('demo', { fetch_after_s: 20 });
    await run(image());
    expect(live('Fresh bread from 7 am.')).toMatchObject([{ media: [{ type: 'image/jpeg' }] }]);
    const gone = image({ description: 'Gone' });
    const interrupted = drive(publisher, gone, {
      ...options(),
      onCheckpoint: ({ step }) => {
        if (step === 'publish') served.bucket.objects.clear();
      },
    });
    await expect(interrupted).rejects.toThrow('review was rejected');
    expect(live('Gone')).toEqual([]);
  });

  test('that Google could not fetch is tried again, twice', async () => {
    host.failNext({ match: POSTS, respond: invalid({ code: 1000, message: 'Fetching image failed.' }) });
    await expect(run(image())).rejects.toMatchObject({
      kind: 'transient',
      code: 'MEDIA_REJECTED',
      retries: 2,
    });
  });
});

describe('a video', () => {
  test('without a text becomes an item of the gallery', async () => {
    const { post, ran } = await run(
      video({ description: null, title: 'Our oven' }, { gbp_cta_type: 'CALL' }),
    );
    expect(new Set(ran)).toEqual(new Set(['prepare', 'publish', 'review']));
    expect(sent(MEDIA)).toEqual([
      {
        mediaFormat: 'VIDEO',
        locationAssociation: { category: 'ADDITIONAL' },
        sourceUrl: expect.any(String),
        description: 'Our oven',
      },
    ]);
    expect(sent()).toEqual([]);
    expect(post).toMatchObject({
      platform_post_id: expect.stringMatching(new RegExp(`^${PARENT}/media/`)),
      platform_post_url: 'https://maps.google.com/maps?cid=12341542785316514841',
    });
    expect(host.posts()).toMatchObject([{ kind: 'video', media: [{ type: 'video/mp4' }] }]);
  });

  test('with a text is followed by a post, which stands for both', async () => {
    const { post } = await run(video({}, { gbp_cta_type: 'CALL' }));
    expect([sent(MEDIA).length, sent().length]).toEqual([1, 1]);
    expect(sent()).toMatchObject([
      { summary: 'Fresh bread from 7 am.', callToAction: { actionType: 'CALL' } },
    ]);
    expect(sent()[0]).not.toHaveProperty('media');
    expect(post.platform_post_id).toContain('/localPosts/');
  });

  test('of an event is followed by the event', async () => {
    await run(
      video(
        { description: null, title: 'Tasting' },
        { gbp_topic_type: 'EVENT', gbp_event_start_date: '2026-10-31' },
      ),
    );
    expect(sent()).toMatchObject([{ topicType: 'EVENT', event: { title: 'Tasting' } }]);
    expect(sent()[0]).not.toHaveProperty('summary');
  });

  test.each([
    [FETCH_LIMIT, true],
    [FETCH_LIMIT + 1, false],
  ])('of %i bytes is accepted: %s', async (size, isAccepted) => {
    const bytes = padded(file('clip.mp4'), size);
    served.bucket.objects.set(`public/media/${size}.mp4`, { bytes, type: 'video/mp4' });
    const media_urls = [`${served.bucket.publicUrl}/media/${size}.mp4`];
    const result = run(video({ media_urls, description: null }));
    if (isAccepted) await expect(result).resolves.toBeDefined();
    else await expect(result).rejects.toMatchObject({ code: 'MEDIA_REJECTED' });
    expect(requests(MEDIA, 'POST')).toHaveLength(isAccepted ? 1 : 0);
  });

  test('that is refused without a reason is tried once more some minutes later', async () => {
    host.platform.change!('demo', { refuse_second_video: true });
    await run(video({ description: null }), { advance: () => undefined }).catch(() => undefined);
    const second = run(video({ description: null }), { advance: () => undefined });
    await expect(second).rejects.toMatchObject({ kind: 'transient', code: 'MEDIA_REJECTED', retries: 1 });
  });

  test('that Google removes from the gallery within an hour is reported', async () => {
    host.platform.change!('demo', { drop_videos: true });
    await expect(run(video({ description: null }))).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('Reading the video'),
    });
  });
});

test('posts and videos are spaced out when the account makes more than ten changes a minute', async () => {
  const spend = () => Promise.reject(new Error('spent'));
  const quota = { ...unlimitedQuota(), spend };
  for (const job of [jobOf(host, grant), image(), video()]) {
    await expect(run(job, { quota })).rejects.toThrow('spent');
  }
  expect([...sent(), ...sent(MEDIA)]).toEqual([]);
});

describe('the review', () => {
  test('waits 30 seconds, 2, 10, 30 and 60 minutes', async () => {
    host.setProcessing({ seconds: 7200 });
    await run(jobOf(host, grant));
    expect(requests(/localPosts\/\d+$/)).toHaveLength(5);
    expect(waits.map(ms => ms / 60_000)).toEqual([0.5, 1.5, 8, 20, 30]);
  });

  test('revokes a post that Google rejects after it accepted it', async () => {
    host.setProcessing({ seconds: 60 });
    const job = jobOf(host, grant, {}, { description: 'Call (650) 555-0100' });
    await expect(run(job)).rejects.toThrow('rejected the post for its content policy');
    const [followUp] = publisher.followUps(job);
    const post = { platform_post_id: rejectedName(), platform_post_url: null, published_at: 0 };
    const context = contextOf(job, options());
    expect(await followUp!.run(context, { readings: 1, video: null }, post)).toMatchObject({
      type: 'rejected',
      revokes: true,
      failure: { code: 'CONTENT_REJECTED' },
    });
    expect(await followUp!.run(context, { readings: 1, video: 'v' }, post)).not.toHaveProperty('revokes');
  });

  test('fails the post at once when Google rejects it in its answer', async () => {
    host.setProcessing({ seconds: 0, outcome: 'error' });
    await expect(run(jobOf(host, grant))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'CONTENT_REJECTED',
    });
  });

  const rejectedName = () => (JSON.parse(requests(POSTS, 'POST').at(-1)!.response) as { name: string }).name;
});

describe('a location', () => {
  test('in bad standing is refused with its name and the reason', async () => {
    await login('demo_mixed', 1);
    await expect(run(jobOf(host, grant))).rejects.toMatchObject({
      code: 'CONTENT_REJECTED',
      message: expect.stringContaining('Bad Shop (suspended)'),
    });
    expect(sent()).toEqual([]);
  });

  test('that was restored meanwhile is published to', async () => {
    const attributes = { ...target.attributes, unconfirmed: 'true' };
    await expect(run(jobOf(host, grant), { target: { ...target, attributes } })).resolves.toBeDefined();
  });

  test('that moved to another account is found there', async () => {
    host.platform.change!('demo', { moved: true });
    const { post } = await run(jobOf(host, grant));
    expect(post.platform_post_id).toContain('accounts/110000000000000000777/locations/');
    expect(live('Fresh bread from 7 am.')).toHaveLength(1);
  });

  test.each([
    ['a post', () => jobOf(host, grant)],
    ['a video', () => video({ description: null })],
  ])('that moves during the review of %s is found again', async (_, jobOfKind) => {
    host.setProcessing({ seconds: 600 });
    const { ran } = await run(jobOfKind(), {
      onCheckpoint: () => void host.platform.change!('demo', { moved: true }),
    });
    expect(ran.at(-1)).toBe('review');
    expect(requests(/\/accounts\/110000000000000000777\/.*\/(localPosts|media)\//).length).toBeGreaterThan(0);
  });

  test('that does not exist any more fails the post', async () => {
    const attributes = { ...target.attributes, parent: 'accounts/1/locations/2' };
    const gone = { ...target, id: '2', attributes };
    await expect(run(jobOf(host, grant), { target: gone })).rejects.toMatchObject({
      code: 'CONTENT_REJECTED',
    });
  });

  test('that denies access fails the post and keeps the account', async () => {
    host.platform.change!('demo', { denied: true });
    await expect(run(jobOf(host, grant))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'PERMISSION_MISSING',
      keepsAccount: true,
      message: expect.stringContaining('lost its access'),
    });
  });

  test('is required', async () => {
    await expect(run(jobOf(host, grant), { target: null })).rejects.toMatchObject({
      message: expect.stringContaining('gbp_location_id'),
    });
  });
});

describe('a lost response', () => {
  test.each([['newest first'], ['oldest first']])(
    'of a post is found in a list that begins with the %s',
    async order => {
      host.platform.change!('demo', { oldest_first: order === 'oldest first' });
      for (let count = 0; count < 3; count += 1) {
        await run(jobOf(host, grant, {}, { description: `Older ${count}` }));
        host.advance(HOUR);
        await login('demo');
      }
      host.failNext({ match: POSTS, method: 'POST', drop: 'after' });
      const job = jobOf(host, grant, {}, { description: 'Lost\n\nand found' });
      const post = await publishDespite(publisher, job, options());
      expect(live('Lost\n\nand found').map(each => each.platform_post_id)).toEqual([post.platform_post_id]);
    },
  );

  test('of a post with the same text as an older one is not mistaken for it', async () => {
    await run(jobOf(host, grant));
    host.advance(HOUR);
    await login('demo');
    host.failNext({ match: POSTS, method: 'POST', drop: 'before' });
    await publishDespite(publisher, jobOf(host, grant), options());
    expect(live('Fresh bread from 7 am.')).toHaveLength(2);
  });

  test.each([
    ['post', () => jobOf(host, grant)],
    ['video', () => video({ description: null, title: 'Our oven' })],
  ])('of a %s is absent when the only one is that of another post of the location', async (_, make) => {
    const job = make();
    const at = host.now();
    const { post, checkpoints } = await run(job);
    const { identify, asked } = allTaken();
    const found = reconcile(publisher, job, checkpoints.at(-1)!, at, { ...options(), identify });
    expect(await found).toEqual({ type: 'absent' });
    expect(asked).toEqual([post.platform_post_id]);
  });

  test('is not absent while the list cannot be read', async () => {
    const job = jobOf(host, grant);
    host.platform.change!('demo', { denied: true });
    const found = reconcile(publisher, job, publisher.start(job), host.now(), options());
    await expect(found).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('stays in doubt when the list is refused before the request is repeated', async () => {
    const job = jobOf(host, grant);
    host.failNext({ match: POSTS, method: 'GET', respond: invalid() });
    const repeated = repeatCommit(publisher, job, publisher.start(job), options());
    await expect(repeated).rejects.toMatchObject({ kind: 'rejected', outcomeUnknown: true });
    expect(host.posts()).toEqual([]);
  });

  const JOBS: [string, () => PublishJob][] = [
    ['text', () => jobOf(host, grant)],
    ['image', () => image()],
    ['video', () => video({ description: null, title: 'Our oven' })],
  ];
  const FAULTS: [string, Fault][] = [
    ['lost', { drop: 'before' }],
    ['processed without a response', { drop: 'after' }],
    ['answered with 500', { respond: { status: 500, body: '' } }],
    ['answered with a page', { respond: { status: 503, body: '<html>' } }],
  ];
  test.each(
    JOBS.flatMap(([type, make]) => FAULTS.map(([name, fault]) => [type, name, make, fault] as const)),
  )('a %s whose request was %s is live once', async (_type, _name, make, fault) => {
    const job = make();
    host.failNext({ match: job.post_type === 'video' ? MEDIA : POSTS, method: 'POST', ...fault });
    const post = await publishDespite(publisher, job, options());
    expect(host.posts().map(each => each.platform_post_id)).toEqual([post.platform_post_id]);
  });

  /** Loses the request with this number, before or after Google processed it. */
  const losing = (number: number, when: string): HttpClient => {
    let sent = 0;
    const send: HttpClient['send'] = async request => {
      sent += 1;
      if (sent !== number) return host.http.send(request);
      if (when === 'after') await host.http.send(request);
      throw new HttpFailure('network', 'The connection was lost', true);
    };
    return { ...host.http, send };
  };

  test.each(['before', 'after'])(
    'at any request to a location that moved leaves one post (%s)',
    async when => {
      // The refused request, the accounts, three lists of locations, and the request to the new name.
      for (let number = 1; number <= 6; number += 1) {
        host.platform.reset();
        host.platform.change!('demo', { moved: true });
        await login('demo');
        target = { ...target, attributes: { ...target.attributes, parent: PARENT } };
        const post = await publishDespite(publisher, jobOf(host, grant), {
          ...options(),
          http: losing(number, when),
        });
        expect(host.posts().map(each => each.platform_post_id)).toEqual([post.platform_post_id]);
        host.advance(60_000);
      }
    },
  );

  test('of the post that follows a video is found', async () => {
    const job = video();
    const { post } = await run(job);
    const [, textPost] = publisher.followUps(job);
    const context = contextOf(job, options());
    const found = await textPost!.reconcile!(context, textPost!.start({ media_url: null }), post, job.due_at);
    expect(found).toMatchObject({ type: 'done', amend: { platform_post_id: post.platform_post_id } });
    host.advance(60_000);
    const later = await textPost!.reconcile!(context, {}, post, host.now());
    expect(later).toEqual({ type: 'absent' });
  });
});
