import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import {
  authorize,
  COMMUNITY_APP,
  connect,
  PAGE,
  SELF_SERVE_APP,
} from '../../../../test/support/linkedin.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { renderLittleText } from './little-text.ts';
import { sandbox } from './server.ts';

let host: TestSandbox;
let grant: AnyGrant;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  host.setProcessing({ seconds: 0, outcome: 'ok', error: null });
  grant = await connect(host);
});

const PERSON = 'urn:li:person:782bbtaQ';
const VERSION = { 'linkedin-version': '202609', 'x-restli-protocol-version': '2.0.0' };

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  options: { json?: unknown; body?: Buffer; headers?: Record<string, string>; token?: string | null } = {},
) {
  const { json, body, headers = VERSION, token = grant.credentials['access_token']! } = options;
  const response = await host.http.send({
    method,
    url: url.startsWith('/') ? `https://api.linkedin.com${url}` : url,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    timeoutMs: 30_000,
  });
  const text = response.body.toString();
  return {
    status: response.status,
    headers: response.headers,
    json: (text === '' ? {} : JSON.parse(text)) as Answer,
  };
}

/** The members of responses that these tests read. */
interface Answer {
  code?: string;
  serviceErrorCode?: number;
  message?: string;
  status?: string;
  elements?: { id: string }[];
  value?: { uploadUrl: string; image: string; document: string };
}

const POST = {
  author: PERSON,
  commentary: 'Hi',
  visibility: 'PUBLIC',
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
  lifecycleState: 'PUBLISHED',
};
const create = (more: object) => call('POST', '/rest/posts', { json: { ...POST, ...more } });

describe('every call', () => {
  test.each([
    ['without a token', { token: null }, 401, { serviceErrorCode: 65604 }],
    ['with an unknown token', { token: 'x' }, 401, { serviceErrorCode: 65600, code: 'INVALID_ACCESS_TOKEN' }],
    [
      'without a version',
      { headers: { 'x-restli-protocol-version': '2.0.0' } },
      400,
      { code: 'VERSION_MISSING' },
    ],
    [
      'with a version that is not active',
      { headers: { ...VERSION, 'linkedin-version': '202504' } },
      426,
      { code: 'NONEXISTENT_VERSION', message: 'Requested version 20250401 is not active' },
    ],
    ['with another protocol', { headers: { 'linkedin-version': '202609' } }, 400, { code: 'PARAM_INVALID' }],
  ])('%s is refused', async (_, options, status, body) => {
    const answer = await call('GET', '/rest/organizationAcls?q=roleAssignee', options);
    expect([answer.status, answer.json]).toEqual([status, expect.objectContaining(body)]);
  });

  test('with an expired or revoked token is refused with its own code', async () => {
    const other = await connect(host);
    host.platform.tokens('expire', 'demo');
    expect((await create({})).json).toMatchObject({ serviceErrorCode: 65602 });
    grant = await connect(host);
    host.platform.tokens('revoke', null);
    expect((await create({})).json).toMatchObject({ serviceErrorCode: 65601, code: 'REVOKED_ACCESS_TOKEN' });
    expect(other.credentials['refresh_token']).not.toBe(grant.credentials['refresh_token']);
  });

  test('needs the scope and the kind of app', async () => {
    expect((await call('GET', '/v2/userinfo')).json.message).toContain('userinfo.GET');
    grant = await connect(host, SELF_SERVE_APP);
    expect((await call('GET', '/v2/me', { headers: {} })).json).toMatchObject({
      serviceErrorCode: 100,
      message: 'Not enough permissions to access: me.GET.NO_VERSION',
    });
    expect((await call('GET', '/rest/organizationAcls?q=roleAssignee')).status).toBe(403);
    expect((await create({ author: PAGE.id })).json.message).toBe(
      'Not enough permissions to access: partnerApiPosts.CREATE.20260901',
    );
  });

  test('counts against a limit that was set', async () => {
    host.setLimit({ text: 'MEMBER DAY', retry_after: 7 });
    const { status, headers, json } = await create({});
    host.setLimit(null);
    expect([status, headers['retry-after'], json.message]).toEqual([
      429,
      '7',
      expect.stringContaining('MEMBER DAY'),
    ]);
  });
});

describe('the consent page', () => {
  test.each([
    { client_id: 'x' },
    { response_type: 'token' },
    { state: '' },
    { redirect_uri: 'nowhere' },
    { prompt: 'none' },
    { code_challenge: 'c' },
  ])('refuses %j', async wrong => expect((await authorize(host, COMMUNITY_APP, wrong)).status).toBe(400));
  test('shows the choice', async () =>
    expect((await authorize(host, COMMUNITY_APP, { auto: '' })).status).toBe(200));
});

describe('creating a post', () => {
  test.each([
    ['author', { author: undefined }, 400, 'MISSING_FIELD'],
    ['commentary', { commentary: undefined }, 400, 'MISSING_FIELD'],
    ['visibility', { visibility: undefined }, 400, 'MISSING_FIELD'],
    ['distribution', { distribution: undefined }, 400, 'MISSING_FIELD'],
    ['feedDistribution', { distribution: {} }, 400, 'MISSING_FIELD'],
    ['lifecycleState', { lifecycleState: undefined }, 400, 'MISSING_FIELD'],
    ['a draft', { lifecycleState: 'DRAFT' }, 400, 'INVALID_VALUE_FOR_FIELD'],
    ['an unknown content', { content: { poll: {} } }, 400, 'INVALID_VALUE_FOR_FIELD'],
    [
      'two contents',
      { content: { media: { id: 'a' }, article: { source: 'https://a.b', title: 'a' } } },
      400,
      'INVALID_VALUE_FOR_FIELD',
    ],
    [
      'an article without a title',
      { content: { article: { source: 'https://e.com' } } },
      400,
      'MISSING_FIELD',
    ],
    ['an article without a source', { content: { article: { title: 'a' } } }, 400, 'MISSING_FIELD'],
    [
      'a thumbnail that is not an image of the author',
      { content: { article: { source: 'https://e.com', title: 'a', thumbnail: 'https://e.com/a.jpg' } } },
      400,
      'INVALID_IMAGE_ID',
    ],
    [
      'one image in multiImage',
      { content: { multiImage: { images: [{ id: 'a' }] } } },
      400,
      'INVALID_VALUE_FOR_FIELD',
    ],
    ['an unknown image', { content: { media: { id: 'urn:li:image:x' } } }, 400, 'INVALID_IMAGE_ID'],
    ['an unknown video', { content: { media: { id: 'urn:li:video:x' } } }, 400, 'INVALID_VIDEO_ID'],
    ['a blank text', { commentary: ' ' }, 400, 'INVALID_VALUE_BLANK_FIELD'],
    ['a text that is too long', { commentary: 'a'.repeat(3001) }, 400, 'FIELD_LENGTH_TOO_LONG'],
    ['a company as author', { author: 'urn:li:company:1' }, 400, 'INVALID_VALUE_FOR_FIELD'],
    [
      'a restricted organization',
      { author: PAGE.id, visibility: 'CONNECTIONS' },
      400,
      'INVALID_VALUE_FOR_FIELD',
    ],
    ['another member', { author: 'urn:li:person:782other' }, 403, 'ACCESS_DENIED'],
    [
      'an organization that the member only analyzes',
      { author: 'urn:li:organization:2414186' },
      403,
      'ACCESS_DENIED',
    ],
  ])('needs to have its parts right: %s', async (_, more, status, code) => {
    const answer = await create(more);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  test('answers the URN in a header only', async () => {
    const { status, headers, json } = await create({});
    expect([status, json]).toEqual([201, {}]);
    expect(headers['x-restli-id']).toMatch(/^urn:li:share:\d{19}$/);
  });

  test('is listed for its organization only, newest first, and can be deleted twice', async () => {
    await create({ author: PAGE.id, commentary: 'one' });
    const { headers } = await create({ author: PAGE.id, commentary: 'two' });
    const urn = headers['x-restli-id']!;
    const list = (author: string) =>
      call('GET', `/rest/posts?author=${encodeURIComponent(author)}&q=author&count=10&sortBy=LAST_MODIFIED`);
    expect((await list(PAGE.id)).json.elements?.map(({ id }) => id)[0]).toBe(urn);
    expect((await list(PERSON)).status).toBe(403);
    const path = `/rest/posts/${encodeURIComponent(urn)}`;
    expect((await call('GET', path)).json).toMatchObject({ id: urn, commentary: 'two' });
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });
});

describe('the markup', () => {
  test.each([
    ['Hi (v2)', 'Hi', 3],
    [String.raw`Hi \(v2\)`, 'Hi (v2)', null],
    [String.raw`{hashtag|\#|a\_b} #b`, '#a_b #b', null],
    ['{hashtag|#|a}', '', 0],
    ['a # b', 'a', 2],
    ['a_b', 'a', 1],
    ['@[Demo Company](urn:li:organization:2414183)', 'Demo Company', null],
    ['@[x](urn:li:group:1)', '', 0],
    ['end \\', 'end', 4],
  ])('%j is shown as %j', (commentary, text, cut_at) => {
    expect(renderLittleText(commentary)).toEqual({ text, cut_at });
  });
});

describe('uploads', () => {
  const start = async (kind: 'image' | 'document', owner = PAGE.id) =>
    (
      await call('POST', `/rest/${kind}s?action=initializeUpload`, {
        json: { initializeUploadRequest: { owner } },
      })
    ).json.value!;
  const put = (url: string, bytes: Buffer, token?: string | null) =>
    call('PUT', url, { body: bytes, headers: {}, ...(token === undefined ? {} : { token }) });
  const state = async (urn: string) => {
    const kind = urn.split(':')[2]!;
    return (await call('GET', `/rest/${kind}s/${encodeURIComponent(urn)}`)).json.status;
  };

  test('need the token, and work once', async () => {
    const { uploadUrl, image } = await start('image');
    expect((await put(uploadUrl, Buffer.from('x'), null)).status).toBe(401);
    expect(await state(image)).toBe('WAITING_UPLOAD');
    expect((await put(uploadUrl, header(40, 30))).status).toBe(201);
    expect((await put(uploadUrl, header(40, 30))).json.code).toBe('UPDATING_ASSET_FAILED');
    expect(await state(image)).toBe('AVAILABLE');
  });

  test.each([
    ['image', header(6100, 6000)],
    ['image', Buffer.from('%PDF-1.7\n')],
    ['document', header(40, 30)],
  ] as const)('of a bad %s fail when it is processed', async (kind, bytes) => {
    const { uploadUrl, ...rest } = await start(kind);
    await put(uploadUrl, bytes);
    expect(await state(rest[kind])).toBe('PROCESSING_FAILED');
  });

  test('of a member have no readable state', async () => {
    const { image } = await start('image', PERSON);
    const answer = await call('GET', `/rest/images/${encodeURIComponent(image)}`);
    expect([answer.status, answer.json.message]).toEqual([
      403,
      expect.stringContaining('image resource is forbidden'),
    ]);
  });

  test('of a document cannot be posted without a title, nor by another author', async () => {
    const { uploadUrl, document } = await start('document');
    const content = { media: { id: document } };
    expect((await create({ author: PAGE.id, content })).json.code).toBe('MEDIA_ASSET_WAITING_UPLOAD');
    await put(uploadUrl, Buffer.from('%PDF-1.7\n%%EOF'));
    expect((await create({ author: PAGE.id, content })).json.code).toBe('MISSING_FIELD');
    const titled = { media: { id: document, title: 'Deck' } };
    expect((await create({ content: titled })).json.code).toBe('INVALID_IMAGE_ID');
    expect((await create({ author: PAGE.id, content: titled })).headers['x-restli-id']).toMatch(/ugcPost/);
  });
});

test('the parts of a video must be complete, and in order', async () => {
  const size = 5_000_000;
  const init = { initializeUploadRequest: { owner: PERSON, fileSizeBytes: size } };
  const { json } = await call('POST', '/rest/videos?action=initializeUpload', { json: init });
  const { video, uploadInstructions } = json.value as unknown as {
    video: string;
    uploadInstructions: { uploadUrl: string; firstByte: number; lastByte: number }[];
  };
  expect(uploadInstructions.map(({ firstByte, lastByte }) => [firstByte, lastByte])).toEqual([
    [0, 4194303],
    [4194304, 4999999],
  ]);
  const put = (index: number, length: number) =>
    call('PUT', uploadInstructions[index]!.uploadUrl, {
      body: Buffer.alloc(length, index),
      headers: {},
      token: null,
    });
  expect((await put(0, 10)).status).toBe(400);
  const [first, second] = [await put(0, 4194304), await put(1, 805696)];
  expect(first.headers['etag']).toMatch(/^"\/ambry-video\/signedId\//);
  const finish = (uploadedPartIds: string[], uploadToken = '') =>
    call('POST', '/rest/videos?action=finalizeUpload', {
      json: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
    });
  const [a, b] = [first.headers['etag']!, second.headers['etag']!];
  for (const refused of [finish([b, a]), finish([a]), finish([a, b], 'x')]) {
    expect((await refused).json.code).toBe('UPDATING_ASSET_FAILED');
  }
  expect((await finish([a, b])).status).toBe(200);
});

/** The beginning of a PNG, which contains its dimensions. */
function header(width: number, height: number): Buffer {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([png, size, Buffer.from('0802000000', 'hex'), Buffer.alloc(8), Buffer.from('IDAT')]);
}
