import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { testOrigin, type TestOrigin } from '../../../../test/support/origin.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { connect } from '../../../../test/support/threads.ts';
import { sandbox } from './server.ts';
import { APP } from './state.ts';

const API = 'https://graph.threads.net';
const DAY = 86_400_000;
const ALL_SCOPES = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_insights',
  'threads_manage_replies',
  'threads_delete',
].join(',');

let host: TestSandbox;
let file: (name: string) => Buffer;
let grant: AnyGrant;
let redirecting: TestOrigin;
beforeAll(async () => {
  [host, file] = await Promise.all([startSandboxHost(sandbox), sampleFiles()]);
  redirecting = await testOrigin((_, response) => void response.writeHead(302, { location: '/' }).end());
});
afterAll(() => Promise.all([host.close(), redirecting.close()]));
beforeEach(async () => {
  host.platform.reset();
  host.setLimit(null);
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  host.advance(60_000);
  grant = await connect(host, { scope: ALL_SCOPES });
});

type Body = Record<string, string>;
interface Answer {
  status: number;
  body: Record<string, unknown> & { id?: string; error?: Record<string, unknown> };
}
interface Options {
  token?: string | null;
  headers?: Record<string, string>;
  body?: string;
}

async function send(method: 'GET' | 'POST' | 'DELETE', url: string, options: Options = {}): Promise<Answer> {
  const { token = grant.credentials['access_token']!, headers = {}, body } = options;
  const answer = await host.http.send({
    method,
    url: url.startsWith('https:') ? url : `${API}/v1.0${url}`,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body }),
    timeoutMs: 30_000,
  });
  return { status: answer.status, body: JSON.parse(answer.body.toString()) as Answer['body'] };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (path: string, form: Body, token?: string) =>
  send('POST', path, {
    ...(token === undefined ? {} : { token }),
    headers: FORM,
    body: new URLSearchParams(form).toString(),
  });
const get = (path: string, options: Options = {}) => send('GET', path, options);
const create = (form: Body) => post('/me/threads', form);
const text = (form: Body = {}) => create({ media_type: 'TEXT', text: 'Hello', ...form });
const created = async (form: Body) => (await create(form)).body.id!;
const publish = (id: string) => post('/me/threads_publish', { creation_id: id });
const image = (name = 'photo.jpg') => host.addMedia(name, file(name));
const error = ({ status, body }: Answer) => ({ status, ...body.error });
const NOT_FOUND = {
  code: 24,
  error_subcode: 4279009,
  is_transient: false,
  error_user_title: 'Media Not Found',
};

describe('tokens', () => {
  test.each([
    ['/me?fields=id', null, { code: 2500 }],
    ['/123?fields=id', null, { code: 104 }],
    ['/me?fields=id', 'THAA-other', { code: 190, message: 'Failed to decode' }],
  ])('%s with the token %s is refused with %j', async (path, token, expected) => {
    expect(error(await get(path, { token }))).toMatchObject({ status: 400, ...expected });
  });

  test('are accepted as a parameter, on both hosts', async () => {
    const query = `fields=id,username&access_token=${grant.credentials['access_token']}`;
    for (const name of ['graph.threads.net', 'graph.threads.com']) {
      expect((await get(`https://${name}/v1.0/me?${query}`, { token: null })).body).toEqual({
        id: '9876543210987654',
        username: 'demo',
      });
    }
  });

  test.each([
    ['expire', 463],
    ['revoke', 467],
    ['revoke_refresh', 467],
  ] as const)('after %s are refused with subcode %s', async (action, error_subcode) => {
    host.platform.tokens(action, 'demo');
    expect(error(await get('/me?fields=id'))).toMatchObject({ code: 190, error_subcode });
  });

  test('without the scope are refused with code 10', async () => {
    grant = await connect(host, { scope: 'threads_basic,threads_content_publish' });
    const { body } = await text();
    const media = (await publish(body.id!)).body.id!;
    const refused = { status: 403, code: 10 };
    expect(error(await send('DELETE', `/${media}`))).toMatchObject(refused);
    expect(error(await get(`/${media}/insights?metric=views`))).toMatchObject(refused);
    for (const fields of ['reply_quota_usage', 'delete_config', 'location_search_quota_usage']) {
      expect(error(await get(`/me/threads_publishing_limit?fields=quota_usage,${fields}`))).toMatchObject(
        refused,
      );
    }
  });

  test('cannot be long-lived twice, nor be exchanged with another secret', async () => {
    const exchange = (secret: string) =>
      get(`${API}/access_token?grant_type=th_exchange_token&client_secret=${secret}`);
    expect(error(await exchange(APP.client_secret))).toMatchObject({ code: 100 });
    expect(error(await exchange('wrong'))).toMatchObject({ code: 1 });
  });
});

test('unknown paths and versions are refused', async () => {
  for (const path of [`${API}/v2.0/me`, `${API}/v1.0/me/nothing/here`]) {
    expect(error(await get(path))).toMatchObject({ status: 400, code: 2500 });
  }
});

describe('creating a container', () => {
  test.each<[string, Body, string]>([
    ['no media_type', { text: 'Hello' }, 'media_type'],
    ['an unknown media_type', { media_type: 'STORY' }, 'media_type'],
    ['no text', { media_type: 'TEXT', text: ' ' }, "text can't be blank"],
    [
      '501 characters',
      { media_type: 'TEXT', text: 'a'.repeat(501) },
      'Param text must be at most 500 characters long.',
    ],
    ['emoji of 504 bytes', { media_type: 'TEXT', text: '😀'.repeat(126) }, 'at most 500 characters'],
    [
      'six links',
      { media_type: 'TEXT', text: [1, 2, 3, 4, 5, 6].map(n => `https://e.com/${n}`).join(' ') },
      'THREADS_API__LINK_LIMIT_EXCEEDED',
    ],
    ['a topic with a period', { media_type: 'TEXT', text: 'a', topic_tag: 'a.b' }, 'topic_tag'],
    ['a topic of 51 characters', { media_type: 'TEXT', text: 'a', topic_tag: 'a'.repeat(51) }, 'topic_tag'],
    ['an unknown reply_control', { media_type: 'TEXT', text: 'a', reply_control: 'nobody' }, 'reply_control'],
    ['an alt text without a file', { media_type: 'TEXT', text: 'a', alt_text: 'b' }, 'alt_text'],
    ['no image_url', { media_type: 'IMAGE' }, 'image_url'],
    ['no video_url', { media_type: 'VIDEO', video_url: 'nothing' }, 'video_url'],
    ['a text as an item', { media_type: 'TEXT', text: 'a', is_carousel_item: 'true' }, 'Carousel items'],
    ['one child', { media_type: 'CAROUSEL', children: '1' }, '2 to 20'],
    ['unknown children', { media_type: 'CAROUSEL', children: '1,2' }, 'not a finished carousel item'],
  ])('with %s is refused', async (_, form, words) => {
    expect(error(await create(form))).toMatchObject({
      status: 400,
      code: 100,
      type: 'THApiException',
      message: expect.stringContaining(words),
    });
  });

  test('counts bytes where the account is set to', async () => {
    const curly = 'a'.repeat(497) + '\u2019'.repeat(3);
    expect((await text({ text: curly })).status).toBe(200);
    host.platform.change!('demo', { counting: 'bytes' });
    expect(error(await text({ text: curly }))).toMatchObject({ code: 100 });
    expect((await text({ text: 'a'.repeat(500) })).status).toBe(200);
  });

  test('counts equal links once, and the attached one', async () => {
    const links = [1, 2, 3, 4, 5].map(n => `https://example.com/${n}`);
    const five = [...links, links[0]].join(' ');
    expect((await text({ text: five })).status).toBe(200);
    const attached = await text({ text: five, link_attachment: `${host.url}/_media/none` });
    expect(error(attached)).toMatchObject({ message: 'THREADS_API__LINK_LIMIT_EXCEEDED' });
  });

  test('refuses a link attachment that redirects, and one on an image', async () => {
    const link_attachment = redirecting.url;
    expect(error(await text({ link_attachment }))).toMatchObject({ error_subcode: 4279047 });
    const form = { media_type: 'IMAGE', image_url: image(), link_attachment };
    expect(error(await create(form))).toMatchObject({ code: 100 });
  });

  test.each(['anim.gif', 'clip.mp4', 'page.html', 'missing'])('refuses %s as an image', async name => {
    const image_url = name === 'missing' ? `${host.url}/_media/missing` : image(name);
    expect(error(await create({ media_type: 'IMAGE', image_url }))).toMatchObject({
      code: 9004,
      error_subcode: 2207052,
      error_user_msg: expect.stringContaining('could not be fetched from this URI'),
    });
  });

  test.each([
    ['clip.webm', 'FAILED_PROCESSING_VIDEO'],
    ['photo.jpg', 'FAILED_PROCESSING_VIDEO'],
    ['missing', 'FAILED_DOWNLOADING_VIDEO'],
  ])('accepts %s as a video and fails to process it: %s', async (name, error_message) => {
    const video_url = name === 'missing' ? `${host.url}/_media/missing` : image(name);
    const id = await created({ media_type: 'VIDEO', video_url });
    expect((await get(`/${id}?fields=status,error_message`)).body).toEqual({
      id,
      status: 'ERROR',
      error_message,
    });
  });

  test('takes text and URLs from a JSON body, and ignores the rest of it', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ media_type: 'TEXT', text: 'As JSON', topic_tag: 'Books' });
    const lost = await send('POST', '/me/threads', { headers, body });
    await publish(lost.body.id!);
    expect(host.posts().at(-1)!.fields).toMatchObject({ text: 'As JSON', topic: null });
    host.platform.change!('demo', { reads_json: true });
    const read = await send('POST', '/me/threads', { headers, body });
    await publish(read.body.id!);
    expect(host.posts().at(-1)!.fields).toMatchObject({ topic: 'Books' });
  });
});

describe('publishing', () => {
  test('answers another id, and never creates a second post', async () => {
    const id = await created({ media_type: 'TEXT', text: 'Once' });
    const first = await publish(id);
    expect(first.body.id).not.toBe(id);
    expect((await publish(id)).body).toEqual(first.body);
    expect(host.posts().filter(each => each.text === 'Once')).toHaveLength(1);
    expect((await get(`/${id}?fields=status`)).body).toEqual({ id, status: 'PUBLISHED' });
  });

  test('is refused until the container is finished and visible', async () => {
    host.setProcessing({ seconds: 10 });
    const id = await created({ media_type: 'IMAGE', image_url: image() });
    expect((await get(`/${id}?fields=status`)).body['status']).toBe('IN_PROGRESS');
    expect(error(await publish(id))).toMatchObject(NOT_FOUND);
    host.platform.change!('demo', { visibility_delay_s: 20 });
    host.advance(10_000);
    expect((await get(`/${id}?fields=status`)).body['status']).toBe('FINISHED');
    expect(error(await publish(id))).toMatchObject(NOT_FOUND);
    host.advance(10_000);
    expect((await publish(id)).status).toBe(200);
  });

  test('is refused for a container that is lost, expired, an item or unknown', async () => {
    host.platform.change!('demo', { lost_containers: 1 });
    const lost = await created({ media_type: 'TEXT', text: 'Lost' });
    const item = await created({ media_type: 'IMAGE', image_url: image(), is_carousel_item: 'true' });
    const old = await created({ media_type: 'TEXT', text: 'Old' });
    host.advance(DAY);
    expect((await get(`/${old}?fields=status`)).body['status']).toBe('EXPIRED');
    for (const id of [lost, item, old, '1']) expect(error(await publish(id))).toMatchObject(NOT_FOUND);
  });

  test('makes a carousel of finished items, whose own text is ignored', async () => {
    const item = { media_type: 'IMAGE', is_carousel_item: 'true', text: 'ignored' };
    const ids = [
      await created({ ...item, image_url: image('photo.jpg') }),
      await created({ ...item, image_url: image('photo.png') }),
    ];
    const parent = await created({ media_type: 'CAROUSEL', children: ids.join(','), text: 'Both' });
    const media = (await publish(parent)).body.id!;
    const read = await get(`/${media}?fields=text,media_type,children,permalink,timestamp`);
    expect(read.body).toMatchObject({
      text: 'Both',
      media_type: 'CAROUSEL_ALBUM',
      children: { data: ids.map(id => ({ id })) },
      permalink: expect.stringMatching(/^https:\/\/www\.threads\.com\/@demo\/post\//),
      timestamp: expect.stringMatching(/\+0000$/),
    });
    expect(host.posts().at(-1)).toMatchObject({ kind: 'album', media: [{}, {}] });
  });

  test('takes the topic from the first hashtag of the text', async () => {
    await publish(await created({ media_type: 'TEXT', text: 'On #good.books and #more' }));
    expect(host.posts().at(-1)!.fields).toMatchObject({ topic: 'good' });
  });

  test('is refused beyond 250 posts in 24 hours', async () => {
    const limit = () => get('/me/threads_publishing_limit?fields=quota_usage,config');
    await publish(await created({ media_type: 'TEXT', text: 'Counted' }));
    expect((await limit()).body).toEqual({
      data: [{ quota_usage: 1, config: { quota_total: 250, quota_duration: 86_400 } }],
    });
    host.setLimit({ quota_usage: 250 });
    const id = await created({ media_type: 'TEXT', text: 'Too many' });
    expect(error(await publish(id))).toMatchObject({ code: 9 });
    host.setLimit(null);
    host.advance(DAY);
    expect((await limit()).body).toMatchObject({ data: [{ quota_usage: 0 }] });
  });

  test.each([
    [{ restricted: true }, { error_subcode: 4279013 }],
    [{ activity_restricted: true }, { error_subcode: 2207051 }],
  ])('for an account with %j is refused with %j', async (change, expected) => {
    const id = await created({ media_type: 'TEXT', text: 'No' });
    host.platform.change!('demo', change);
    expect(error(await publish(id))).toMatchObject(expected);
  });
});

describe('reading', () => {
  test('a post has no status', async () => {
    const media = (await publish(await created({ media_type: 'TEXT', text: 'Read' }))).body.id!;
    expect(error(await get(`/${media}?fields=status`))).toMatchObject({
      status: 400,
      code: 100,
      type: 'THApiException',
      message: expect.stringContaining('nonexisting field (status)'),
    });
  });

  test('the list shows own posts since a time, newest first, in pages', async () => {
    for (const words of ['One', 'Two', 'Three']) {
      await publish(await created({ media_type: 'TEXT', text: words }));
      host.advance(10_000);
    }
    const since = Math.floor((host.now() - 25_000) / 1000);
    const page = await get(`/me/threads?fields=id,text&since=${since}&limit=1`);
    expect(page.body).toMatchObject({ data: [{ text: 'Three' }], paging: { next: expect.any(String) } });
    const all = await get(`/me/threads?fields=id,text&since=${since}`);
    expect(all.body).toMatchObject({ data: [{ text: 'Three' }, { text: 'Two' }] });
  });

  test('deleted posts leave the list; 100 can be deleted in a day', async () => {
    const media = (await publish(await created({ media_type: 'TEXT', text: 'Gone' }))).body.id!;
    expect((await send('DELETE', `/${media}`)).body).toEqual({ success: true, deleted_id: media });
    expect((await get('/me/threads?fields=id')).body).toMatchObject({ data: [] });
    expect(error(await send('DELETE', `/${media}`))).toMatchObject(NOT_FOUND);
  });
});

describe('insights', () => {
  test('of a post know no clicks', async () => {
    const media = (await publish(await created({ media_type: 'TEXT', text: 'Seen' }))).body.id!;
    expect(error(await get(`/${media}/insights?metric=views,clicks`))).toMatchObject({ code: 100 });
    expect(error(await get(`/${media}/insights`))).toMatchObject({ code: 100 });
  });

  test('of the account list the clicks of each link', async () => {
    const { body } = await get('/me/threads_insights?metric=clicks,likes,views');
    expect(body).toMatchObject({
      data: [
        { name: 'clicks', link_total_values: [{ value: 2 }, { value: 1 }] },
        { name: 'likes', total_value: { value: 3 } },
        { name: 'views', values: [{ value: 7 }] },
      ],
    });
  });

  test.each(['metric=views&since=1712991599', 'metric=follower_demographics', 'metric=nothing'])(
    'of the account with %s are refused',
    async query => {
      expect(error(await get(`/me/threads_insights?${query}`))).toMatchObject({ code: 100 });
    },
  );

  test('of the account demand a period where the account is set to', async () => {
    host.platform.change!('demo', { period_required: true });
    expect(error(await get('/me/threads_insights?metric=likes'))).toMatchObject({
      message: expect.stringContaining('period param is required'),
    });
    expect((await get('/me/threads_insights?metric=likes&period=day')).status).toBe(200);
  });
});
