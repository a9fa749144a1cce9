import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf, drive } from '../../../test/support/drive.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { startSandboxHost, type Fault, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import { connect, jobOf, optionsOf } from '../../../test/support/youtube.ts';
import type { PublishedPost } from '../../model/destination.ts';
import type { JsonObject } from '../../model/json.ts';
import type { FollowUpResult, PublishJob } from '../contract/publisher.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

const SRT = '1\n00:00:01,000 --> 00:00:02,000\nHello\n';

let sample: (name: string) => Buffer;
beforeAll(async () => void (sample = await sampleFiles()));

let host: TestSandbox;
let grant: AnyGrant;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
});
afterEach(() => host.close());

const job = (options: JsonObject = {}, more: Partial<PublishJob> = {}) =>
  jobOf(host, grant, options, { media_urls: [host.addMedia('clip.mp4', sample('clip.mp4'))], ...more });
const change = (switches: JsonObject) => host.platform.change?.('demo', switches);
const shown = () => host.posts()[0]!;
const requests = (match: RegExp, method?: string) =>
  host.traffic.filter(each => match.test(each.url) && each.method === (method ?? each.method));

/** Publishes a post without what follows it. */
async function publish(post: PublishJob): Promise<{ post: PublishedPost; state: JsonObject }> {
  const plain = { ...publisher, followUps: () => [] };
  const { post: published, checkpoints } = await drive(plain, post, optionsOf(host, grant));
  return { post: published, state: checkpoints.at(-1)!.state };
}

/** Runs one follow-up to its end. */
async function follow(name: string, job: PublishJob, published?: Awaited<ReturnType<typeof publish>>) {
  const { post, state: committed } = published ?? (await publish(job));
  const planned = publisher.followUps(job).find(each => each.name === name);
  if (!planned) throw new Error(`The post has no ${name}`);
  let state = planned.start(committed);
  for (let runs = 0; runs < 60; runs += 1) {
    const result: FollowUpResult<JsonObject> = await planned.run(
      contextOf(job, optionsOf(host, grant)),
      state,
      post,
    );
    if (result.type === 'done' || result.type === 'rejected') return result;
    state = result.state;
    if (result.type === 'wait') host.advance(result.delayMs);
  }
  throw new Error(`${name} did not end`);
}

async function reconcile(
  name: string,
  job: PublishJob,
  { post, state }: Awaited<ReturnType<typeof publish>>,
) {
  const planned = publisher.followUps(job).find(each => each.name === name)!;
  return planned.reconcile!(contextOf(job, optionsOf(host, grant)), planned.start(state), post, host.now());
}

test('run in order: what protects the video first', () => {
  const all = job(
    {
      youtube_allowed_countries: ['DE'],
      youtube_has_paid_product_placement: true,
      youtube_thumbnail_url: 'https://example.com/t.jpg',
      youtube_caption_url: 'https://example.com/c.srt',
      youtube_playlist_id: 'PLdemoBaking',
    },
    { first_comment: 'First' },
  );
  expect(publisher.followUps(all).map(({ name }) => name)).toEqual([
    'countries',
    'processing',
    'paid_promotion',
    'thumbnail',
    'captions',
    'playlist',
    'first_comment',
    'settings',
  ]);
});

describe('processing', () => {
  test('is followed to its end', async () => {
    host.setProcessing({ seconds: 300 });
    expect(await follow('processing', job())).toEqual({ type: 'done' });
    expect(requests(/processingDetails/).length).toBeGreaterThan(5);
  });

  test.each([
    ['invalidFile', 'MEDIA_REJECTED', 'the file is not a video'],
    ['termsOfUse', 'CONTENT_REJECTED', 'violates the terms of use'],
    ['length', 'CONTENT_REJECTED', 'https://www.youtube.com/verify'],
  ])('that ends with %s revokes the post', async (error, code, words) => {
    host.setProcessing({ outcome: 'error', error });
    expect(await follow('processing', job())).toMatchObject({
      type: 'rejected',
      revokes: true,
      failure: { code, message: expect.stringContaining(words) },
    });
  });

  test('waits for a video that YouTube does not show yet', async () => {
    change({ unseen_s: 20 });
    expect(await follow('processing', job())).toEqual({ type: 'done' });
  });
});

describe('settings that are read back', () => {
  test.each([
    [{ forced_private: 'at_once' }, {}, 'shows the video as private, not as public'],
    [{ forced_private: 'when_processed' }, {}, 'shows the video as private'],
    [
      { audio_language: 'ignored' },
      { youtube_default_audio_language: 'de' },
      'youtube_default_audio_language',
    ],
    [{ paid_placement: 'ignored' }, { youtube_has_paid_product_placement: true }, 'paid promotion'],
  ])('with %j warn', async (switches, options, words) => {
    host.setProcessing({ seconds: 20 });
    change(switches);
    const result = await follow('settings', job(options));
    expect(result).toMatchObject({ type: 'rejected', failure: { message: expect.stringContaining(words) } });
    expect(result).not.toHaveProperty('revokes');
  });

  test('are silent where all were stored', async () => {
    const options = { youtube_default_audio_language: 'de', youtube_has_paid_product_placement: true };
    expect(await follow('settings', job(options))).toEqual({ type: 'done' });
  });
});

describe('paid promotion', () => {
  const paid = () => job({ youtube_has_paid_product_placement: true });

  test('is declared with the upload', async () => {
    expect(await follow('paid_promotion', paid())).toEqual({ type: 'done' });
    expect(requests(/videos/, 'PUT').filter(({ url }) => !url.includes('upload_id'))).toEqual([]);
    expect(shown().fields).toMatchObject({ paidProductPlacementDetails: { hasPaidProductPlacement: true } });
  });

  test('is declared afterwards where YouTube does not accept it with the upload', async () => {
    change({ paid_placement: 'refused_on_insert' });
    expect(await follow('paid_promotion', paid())).toEqual({ type: 'done' });
    expect(shown().fields).toMatchObject({ paidProductPlacementDetails: { hasPaidProductPlacement: true } });
  });

  test('fails alone where YouTube never accepts it', async () => {
    change({ paid_placement: 'refused' });
    await expect(follow('paid_promotion', paid())).rejects.toMatchObject({ kind: 'rejected' });
    expect(host.posts()).toHaveLength(1);
  });
});

describe('countries', () => {
  test('are restricted for content partners', async () => {
    change({ partner: true });
    const post = job({ youtube_allowed_countries: ['de', 'AT', 'DE'] });
    expect(await follow('countries', post)).toEqual({ type: 'done' });
    expect(shown().fields).toMatchObject({ regionRestriction: { allowed: ['DE', 'AT'] } });
  });

  test('are restricted while the video is private', async () => {
    change({ partner: true });
    const seen: unknown[] = [];
    const onCheckpoint = ({ step }: { step: string }) => {
      const { status = null, regionRestriction = null } = host.posts()[0]?.fields ?? {};
      seen.push([step, status === null ? null : (status as JsonObject)['privacyStatus'], regionRestriction]);
    };
    await drive(publisher, job({ youtube_allowed_countries: ['DE'] }), {
      ...optionsOf(host, grant),
      onCheckpoint,
    });
    expect(seen.slice(-3)).toEqual([
      ['restrict', 'private', null],
      ['publish', 'private', { allowed: ['DE'] }],
      ['publish', 'public', { allowed: ['DE'] }],
    ]);
    expect(requests(/part=contentDetails$/, 'PUT')).toHaveLength(1);
  });

  test('that YouTube denies to restrict do not keep the video private', async () => {
    const respond = { status: 403, body: '{"error":{"code":403,"errors":[{"reason":"forbidden"}]}}' };
    host.failNext({ match: /part=contentDetails$/, method: 'PUT', respond, times: 2 });
    const post = job({ youtube_allowed_countries: ['DE'] });
    await expect(follow('countries', post)).rejects.toMatchObject({ kind: 'rejected' });
    expect(shown().fields).toMatchObject({ status: { privacyStatus: 'public' } });
  });

  test('warn where YouTube ignores them', async () => {
    expect(await follow('countries', job({ youtube_blocked_countries: ['DE'] }))).toMatchObject({
      type: 'rejected',
      failure: { message: expect.stringContaining('content partners') },
    });
  });
});

describe('a thumbnail', () => {
  const withThumbnail = (name = 'photo.jpg') =>
    job({ youtube_thumbnail_url: host.addMedia(name, sample(name)) });

  test.each([
    ['photo.jpg', 'image/jpeg'],
    ['photo.png', 'image/png'],
  ])('%s is sent as %s with its length', async (name, type) => {
    expect(await follow('thumbnail', withThumbnail(name))).toEqual({ type: 'done' });
    expect(shown().media[1]).toMatchObject({ type });
    expect(requests(/thumbnails\/set/)[0]?.headers).toMatchObject({
      'content-type': type,
      'content-length': String(sample(name).length),
    });
  });

  test('is refused for channels that are not verified, with a link to verify', async () => {
    change({ thumbnails: false });
    await expect(follow('thumbnail', withThumbnail())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('https://www.youtube.com/verify'),
    });
  });

  test('is tried again on the same day when the channel has set too many', async () => {
    change({ thumbnails_limited: true });
    await expect(follow('thumbnail', withThumbnail())).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 23 * 3_600_000,
    });
  });

  test('is tried again while YouTube does not know the new video', async () => {
    change({ unseen_s: 30 });
    const post = withThumbnail();
    const published = await publish(post);
    await expect(follow('thumbnail', post, published)).rejects.toMatchObject({
      kind: 'transient',
      outcomeUnknown: false,
    });
    host.advance(30_000);
    expect(await follow('thumbnail', post, published)).toEqual({ type: 'done' });
  });
});

describe('captions', () => {
  const withCaptions = (text = SRT, options: JsonObject = {}) =>
    job({ youtube_caption_url: host.addMedia('c.srt', Buffer.from(text)), ...options });
  const captions = () => shown().fields['captions'];

  test('are sent without a name and without a byte order mark', async () => {
    expect(
      await follow('captions', withCaptions(`\ufeff${SRT}`, { youtube_caption_language: 'de' })),
    ).toEqual({
      type: 'done',
    });
    expect(captions()).toEqual([{ language: 'de', name: '', text: SRT }]);
  });

  test('get the name of their language where YouTube wants one', async () => {
    change({ caption_names: 'required' });
    await follow('captions', withCaptions());
    expect(captions()).toMatchObject([{ language: 'en', name: 'English' }]);
  });

  test('in WebVTT are accepted', async () => {
    expect(await follow('captions', withCaptions('WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n'))).toEqual({
      type: 'done',
    });
  });

  test('without time codes are not sent', async () => {
    expect(await follow('captions', withCaptions('Hello\n'))).toMatchObject({
      type: 'rejected',
      failure: { code: 'MEDIA_REJECTED', message: expect.stringContaining('time codes') },
    });
    expect(requests(/upload\/youtube\/v3\/captions/)).toEqual([]);
  });

  test('that exist already are done', async () => {
    const post = withCaptions();
    const published = await publish(post);
    await follow('captions', post, published);
    expect(await follow('captions', post, published)).toEqual({ type: 'done' });
    expect(captions()).toHaveLength(1);
  });

  test('whose answer was lost are looked up', async () => {
    const post = withCaptions();
    const published = await publish(post);
    expect(await reconcile('captions', post, published)).toEqual({ type: 'absent' });
    change({ speech_captions: 'en' });
    expect(await reconcile('captions', post, published)).toEqual({ type: 'absent' });
    host.failNext({ match: /captions/, method: 'POST', drop: 'after' });
    await expect(follow('captions', post, published)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await reconcile('captions', post, published)).toEqual({ type: 'done' });
  });
});

describe('a playlist', () => {
  const inPlaylist = (id = 'PLdemoBaking') => job({ youtube_playlist_id: id });
  const lose: Fault = { match: /playlistItems/, method: 'POST', drop: 'after' };

  test('gets the video once, also when the answer is lost', async () => {
    const post = inPlaylist();
    const published = await publish(post);
    expect(await reconcile('playlist', post, published)).toEqual({ type: 'absent' });
    host.failNext(lose);
    await expect(follow('playlist', post, published)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await reconcile('playlist', post, published)).toEqual({ type: 'done' });
    expect(shown().fields['playlists']).toEqual(['PLdemoBaking']);
  });

  test('that takes each video once is done the second time', async () => {
    const post = inPlaylist('WLdemo');
    const published = await publish(post);
    await follow('playlist', post, published);
    expect(await follow('playlist', post, published)).toEqual({ type: 'done' });
  });

  test.each([
    ['PLunknown', 'Check youtube_playlist_id'],
    ['PLforeign', 'belongs to the channel'],
  ])('%s is rejected', async (id, words) => {
    if (id === 'PLforeign') {
      const respond = {
        status: 403,
        body: JSON.stringify({ error: { errors: [{ reason: 'playlistItemsNotAccessible' }] } }),
      };
      host.failNext({ match: /playlistItems/, method: 'POST', respond });
    }
    await expect(follow('playlist', inPlaylist(id))).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining(words),
    });
  });

  test('that is changed by others at the same time is tried again after a look', async () => {
    const respond = {
      status: 409,
      body: JSON.stringify({ error: { status: 'ABORTED', message: 'The operation was aborted.' } }),
    };
    host.failNext({ match: /playlistItems/, method: 'POST', respond });
    await expect(follow('playlist', inPlaylist())).rejects.toMatchObject({
      kind: 'transient',
      outcomeUnknown: true,
    });
  });
});

describe('a first comment', () => {
  const commented = (options: JsonObject = {}) => job(options, { first_comment: 'First & best' });

  test('waits until the video is processed', async () => {
    host.setProcessing({ seconds: 60 });
    expect(await follow('first_comment', commented())).toEqual({ type: 'done' });
    expect(shown().comments).toMatchObject([{ text: 'First & best' }]);
  });

  test('is posted once, also when the answer is lost', async () => {
    const post = commented();
    const published = await publish(post);
    expect(await reconcile('first_comment', post, published)).toEqual({ type: 'absent' });
    host.failNext({ match: /commentThreads/, method: 'POST', drop: 'after' });
    await expect(follow('first_comment', post, published)).rejects.toMatchObject({ outcomeUnknown: true });
    expect(await reconcile('first_comment', post, published)).toEqual({ type: 'done' });
    expect(shown().comments).toHaveLength(1);
  });

  test('fails where comments are off', async () => {
    change({ comments: false });
    await expect(follow('first_comment', commented())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('does not allow comments'),
    });
  });

  test('is left out of a video that is made for kids', () => {
    const names = publisher
      .followUps(commented({ youtube_self_declared_made_for_kids: true }))
      .map(({ name }) => name);
    expect(names).not.toContain('first_comment');
  });
});

test('a post with everything is paid from its reservation', async () => {
  const quota = unlimitedQuota();
  const post = job(
    {
      youtube_thumbnail_url: host.addMedia('t.jpg', sample('photo.jpg')),
      youtube_caption_url: host.addMedia('c.srt', Buffer.from(SRT)),
      youtube_playlist_id: 'PLdemoBaking',
    },
    { first_comment: 'First' },
  );
  await drive(publisher, post, { ...optionsOf(host, grant), quota });
  const paid = quota.spent.filter(each => each !== 'units 1');
  expect(paid).toEqual(['video_uploads 1', 'units 100', 'units 50', 'units 400', 'units 50', 'units 50']);
});

test.each([
  ['units', 'units', 403],
  ['uploads', 'video_uploads', 429],
])('an exhausted bucket %s is corrected in the ledger as %s', async (bucket, corrected) => {
  const exhausted: string[] = [];
  const quota = {
    ...unlimitedQuota(),
    exhausted: (name: string) => Promise.resolve(void exhausted.push(name)),
  };
  host.setLimit({ quota: bucket, details: false });
  const respond = { status: 403, body: JSON.stringify({ error: { errors: [{ reason: 'quotaExceeded' }] } }) };
  if (bucket === 'units') host.failNext({ match: /uploadType=resumable/, respond });
  await expect(drive(publisher, job(), { ...optionsOf(host, grant), quota })).rejects.toMatchObject({
    kind: 'rate_limited',
    code: 'QUOTA_EXHAUSTED',
    retryAfterMs: expect.any(Number),
  });
  expect(exhausted).toEqual([corrected]);
});
