import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { noisyJpeg } from '../../../../test/support/bluesky.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import type { JsonObject } from '../../../model/json.ts';
import { sandbox } from './server.ts';
import { DEMO } from './accounts.ts';

const PDS = 'https://morel.us-east.host.bsky.network';
const COLLECTION = 'app.bsky.feed.post';
const RKEY = '3lzzzzzzzzz2a';
const HOUR = 3_600_000;

interface Result {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

let bluesky: TestSandbox;
let session: Record<string, string>;

beforeEach(async () => {
  bluesky = await startSandboxHost(sandbox);
  session = (await login()).body as Record<string, string>;
});
afterEach(() => bluesky.close());

async function send(
  method: 'GET' | 'POST',
  url: string,
  headers: Record<string, string> = {},
  body?: string | Uint8Array,
): Promise<Result> {
  const request = { method, url, headers, timeoutMs: 30_000 };
  const answer = await bluesky.http.send(body === undefined ? request : { ...request, body });
  const text = answer.body.toString();
  return { ...answer, body: (text ? JSON.parse(text) : {}) as JsonObject };
}

const get = (path: string, host = PDS) => send('GET', `${host}/xrpc/${path}`);
const bearer = (token = session['accessJwt']!) => ({ authorization: `Bearer ${token}` });
const post = (name: string, input: JsonObject, headers: Record<string, string> = bearer()) =>
  send(
    'POST',
    `${PDS}/xrpc/${name}`,
    { 'content-type': 'application/json', ...headers },
    JSON.stringify(input),
  );

const login = (identifier = DEMO.identifier, password = DEMO.app_password) =>
  post('com.atproto.server.createSession', { identifier, password }, {});
const refresh = (token = session['refreshJwt']!) =>
  send('POST', `${PDS}/xrpc/com.atproto.server.refreshSession`, bearer(token));
const upload = (bytes: Uint8Array, headers: Record<string, string> = { 'content-type': 'image/jpeg' }) =>
  send('POST', `${PDS}/xrpc/com.atproto.repo.uploadBlob`, { ...bearer(), ...headers }, bytes);

const record = (change: JsonObject = {}): JsonObject => ({
  $type: COLLECTION,
  text: 'Hello',
  createdAt: '2026-03-02T10:00:00.000Z',
  ...change,
});
const put = (change: JsonObject = {}, value: JsonObject = record()) =>
  post('com.atproto.repo.putRecord', {
    repo: session['did']!,
    collection: COLLECTION,
    rkey: RKEY,
    record: value,
    swapRecord: null,
    ...change,
  });

const refused = (status: number, error: string, message: string | RegExp = /./) => ({
  status,
  body: { error, message: expect.stringMatching(message) },
});

function claimsOf(token: unknown): JsonObject {
  const payload = (token as string).split('.')[1]!;
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject;
}

describe('sessions', () => {
  test('contain the account, its server and the expiry', async () => {
    const { status, body } = await login();
    expect(status).toBe(200);
    expect(body).toMatchObject({ handle: 'demo.bsky.social', active: true });
    expect(body['didDoc']).toMatchObject({ service: [{ id: '#atproto_pds', serviceEndpoint: PDS }] });
    const claims = claimsOf(body['accessJwt']);
    expect(claims).toMatchObject({ exp: bluesky.now() / 1000 + 7200, scope: 'com.atproto.appPass' });
  });

  test('are refused for wrong passwords, second factors and accounts taken down', async () => {
    expect(await login('demo.bsky.social', 'x')).toMatchObject(refused(401, 'AuthenticationRequired'));
    expect(await login('twofactor.bsky.social', 'twofactor-main-password')).toMatchObject(
      refused(401, 'AuthFactorTokenRequired'),
    );
    for (const name of ['takendown', 'suspended']) {
      expect(await login(`${name}.bsky.social`, 'test-test-test-test')).toMatchObject(
        refused(401, 'AccountTakedown'),
      );
    }
  });

  test('are limited to 30 logins in five minutes per identifier as typed', async () => {
    for (let count = 1; count < 30; count++) await login();
    const { headers, ...answer } = await login();
    expect(answer).toMatchObject(refused(429, 'RateLimitExceeded'));
    expect(headers).toMatchObject({
      'ratelimit-limit': '30',
      'ratelimit-remaining': '0',
      'ratelimit-policy': '30;w=300',
      'ratelimit-reset': String(bluesky.now() / 1000 + 300),
      'retry-after': '300',
    });
    expect((await login(session['did'])).status).toBe(200);
    bluesky.advance(300_000);
    expect((await login()).status).toBe(200);
  });

  test('expire after two hours with status 400', async () => {
    bluesky.advance(2 * HOUR);
    expect(await put()).toMatchObject(refused(400, 'ExpiredToken', 'Token has expired'));
    expect((await refresh()).status).toBe(200);
  });

  test('are refreshed by the header only', async () => {
    const name = 'com.atproto.server.refreshSession';
    const inBody = { refreshJwt: session['refreshJwt']! };
    expect(await post(name, inBody, {})).toMatchObject(refused(401, 'AuthMissing'));
    expect(await post(name, inBody, bearer(session['refreshJwt']))).toMatchObject(
      refused(400, 'InvalidRequest'),
    );
    expect(await refresh(session['accessJwt'])).toMatchObject(refused(400, 'InvalidToken'));
    expect(await refresh('a.b.c')).toMatchObject(refused(400, 'InvalidToken'));
  });

  test('return the same successor for a used refresh token during two hours', async () => {
    const ids = (await Promise.all([refresh(), refresh()])).map(
      ({ body }) => claimsOf(body['refreshJwt'])['jti'],
    );
    expect(ids[0]).toBe(ids[1]);
    bluesky.advance(2 * HOUR + 1);
    expect(await refresh()).toMatchObject(refused(400, 'ExpiredToken', 'Token has been revoked'));
  });

  test('can be expired and revoked', async () => {
    const { tokens } = bluesky.platform;
    tokens('expire', 'demo.bsky.social');
    expect(await put()).toMatchObject(refused(400, 'ExpiredToken'));
    session = (await refresh()).body as Record<string, string>;
    expect((await put()).status).toBe(200);

    tokens('revoke_refresh', session['did']!);
    expect(await refresh()).toMatchObject(refused(400, 'ExpiredToken', 'Token has been revoked'));
    expect((await put()).status).toBe(200);

    tokens('revoke', null);
    expect(await put()).toMatchObject(refused(400, 'ExpiredToken'));
    expect(await login()).toMatchObject(refused(401, 'AuthenticationRequired'));
    expect((await login(DEMO.identifier, 'demo-demo-demo-more')).status).toBe(200);
    bluesky.platform.reset();
    expect((await login()).status).toBe(200);
  });
});

describe('blobs', () => {
  test('have a reference that depends on the bytes only and the sniffed type', async () => {
    const bytes = await noisyJpeg(9, 9);
    const { body } = await upload(bytes, { 'content-type': 'image/png' });
    expect(body['blob']).toMatchObject({ $type: 'blob', mimeType: 'image/jpeg', size: bytes.byteLength });
    expect(body['blob']).toHaveProperty('ref.$link', expect.stringMatching(/^bafkrei[a-z2-7]{52}$/));
    expect((await upload(bytes)).body).toEqual(body);
  });

  test('need a content type and a token', async () => {
    expect(await upload(Buffer.from('x'), {})).toMatchObject(refused(400, 'InvalidRequest'));
    expect(await send('POST', `${PDS}/xrpc/com.atproto.repo.uploadBlob`, {}, 'x')).toMatchObject(
      refused(401, 'AuthMissing'),
    );
  });

  test('may exceed the limit of records but not of the server', async () => {
    expect((await upload(await noisyJpeg(1400, 1000))).status).toBe(200);
    expect(await upload(new Uint8Array(52_428_801))).toMatchObject(refused(413, 'PayloadTooLarge'));
  });

  test('are limited to 1000 a day', async () => {
    expect((await upload(Buffer.from('x'))).headers).toMatchObject({
      'ratelimit-limit': '1000',
      'ratelimit-remaining': '999',
      'ratelimit-policy': '1000;w=86400',
    });
  });
});

describe('writes', () => {
  test('return the same result without a commit for an identical record', async () => {
    const first = await put();
    const uri = `at://${session['did']}/${COLLECTION}/${RKEY}`;
    expect(first).toMatchObject({ status: 200, body: { uri, validationStatus: 'valid' } });
    expect(first.body).toHaveProperty('commit.rev');
    const again = await put();
    expect(again.body).toEqual({ uri, cid: first.body['cid'], validationStatus: 'valid' });
    expect(bluesky.posts()).toHaveLength(1);
  });

  test('refuse, swap or overwrite another record depending on swapRecord', async () => {
    const { body } = await put();
    const changed = record({ text: 'Changed' });
    expect(await put({}, changed)).toMatchObject(refused(400, 'InvalidSwap'));
    expect((await put({ swapRecord: body['cid']! }, changed)).status).toBe(200);
    expect(await put({ swapRecord: body['cid']! })).toMatchObject(refused(400, 'InvalidSwap'));
    expect(
      (
        await post('com.atproto.repo.putRecord', {
          repo: session['did']!,
          collection: COLLECTION,
          rkey: RKEY,
          record: record(),
        })
      ).status,
    ).toBe(200);
    expect(bluesky.posts().map(({ text }) => text)).toEqual(['Hello']);
  });

  test('fail with 500 for createRecord with an existing key', async () => {
    const input = { repo: 'demo.bsky.social', collection: COLLECTION, record: record() };
    expect((await post('com.atproto.repo.createRecord', input)).status).toBe(200);
    await put();
    expect(await post('com.atproto.repo.createRecord', { ...input, rkey: RKEY })).toMatchObject(
      refused(500, 'InternalServerError'),
    );
  });

  test('are allowed in the own repository only', async () => {
    const { did } = (await login('alice.bsky.social', 'test-test-test-test')).body;
    expect(await put({ repo: did! })).toMatchObject(refused(401, 'AuthenticationRequired'));
    expect(await put({ repo: 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz' })).toMatchObject(
      refused(403, 'AccountNotFound'),
    );
  });

  test('count points per hour', async () => {
    const { headers } = await put();
    expect(headers).toMatchObject({ 'ratelimit-limit': '5000', 'ratelimit-remaining': '4998' });
  });

  test('are refused while a limit is announced', async () => {
    bluesky.setLimit({ remaining: 0, retry_after: 40 });
    expect(await put()).toMatchObject({
      ...refused(429, 'RateLimitExceeded'),
      headers: { 'retry-after': '40' },
    });
    bluesky.setLimit(null);
    expect((await put()).status).toBe(200);
  });

  const link = (uri: string) => ({
    index: { byteStart: 0, byteEnd: 5 },
    features: [{ $type: 'app.bsky.richtext.facet#link', uri }],
  });

  test.each<[string, JsonObject, RegExp]>([
    [
      '301 graphemes',
      { text: 'é'.repeat(301) },
      /grapheme too big \(maximum 300, got 301\) at \$\.record\.text/,
    ],
    ['3001 bytes', { text: '👨‍👩‍👧‍👦'.repeat(120) + '!' }, /string too big/],
    ['a missing text', { text: null }, /\$\.record\.text/],
    ['a date without time', { createdAt: '2026-03-02' }, /createdAt/],
    ['a time without a zone', { createdAt: '2026-03-02T10:00:00' }, /createdAt/],
    ['four languages', { langs: ['en', 'de', 'fr', 'it'] }, /array too big/],
    ['an invalid language', { langs: ['a language'] }, /langs\[0\]/],
    ['nine tags', { tags: Array.from({ length: 9 }, () => 'a') }, /array too big/],
    ['a relative link', { facets: [link('/a')] }, /facets\[0\]\.features\[0\]\.uri/],
    [
      'negative offsets',
      { facets: [{ ...link('https://a.b'), index: { byteStart: -1, byteEnd: 5 } }] },
      /integer too small/,
    ],
    ['missing images', { embed: { $type: 'app.bsky.embed.images' } }, /array/],
    ['an embed without a type', { embed: { images: [] } }, /\$type/],
    ['another type', { $type: 'app.bsky.feed.like' }, /Invalid \$type/],
  ])('refuse %s', async (_, change, message) => {
    expect(await put({}, record(change))).toMatchObject(refused(400, 'InvalidRequest', message));
  });

  test('refuse a key that is not a TID', async () => {
    expect(await put({ rkey: 'my-post' })).toMatchObject(refused(400, 'InvalidRequest', /TID/));
  });

  test('accept unknown fields, unknown embeds and offsets beyond the text', async () => {
    const far = { ...link('https://a.b'), index: { byteStart: 0, byteEnd: 999 } };
    const odd = record({ extra: 1, embed: { $type: 'app.bsky.embed.imags' }, facets: [far] });
    expect((await put({}, odd)).status).toBe(200);
  });
});

describe('images of a record', () => {
  const images = (...blobs: JsonObject[]) =>
    record({ embed: { $type: 'app.bsky.embed.images', images: blobs.map(image => ({ image, alt: '' })) } });
  const uploaded = async (width: number, height: number) =>
    (await upload(await noisyJpeg(width, height))).body['blob'] as JsonObject;

  test('are at most four, each with an alternative text', async () => {
    const blob = await uploaded(9, 9);
    expect(await put({}, images(blob, blob, blob, blob, blob))).toMatchObject(refused(400, 'InvalidRequest'));
    const mute = record({ embed: { $type: 'app.bsky.embed.images', images: [{ image: blob }] } });
    expect(await put({}, mute)).toMatchObject(refused(400, 'InvalidRequest', /alt/));
    expect((await put({}, images(blob, blob, blob, blob))).status).toBe(200);
    expect(bluesky.posts()[0]).toMatchObject({ kind: 'image', media: [{ width: 9, height: 9 }, {}, {}, {}] });
  });

  test('are limited to 2,000,000 bytes, thumbnails to 1,000,000', async () => {
    const large = await uploaded(1400, 1000);
    expect(await put({}, images(large))).toMatchObject(
      refused(
        400,
        'InvalidRequest',
        /blob too big \(maximum 2000000, got \d+\) at \$\.record\.embed\.images\[0\]\.image/,
      ),
    );
    const external = { uri: 'https://a.b', title: '', description: '', thumb: await uploaded(900, 700) };
    const card = record({ embed: { $type: 'app.bsky.embed.external', external } });
    expect(await put({}, card)).toMatchObject(refused(400, 'InvalidRequest', /maximum 1000000/));
  });

  test('must match a recent upload of the account', async () => {
    const blob = await uploaded(9, 9);
    const link = { $link: `bafkrei${'a'.repeat(52)}` };
    expect(await put({}, images({ ...blob, ref: link }))).toMatchObject(refused(400, 'BlobNotFound'));
    expect(await put({}, images({ ...blob, mimeType: 'image/png' }))).toMatchObject(
      refused(400, 'InvalidMimeType'),
    );
    expect(await put({}, images({ ...blob, size: 1 }))).toMatchObject(refused(400, 'InvalidSize'));
    expect(await put({}, images({ link: 'bafkrei' }))).toMatchObject(refused(400, 'InvalidRequest'));
    bluesky.advance(61 * 60_000);
    expect(await put({}, images(blob))).toMatchObject(refused(400, 'BlobNotFound'));
  });
});

describe('reads', () => {
  const where = () => `repo=${session['did']}&collection=${COLLECTION}&rkey=${RKEY}`;

  test('return a record without a token', async () => {
    expect(await get(`com.atproto.repo.getRecord?${where()}`)).toMatchObject(refused(400, 'RecordNotFound'));
    await put();
    expect((await get(`com.atproto.repo.getRecord?${where()}`)).body['value']).toEqual(record());
    expect(await get('com.atproto.repo.getRecord?repo=x.test&collection=a&rkey=b')).toMatchObject(
      refused(400, 'InvalidRequest', /Could not find repo/),
    );
  });

  test('resolve handles and DIDs', async () => {
    const resolve = (handle: string, host?: string) =>
      get(`com.atproto.identity.resolveHandle?handle=${handle}`, host);
    expect((await resolve('demo.bsky.social')).body).toEqual({ did: session['did'] });
    expect(await resolve('nobody.test')).toMatchObject(refused(400, 'HandleNotFound'));
    expect(await resolve('nobody.test', 'https://public.api.bsky.app')).toMatchObject(
      refused(400, 'InvalidRequest', 'Unable to resolve handle'),
    );
    expect((await send('GET', `https://plc.directory/${session['did']}`)).body).toMatchObject({
      id: session['did'],
    });
    expect((await send('GET', 'https://plc.directory/did:plc:nobody')).status).toBe(404);
  });

  test('return profiles and posts from the AppView, without deleted posts', async () => {
    const { body } = await put();
    const uri = body['uri'] as string;
    bluesky.setMetrics(uri, { likes: 3, comments: 2, shares: 1 });
    const posts = () =>
      get(`app.bsky.feed.getPosts?uris=${encodeURIComponent(uri)}`, 'https://public.api.bsky.app');
    expect((await posts()).body['posts']).toMatchObject([
      { uri, likeCount: 3, replyCount: 2, repostCount: 1 },
    ]);
    const profile = await get(
      `app.bsky.actor.getProfile?actor=${session['did']}`,
      'https://public.api.bsky.app',
    );
    expect(profile.body).toMatchObject({ displayName: 'Demo', postsCount: 1 });
    const gone = { repo: session['did']!, collection: COLLECTION, rkey: RKEY };
    expect((await post('com.atproto.repo.deleteRecord', gone)).status).toBe(200);
    expect((await post('com.atproto.repo.deleteRecord', gone)).status).toBe(200);
    expect((await posts()).body['posts']).toEqual([]);
    expect(bluesky.posts()).toEqual([]);
  });

  test('are refused for unknown methods and wrong verbs', async () => {
    expect(await get('com.example.nothing')).toMatchObject(refused(501, 'MethodNotImplemented'));
    expect(await get('com.atproto.server.createSession')).toMatchObject(
      refused(400, 'InvalidRequest', /HTTP method/),
    );
  });
});

describe('inactive accounts', () => {
  const change = (changes: JsonObject) => bluesky.platform.change!('demo.bsky.social', changes);
  const NEW_PDS = 'https://shimeji.us-east.host.bsky.network';
  const didDocument = async () => (await send('GET', `https://plc.directory/${session['did']}`)).body;

  test('that are deactivated can log in but not write', async () => {
    expect(change({ status: 'deactivated' })).toBe(true);
    expect((await login()).body).toMatchObject({ active: false, status: 'deactivated' });
    expect(await put()).toMatchObject(refused(401, 'AccountDeactivated'));
    expect(await upload(Buffer.from('x'))).toMatchObject(refused(401, 'AccountDeactivated'));
    expect((await refresh()).status).toBe(200);
  });

  test('that moved away with a deactivated copy name the new server', async () => {
    change({ moved: 'deactivated' });
    expect(await put()).toMatchObject(refused(401, 'AccountDeactivated'));
    expect((await refresh()).body).toMatchObject({ active: false });
    expect(await didDocument()).toMatchObject({ service: [{ serviceEndpoint: NEW_PDS }] });
  });

  test('that moved away with a deleted copy are unknown', async () => {
    change({ moved: 'deleted' });
    expect(await put()).toMatchObject(refused(403, 'AccountNotFound'));
    expect(await login()).toMatchObject(refused(401, 'AuthenticationRequired'));
    const entryway = await send(
      'POST',
      'https://bsky.social/xrpc/com.atproto.server.refreshSession',
      bearer(session['refreshJwt']),
    );
    expect(entryway).toMatchObject(refused(400, 'ExpiredToken'));
  });

  test('cannot use tokens and app passwords of the old server on the new one', async () => {
    change({ moved: 'deactivated' });
    const name = 'com.atproto.server.createSession';
    const credentials = JSON.stringify({ identifier: DEMO.identifier, password: DEMO.app_password });
    const headers = { 'content-type': 'application/json' };
    expect(await send('POST', `${NEW_PDS}/xrpc/${name}`, headers, credentials)).toMatchObject(
      refused(401, 'AuthenticationRequired'),
    );
    expect(await send('POST', `${NEW_PDS}/xrpc/com.atproto.server.refreshSession`, bearer())).toMatchObject(
      refused(400, 'InvalidToken'),
    );
  });

  test('are refused changes that do not exist', () => {
    expect(() => change({ moved: 'elsewhere' })).toThrow();
    expect(bluesky.platform.change!('nobody.test', {})).toBe(false);
  });
});

test('JSON bodies are limited to 1,000,000 bytes', async () => {
  expect(await put({}, record({ extra: 'x'.repeat(1_000_000) }))).toMatchObject(
    refused(413, 'PayloadTooLarge'),
  );
});
