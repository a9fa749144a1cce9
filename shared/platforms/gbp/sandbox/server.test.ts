import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { connect } from '../../../../test/support/gbp.ts';
import { authorize } from '../../../../test/support/google.ts';
import { padded, sampleFiles } from '../../../../test/support/media.ts';
import { testOrigin, type TestOrigin } from '../../../../test/support/origin.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { parseJson, type JsonObject } from '../../../model/json.ts';
import { connector } from '../connect.ts';
import { sandbox } from './server.ts';
import { APP } from './state.ts';

const ACCOUNTS = 'https://mybusinessaccountmanagement.googleapis.com/v1/accounts';
const LOCATIONS = 'https://mybusinessbusinessinformation.googleapis.com/v1';
const V4 = 'https://mybusiness.googleapis.com/v4';
const GROUP = 'accounts/110000000000000000001';
const PARENT = `${GROUP}/locations/12341542785316514841`;
const POSTS = `${V4}/${PARENT}/localPosts`;
const MEDIA = `${V4}/${PARENT}/media`;
const METRICS =
  'https://businessprofileperformance.googleapis.com/v1/locations/12341542785316514841:fetchMultiDailyMetricsTimeSeries';
const STANDARD = { languageCode: 'en', topicType: 'STANDARD', summary: 'Hello' };
const MINUTE = 60_000;
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let host: TestSandbox;
let origin: TestOrigin;
let file: (name: string) => Buffer;
let grant: AnyGrant;
beforeAll(async () => {
  [host, file, origin] = await Promise.all([
    startSandboxHost(sandbox),
    sampleFiles(),
    testOrigin((request, response) => {
      const hops = Number(/^\/hop(\d)/.exec(request.url ?? '')?.[1] ?? 0);
      if (hops > 0) return void response.writeHead(302, { location: `/hop${hops - 1}` }).end();
      if (request.url === '/denied') return void response.writeHead(403).end();
      if (request.url === '/page')
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(file('photo.jpg'));
    }),
  ]);
});
afterAll(() => Promise.all([host.close(), origin.close()]));
beforeEach(async () => {
  host.advance(10 * MINUTE);
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.setLimit(null);
  grant = await connect(host);
});

/** Members that the tests read. */
interface Body {
  name: string;
  state: string;
  summary: string;
  nextPageToken: string;
  accounts: { type: string }[];
  locations: { metadata: object }[];
  localPosts: object[];
  event: { schedule: object };
  multiDailyMetricTimeSeries: { dailyMetricTimeSeries: { timeSeries: { datedValues: object[] } }[] }[];
}

async function call(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  json?: JsonObject,
  token?: string,
) {
  const response = await host.http.send({
    method,
    url,
    headers: {
      authorization: `Bearer ${token ?? grant.credentials['access_token']}`,
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(json ? { body: JSON.stringify(json) } : {}),
    timeoutMs: 30_000,
  });
  const text = response.body.toString();
  return {
    status: response.status,
    type: response.headers['content-type'],
    body: (parseJson(text) ?? text) as unknown as Body,
  };
}
const problem = (code: number, field?: string) => ({
  status: 400,
  body: {
    error: {
      status: 'INVALID_ARGUMENT',
      details: [{ errorDetails: [{ code, ...(field ? { field } : {}) }] }],
    },
  },
});
const bare = { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } };

describe('lists', () => {
  test('of accounts have pages of at most 20, the personal account first', async () => {
    const { access_token } = (await connect(host, { as: 'demo_many' })).credentials;
    const first = await call('GET', `${ACCOUNTS}?pageSize=500`, undefined, access_token);
    expect(first.body.accounts).toHaveLength(20);
    expect(first.body.accounts[0]).toMatchObject({ type: 'PERSONAL' });
    const second = await call(
      'GET',
      `${ACCOUNTS}?pageToken=${first.body.nextPageToken}`,
      undefined,
      access_token,
    );
    expect(second.body.accounts).toHaveLength(3);
    expect(second.body).not.toHaveProperty('nextPageToken');
  });

  test('of locations need a mask, and have pages of 10 by default', async () => {
    expect(await call('GET', `${LOCATIONS}/${GROUP}/locations`)).toMatchObject({
      status: 400,
      body: { error: { details: [{ fieldViolations: [{ field: 'read_mask' }] }] } },
    });
    const { body } = await call('GET', `${LOCATIONS}/${GROUP}/locations?readMask=name,metadata`);
    expect(Object.keys(body.locations[0]!)).toEqual(['name', 'metadata']);
    expect(body.locations[0]!.metadata).not.toHaveProperty('canOperateLocalPost');
    const { access_token } = (await connect(host, { as: 'demo_many' })).credentials;
    const url = `${LOCATIONS}/accounts/110000000000000002000/locations?readMask=name`;
    expect((await call('GET', url, undefined, access_token)).body.locations).toHaveLength(10);
    const empty = `${LOCATIONS}/accounts/110000000000000001000/locations?readMask=name`;
    expect((await call('GET', empty, undefined, access_token)).body).toEqual({});
  });
});

describe('a post', () => {
  const schedule = (start: JsonObject, end: JsonObject) => ({
    title: 'Fair',
    schedule: { startDate: start, endDate: end },
  });
  const day = { year: 2026, month: 10, day: 31 };
  const event = { ...STANDARD, topicType: 'EVENT' };

  test.each<[string, JsonObject, object]>([
    ['without a topic', { languageCode: 'en', summary: 'x' }, problem(2, 'topic_type')],
    ['of an unknown topic', { ...STANDARD, topicType: 'ALERT' }, problem(3, 'topic_type')],
    ['without a text', { ...STANDARD, summary: '' }, problem(2, 'summary')],
    ['with a long text', { ...STANDARD, summary: 'a'.repeat(1501) }, problem(4, 'summary')],
    ['with an unknown member', { ...STANDARD, title: 'x' }, { status: 400 }],
    ['with an event of another topic', { ...STANDARD, event: { title: 'x' } }, problem(3, 'event')],
    ['with an offer of another topic', { ...STANDARD, offer: {} }, problem(3, 'offer')],
    ['of an event without one', event, problem(2, 'event')],
    ['of an offer without an event', { ...event, topicType: 'OFFER', offer: {} }, problem(2, 'event')],
    ['without the title of the event', { ...event, event: { schedule: {} } }, problem(2, 'event.title')],
    ['without dates', { ...event, event: { title: 'Fair' } }, problem(2, 'event.schedule')],
    [
      'on a day that does not exist',
      { ...event, event: schedule({ ...day, month: 2 }, day) },
      problem(3, 'event.schedule'),
    ],
    [
      'that ends before it starts',
      { ...event, event: schedule(day, { ...day, day: 30 }) },
      problem(3, 'event.schedule'),
    ],
    [
      'with a button without a URL',
      { ...STANDARD, callToAction: { actionType: 'SHOP' } },
      problem(2, 'call_to_action.url'),
    ],
    [
      'with a URL for CALL',
      { ...STANDARD, callToAction: { actionType: 'CALL', url: 'https://a.example/' } },
      problem(3, 'call_to_action.url'),
    ],
    ['with an unknown button', { ...STANDARD, callToAction: { actionType: 'GET_OFFER' } }, problem(3)],
    [
      'with a file without a format',
      { ...STANDARD, media: [{ sourceUrl: 'https://a.example/' }] },
      problem(2),
    ],
    [
      'with a video',
      { ...STANDARD, media: [{ mediaFormat: 'VIDEO', sourceUrl: 'https://a.example/' }] },
      {
        status: 400,
        body: {
          error: {
            details: [
              { errorDetails: [{ message: 'Video uploaded from post is not currently supported.' }] },
            ],
          },
        },
      },
    ],
    [
      'with two files',
      { ...STANDARD, media: [1, 2].map(() => ({ mediaFormat: 'PHOTO', sourceUrl: 'https://a.example/' })) },
      problem(3, 'media'),
    ],
  ])('%s is refused', async (_, body, expected) => {
    expect(await call('POST', POSTS, body)).toMatchObject(expected);
    expect(host.posts()).toEqual([]);
  });

  test('is answered without what is zero, and read, changed, listed and deleted', async () => {
    host.setProcessing({ seconds: 60 });
    const time = (hours: number) => ({ hours, minutes: 0, seconds: 0, nanos: 0 });
    const times = { startDate: day, startTime: time(0), endDate: day, endTime: time(17) };
    const { body } = await call('POST', POSTS, { ...event, event: { title: 'Fair', schedule: times } });
    expect(body).toMatchObject({ state: 'PROCESSING', createTime: expect.any(String) });
    expect(body.event.schedule).toEqual({
      startDate: day,
      startTime: {},
      endDate: day,
      endTime: { hours: 17 },
    });
    expect(body).not.toHaveProperty('searchUrl');
    const url = `${V4}/${body.name}`;
    host.advance(MINUTE);
    expect((await call('GET', url)).body).toMatchObject({ state: 'LIVE', searchUrl: expect.any(String) });
    expect(await call('PATCH', url, { summary: 'New' })).toMatchObject({ status: 400 });
    expect((await call('PATCH', `${url}?updateMask=summary`, { summary: 'New' })).body.summary).toBe('New');
    expect((await call('GET', POSTS)).body.localPosts).toMatchObject([{ name: body.name, summary: 'New' }]);
    expect(await call('DELETE', url)).toMatchObject({ status: 200, body: {} });
    expect(await call('GET', url)).toMatchObject({ status: 404, body: { error: { status: 'NOT_FOUND' } } });
    expect((await call('GET', POSTS)).body).toEqual({});
  });

  test('at a malformed path gets a page, at a foreign location an error', async () => {
    const page = await call('POST', `${V4}/12341542785316514841/localPosts`, STANDARD);
    expect(page).toMatchObject({ status: 404, type: expect.stringContaining('text/html') });
    const foreign = `${V4}/accounts/1/locations/12341542785316514841/localPosts`;
    expect(await call('POST', foreign, STANDARD)).toMatchObject({
      status: 404,
      body: { error: { code: 404 } },
    });
    host.platform.change!('demo', { denied: true });
    expect(await call('POST', POSTS, STANDARD)).toMatchObject({ status: 403 });
  });

  test('with a phone number is rejected after it was accepted, unless that is switched off', async () => {
    host.setProcessing({ seconds: 60 });
    const numbered = { ...STANDARD, summary: 'Call 650-555-0100' };
    const { body } = await call('POST', POSTS, numbered);
    host.advance(MINUTE);
    expect((await call('GET', `${V4}/${body.name}`)).body.state).toBe('REJECTED');
    expect(host.posts()).toEqual([]);
    host.platform.change!('demo', { reject_phone_numbers: false });
    expect((await call('GET', `${V4}/${body.name}`)).body.state).toBe('LIVE');
  });
});

describe('a picture', () => {
  const withPhoto = (sourceUrl: string) =>
    call('POST', POSTS, { ...STANDARD, media: [{ mediaFormat: 'PHOTO', sourceUrl }] });

  test.each<[string, () => string, object]>([
    ['of another format', () => host.addMedia('photo.webp', file('photo.webp')), bare],
    ['above 5 MB', () => host.addMedia('big.jpg', padded(file('photo.jpg'), 6_000_000)), bare],
    ['below 10 KB', () => host.addMedia('small.png', PIXEL), problem(3, 'media')],
    ['above the fetch limit', () => host.addMedia('huge.jpg', Buffer.alloc(26_214_401)), problem(10)],
    ['that does not exist', () => `${host.url}/_media/missing`, problem(1000)],
    ['behind a login', () => `${origin.url}/denied`, problem(1000)],
    ['behind two redirects', () => `${origin.url}/hop2`, problem(1000)],
    ['that is a page', () => `${origin.url}/page`, problem(1000)],
    ['behind one redirect', () => `${origin.url}/hop1`, { status: 200 }],
  ])('%s is answered with its error', async (_, url, expected) => {
    expect(await withPhoto(url())).toMatchObject(expected);
  });

  test('is fetched after the answer where that is switched on', async () => {
    host.platform.change!('demo', { fetch_after_s: 30 });
    const { body } = await withPhoto(`${host.url}/_media/missing`);
    expect(body.state).toBe('PROCESSING');
    host.advance(30_000);
    expect((await call('GET', `${V4}/${body.name}`)).body.state).toBe('REJECTED');
  });
});

describe('the gallery', () => {
  const item = (more: JsonObject = {}) => ({
    mediaFormat: 'VIDEO',
    locationAssociation: { category: 'ADDITIONAL' },
    sourceUrl: host.addMedia('clip.mp4', file('clip.mp4')),
    ...more,
  });

  test.each<[string, JsonObject, object]>([
    ['without a category', { locationAssociation: {} }, problem(2, 'location_association')],
    ['without a format', { mediaFormat: '' }, problem(2, 'media_format')],
    ['without a source', { sourceUrl: '' }, problem(2, 'source_url')],
  ])('refuses an item %s', async (_, more, expected) => {
    expect(await call('POST', MEDIA, item(more))).toMatchObject(expected);
  });

  test('takes, lists, loses and deletes a video', async () => {
    const { status, body } = await call('POST', MEDIA, item({ description: 'Our oven' }));
    expect([status, body]).toMatchObject([200, { mediaFormat: 'VIDEO', description: 'Our oven' }]);
    expect((await call('GET', MEDIA)).body).toMatchObject({
      mediaItems: [{ name: body.name }],
      totalMediaItemCount: 1,
    });
    host.platform.change!('demo', { drop_videos: true });
    expect((await call('GET', `${V4}/${body.name}`)).status).toBe(404);
    host.platform.change!('demo', { drop_videos: false });
    expect(await call('DELETE', `${V4}/${body.name}`)).toMatchObject({ status: 200, body: {} });
    expect((await call('GET', MEDIA)).body).toEqual({});
  });

  test('refuses what is no video without details', async () => {
    expect(await call('POST', MEDIA, item({ sourceUrl: `${origin.url}/photo` }))).toMatchObject(
      problem(1000),
    );
    const webm = host.addMedia('clip.webm', file('clip.webm'));
    expect(await call('POST', MEDIA, item({ sourceUrl: webm }))).toMatchObject(bare);
  });
});

describe('quotas', () => {
  test('are 10 changes a minute for a location', async () => {
    for (let count = 0; count < 10; count += 1) await call('POST', POSTS, STANDARD);
    expect(await call('POST', POSTS, STANDARD)).toMatchObject({ status: 429 });
    host.advance(MINUTE);
    expect(await call('POST', POSTS, STANDARD)).toMatchObject({ status: 200 });
  });

  test('are 300 requests a minute for an API', async () => {
    for (let count = 0; count < 300; count += 1) await call('GET', POSTS);
    expect(await call('GET', POSTS)).toMatchObject({ status: 429 });
    expect(await call('GET', ACCOUNTS)).toMatchObject({ status: 200 });
  });

  test.each([
    ['zero', 429, '0', '1/min/{project}'],
    ['day', 429, '10000', '1/d/{project}'],
    ['minute', 429, '300', '1/min/{project}'],
  ])('announce the limit %s', async (quota, status, quota_limit_value, quota_unit) => {
    host.setLimit({ quota });
    expect(await call('GET', ACCOUNTS)).toMatchObject({
      status,
      body: { error: { details: [{ metadata: { quota_limit_value, quota_unit } }] } },
    });
  });
});

test('an unknown token, one without the scope, and an API that is not enabled are refused', async () => {
  expect(await call('GET', ACCOUNTS, undefined, 'x')).toMatchObject({ status: 401 });
  const { access_token } = await tokenWithoutScope();
  expect(await call('GET', ACCOUNTS, undefined, access_token)).toMatchObject({
    status: 403,
    body: { error: { details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } },
  });
  host.setLimit({ quota: 'disabled' });
  expect(await call('GET', ACCOUNTS)).toMatchObject({
    status: 403,
    body: { error: { details: [{ reason: 'SERVICE_DISABLED' }] } },
  });
});

async function tokenWithoutScope(): Promise<{ access_token: string }> {
  const { app, code, redirect_uri, code_verifier } = await authorize(host, connector, APP, {
    without: 'business.manage',
  });
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier, ...app };
  const response = await host.http.send({
    method: 'POST',
    url: 'https://oauth2.googleapis.com/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form as Record<string, string>).toString(),
    timeoutMs: 30_000,
  });
  return JSON.parse(response.body.toString()) as { access_token: string };
}

test('metrics need valid days, and leave out zeros', async () => {
  const days = (start: string, end: string) =>
    [...days3('startDate', start), ...days3('endDate', end)].join('&');
  const days3 = (name: string, date: string) =>
    date.split('-').map((value, index) => `dailyRange.${name}.${['year', 'month', 'day'][index]!}=${value}`);
  const { body } = await call(
    'GET',
    `${METRICS}?dailyMetrics=WEBSITE_CLICKS&${days('2026-01-01', '2026-01-02')}`,
  );
  expect(body.multiDailyMetricTimeSeries[0]!.dailyMetricTimeSeries[0]!.timeSeries.datedValues).toEqual([
    { date: { year: 2026, month: 1, day: 1 } },
    { date: { year: 2026, month: 1, day: 2 }, value: '1' },
  ]);
  for (const bad of [days('2026-02-30', '2026-03-01'), days('2026-02-02', '2026-02-01')]) {
    expect(await call('GET', `${METRICS}?dailyMetrics=WEBSITE_CLICKS&${bad}`)).toMatchObject({ status: 400 });
  }
  expect(
    await call('GET', `${METRICS}?dailyMetrics=LIKES&${days('2026-01-01', '2026-01-02')}`),
  ).toMatchObject({
    status: 400,
  });
});
