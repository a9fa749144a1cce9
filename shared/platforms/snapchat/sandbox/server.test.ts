import { createCipheriv, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { connect } from '../../../../test/support/snapchat.ts';
import { verticalClip } from '../../../../test/support/vertical-clip.ts';
import { sandbox } from './server.ts';
import { DEMO, OTHER } from './state.ts';

/* What the fake server checks, as Snapchat does. */

const API = 'https://businessapi.snapchat.com';
const ROOT = `/v1/public_profiles/${DEMO.id}`;
const DAY = 86_400_000;

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
  host.platform.reset();
  host.setLimit(null);
  host.platform.change!('demo', { processing_calls: 0 });
  grant = await connect(host);
});

type Body = Record<string, unknown>;
type Answer = { status: number; headers: Record<string, string>; body: Body };

async function send(
  method: 'GET' | 'POST',
  path: string,
  body?: Body | FormData | string,
  type?: string,
): Promise<Answer> {
  const form = body instanceof FormData ? new Response(body) : null;
  const content = form ? new Uint8Array(await form.arrayBuffer()) : body;
  const sent =
    typeof content === 'object' && !(content instanceof Uint8Array) ? JSON.stringify(content) : content;
  const answer = await host.http.send({
    method,
    url: `${API}${path}`,
    headers: {
      authorization: `Bearer ${grant.credentials['access_token']}`,
      'content-type': type ?? form?.headers.get('content-type') ?? 'application/json',
    },
    ...(sent === undefined ? {} : { body: sent }),
    timeoutMs: 30_000,
  });
  const text = answer.body.toString();
  return { ...answer, body: text.startsWith('{') ? (JSON.parse(text) as Body) : { text } };
}

const KEY = randomBytes(32);
const IV = randomBytes(16);
const encrypt = (bytes: Buffer, key = KEY) => {
  const cipher = createCipheriv('aes-256-cbc', key, IV);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
};
const NEW = { type: 'IMAGE', name: 'a.jpg', key: KEY.toString('base64'), iv: IV.toString('base64') };

const form = (fields: Record<string, string | Buffer>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    data.append(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]));
  }
  return data;
};
const part = (number: number, file: Buffer) => form({ action: 'ADD', part_number: String(number), file });
const END = () => form({ action: 'FINALIZE' });

async function begin(more: Body = {}): Promise<{ id: string; path: string }> {
  const { body } = await send('POST', `${ROOT}/media`, { ...NEW, ...more });
  return { id: body['media_id'] as string, path: body['add_path'] as string };
}
/** Uploads parts and returns the id of the media. */
async function upload(parts: Buffer[], more: Body = {}): Promise<string> {
  const { id, path } = await begin(more);
  for (const [index, bytes] of parts.entries()) await send('POST', path, part(index + 1, bytes));
  expect((await send('POST', path, END())).status).toBe(200);
  return id;
}
const image = () => upload([encrypt(photo)]);
const video = () => upload([encrypt(clip)], { type: 'VIDEO' });
const words = ({ body }: Answer) => String(body['debug_message']);

describe('a media object', () => {
  test('answers flat, with paths that have a region', async () => {
    const { body } = await send('POST', `${ROOT}/media`, NEW);
    const path = `/us${ROOT}/media/${body['media_id'] as string}/multipart-upload`;
    expect(body).toMatchObject({ request_status: 'SUCCESS', add_path: path, finalize_path: path });
  });

  test.each<[string, Body]>([
    ['a list of media', { media: [NEW] }],
    ['no name', { name: undefined }],
    ['no key', { key: undefined }],
    ['no iv', { iv: undefined }],
    ['another type', { type: 'AUDIO' }],
    ['a key in hex', { key: KEY.toString('hex') }],
    ['a key in URL-safe Base64', { key: Buffer.alloc(32, 0xff).toString('base64url') }],
    ['a short key', { key: IV.toString('base64') }],
    ['a long iv', { iv: KEY.toString('base64') }],
  ])('with %s is refused', async (_, more) => {
    expect((await send('POST', `${ROOT}/media`, { ...NEW, ...more })).status).toBe(400);
  });
});

describe('an upload', () => {
  test.each<[string, () => FormData, string]>([
    ['part 0', () => part(0, photo), 'part_number'],
    ['part 36', () => part(36, photo), 'part_number'],
    ['a text as file', () => form({ action: 'ADD', part_number: '1', file: 'text' }), 'must be a file'],
    [
      'another field',
      () => form({ action: 'ADD', part_number: '1', file: photo, more: '1' }),
      'exactly the fields',
    ],
    ['no action', () => form({ part_number: '1', file: photo }), 'action'],
    ['a part of 32 MiB', () => part(1, Buffer.alloc(32 * 1024 ** 2)), 'Media size is too large'],
    ['no part at the end', END, 'Parts are missing'],
  ])('with %s is refused', async (_, body, message) => {
    const { path } = await begin();
    const answer = await send('POST', path, body());
    expect([answer.status, words(answer)]).toEqual([400, expect.stringContaining(message)]);
  });

  test('with a gap, as another type of form, and of unknown media is refused', async () => {
    const { path } = await begin();
    await send('POST', path, part(2, encrypt(photo)));
    expect(words(await send('POST', path, END()))).toBe('Parts are missing');
    const plain = await send('POST', path, 'action=FINALIZE', 'application/x-www-form-urlencoded');
    expect(words(plain)).toContain('multipart/form-data');
    expect((await send('POST', path.replace(/media\/[^/]+/, 'media/none'), END())).status).toBe(404);
  });

  test('takes the last of a repeated part', async () => {
    const { id, path } = await begin();
    await send('POST', path, part(1, randomBytes(32)));
    await send('POST', path, part(1, encrypt(photo)));
    await send('POST', path, END());
    expect((await send('POST', `${ROOT}/stories`, { media_id: id })).status).toBe(200);
  });

  const halves = () => {
    const bytes = encrypt(photo);
    return [bytes.subarray(0, 1600), bytes.subarray(1600)];
  };
  test.each<[string, () => Promise<string>]>([
    ['another key', () => upload([encrypt(photo, randomBytes(32))])],
    ['parts in the wrong order', () => upload(halves().reverse())],
    ['a file that is not encrypted', () => upload([photo])],
    ['an image as a video', () => upload([encrypt(photo)], { type: 'VIDEO' })],
    ['a video as an image', () => upload([encrypt(clip)])],
    ['another file', () => upload([encrypt(Buffer.from('text'))])],
  ])('of %s can never be posted', async (_, make) => {
    const before = host.posts().length;
    const answer = await send('POST', `${ROOT}/stories`, { media_id: await make() });
    expect([answer.status, words(answer)]).toEqual([400, expect.stringContaining('could not be decrypted')]);
    expect(host.posts()).toHaveLength(before);
  });
});

describe('creating a post', () => {
  test.each<[string, string, (id: string) => Body, string]>([
    ['a story with a text', 'stories', media_id => ({ media_id, description: 'a' }), 'description'],
    [
      'a plain customized_ttl',
      'stories',
      media_id => ({ media_id, customized_ttl: 'ONE_DAY' }),
      'customized_ttl',
    ],
    ['unknown media', 'stories', () => ({ media_id: 'none' }), 'media_id'],
    ['an image in Spotlight', 'spotlights', media_id => ({ media_id, locale: 'en_US' }), 'must be a video'],
    ['no locale', 'spotlights', media_id => ({ media_id }), 'locale'],
    ['a locale with a dash', 'spotlights', media_id => ({ media_id, locale: 'en-US' }), 'locale'],
    [
      'a description of 161 characters',
      'spotlights',
      media_id => ({ media_id, locale: 'en_US', description: 'a'.repeat(161) }),
      'description',
    ],
    ['no list', 'saved_stories', media_id => ({ title: 'a', snap_sources: [{ media_id }] }), 'saved_stories'],
    [
      'no title',
      'saved_stories',
      media_id => ({ saved_stories: [{ snap_sources: [{ media_id }] }] }),
      'title',
    ],
    [
      'a title of 46 characters',
      'saved_stories',
      media_id => ({ saved_stories: [{ title: 'a'.repeat(46), snap_sources: [{ media_id }] }] }),
      'title',
    ],
    [
      'a plain source',
      'saved_stories',
      media_id => ({ saved_stories: [{ title: 'a', snap_sources: [media_id] }] }),
      'snap_sources',
    ],
  ])('with %s is refused', async (_, kind, body, message) => {
    const answer = await send('POST', `${ROOT}/${kind}`, body(await image()));
    expect([answer.status, words(answer)]).toEqual([400, expect.stringContaining(message)]);
  });

  test('answers without the id of a story', async () => {
    const { body } = await send('POST', `${ROOT}/stories`, {
      media_id: await image(),
      customized_ttl: { ttl: 'ONE_WEEK' },
    });
    expect(Object.keys(body).sort()).toEqual(['request_id', 'request_status']);
  });

  test.each([
    ['code', 400, { error_code: 'MEDIA_PROCESSING', request_status: 'ERROR' }],
    ['code_in_200', 200, { error_code: 'MEDIA_PROCESSING', request_status: 'ERROR' }],
    ['text', 400, { text: 'Media is still being processed' }],
  ])('is answered while the media are processed (%s)', async (processing_answer, status, body) => {
    host.platform.change!('demo', { processing_calls: 2, processing_answer });
    const media_id = await image();
    for (let count = 0; count < 2; count += 1) {
      expect(await send('POST', `${ROOT}/stories`, { media_id })).toMatchObject({ status, body });
    }
    expect((await send('POST', `${ROOT}/stories`, { media_id })).body['request_status']).toBe('SUCCESS');
  });

  test('twice within a minute is refused, and later posts again', async () => {
    const media_id = await image();
    await send('POST', `${ROOT}/stories`, { media_id });
    const code = 'MEDIA_POSTING_ALREADY_IN_PROGRESS';
    expect((await send('POST', `${ROOT}/stories`, { media_id })).body['error_code']).toBe(code);
    host.advance(60_000);
    expect((await send('POST', `${ROOT}/stories`, { media_id })).status).toBe(200);
  });

  test('from media of yesterday, and uploading to them, is refused', async () => {
    const media_id = await image();
    host.advance(DAY);
    grant = await connect(host);
    const code = { body: { error_code: 'MEDIA_EXPIRED' } };
    expect(await send('POST', `${ROOT}/stories`, { media_id })).toMatchObject(code);
    expect(await send('POST', `/us${ROOT}/media/${media_id}/multipart-upload`, END())).toMatchObject(code);
  });

  test.each([
    ['stories', 6],
    ['spotlights', 6],
  ])('of a video longer than the limit is refused for %s', async (kind, max_seconds) => {
    host.platform.change!('demo', { max_seconds });
    const fields = kind === 'spotlights' ? { locale: 'en_US' } : {};
    const answer = await send('POST', `${ROOT}/${kind}`, { media_id: await video(), ...fields });
    expect(words(answer)).toContain('duration');
  });
});

describe('access', () => {
  test('with an expired token is refused with a header and no body', async () => {
    host.advance(3_600_000);
    expect(await send('GET', ROOT)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('invalid_token') },
      body: { text: '' },
    });
  });

  test('without the allowlist is refused with an empty body', async () => {
    host.platform.change!('demo', { allowlisted: false });
    expect(await send('GET', '/v1/public_profiles/my_profile')).toMatchObject({
      status: 403,
      body: { text: '' },
    });
  });

  test("to somebody else's profile is denied", async () => {
    const answer = await send('GET', `/v1/public_profiles/${OTHER.id}`);
    expect(answer).toMatchObject({ status: 403, body: { error_code: 'AUTHORIZATION_PERMISSION_DENIED' } });
    expect((await send('GET', '/v1/public_profiles/none')).status).toBe(404);
    expect((await send('GET', '/v1/organizations/other/public_profiles')).status).toBe(403);
  });

  test('over the limit of requests in a second is refused without a header', async () => {
    host.setLimit({ requests_per_second: 10 });
    const answers = [];
    for (let count = 0; count < 11; count += 1) answers.push(await send('GET', ROOT));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(200), 429]);
    expect(answers.at(-1)!.headers).not.toHaveProperty('retry-after');
    host.advance(1000);
    expect((await send('GET', ROOT)).status).toBe(200);
  });
});

describe('lists', () => {
  test('of profiles have pages', async () => {
    const path = `/v1/organizations/${DEMO.organization_id}/public_profiles?limit=1`;
    const { body } = await send('GET', path);
    const { next_page_id } = body['paging'] as { next_page_id: string };
    const second = await send('GET', `${path}&cursor=${next_page_id}`);
    expect(second.body).toMatchObject({ public_profiles: [{ sub_request_status: 'SUCCESS' }], paging: {} });
    expect((await send('GET', path.replace('limit=1', 'limit=101'))).status).toBe(400);
  });

  test('of Spotlight videos show how moderation ends', async () => {
    host.platform.change!('demo', { moderation: 'REJECTED' });
    const { body } = await send('POST', `${ROOT}/spotlights`, { media_id: await video(), locale: 'en_US' });
    const path = `${ROOT}/spotlights/${body['spotlight_id'] as string}`;
    const state = async () => (await send('GET', path)).body['spotlights'];
    expect(await state()).toMatchObject([{ spotlight: { status: 'SUBMITTED' } }]);
    host.advance(30_000);
    expect(await state()).toMatchObject([{ spotlight: { status: 'REJECTED' } }]);
  });
});

describe('statistics', () => {
  test.each([
    ['', 200],
    ['?fields=VIEWS', 200],
    ['?fields=STORY_VIEWS', 400],
    ['?startTime=2026-03-01T00:00:00.000Z', 400],
    ['?granularity=HOUR', 400],
    ['?granularity=DAY', 400],
    ['?granularity=TOTAL&startTime=2026-03-01T00:00:00.000Z&endTime=2026-03-02T10:00:00.000Z', 400],
    ['?granularity=TOTAL&startTime=2026-03-01T00:00:00.000Z&endTime=2026-03-02T00:00:00.000Z', 200],
    ['?granularity=DAY&startTime=2025-03-01T00:00:00.000Z&endTime=2026-03-02T00:00:00.000Z', 400],
  ])('with the query "%s" answer %i', async (query, status) => {
    const { body } = await send('POST', `${ROOT}/spotlights`, { media_id: await video(), locale: 'en_US' });
    const path = `${ROOT}/spotlights/${body['spotlight_id'] as string}/stats${query}`;
    expect((await send('GET', path)).status).toBe(status);
  });
});
