import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../../test/support/connectors.ts';
import { sampleFiles } from '../../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { connect } from '../../../../test/support/youtube.ts';
import type { HttpRequest } from '../../../net/http.ts';
import { sandbox } from './server.ts';

const API = 'https://www.googleapis.com/youtube/v3';
const UPLOAD = 'https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable';
const UNIT = 262_144;

let host: TestSandbox;
let grant: AnyGrant;
beforeEach(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
});
afterEach(() => host.close());

interface Sent extends Partial<Pick<HttpRequest, 'headers' | 'body'>> {
  json?: object;
}

async function call(method: HttpRequest['method'], url: string, { headers, body, json }: Sent = {}) {
  const content = json === undefined ? body : JSON.stringify(json);
  const response = await host.http.send({
    method,
    url,
    headers: {
      authorization: `Bearer ${grant.credentials['access_token']}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json; charset=UTF-8' }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: content }),
    timeoutMs: 30_000,
  });
  const text = response.body.toString();
  const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    id?: string;
    items?: object[];
    error?: { errors: { reason: string }[] };
  };
  return { ...response, text, json: parsed, reason: parsed.error?.errors[0]?.reason };
}

const video = (snippet: object = {}, status: object = {}) => ({
  snippet: { title: 'T', ...snippet },
  status: { privacyStatus: 'public', ...status },
});

const open = (
  json: object = video(),
  size = 10,
  part = 'snippet,status',
  headers: Record<string, string> = {},
) =>
  call('POST', `${UPLOAD}&part=${part}`, {
    json,
    headers: {
      'x-upload-content-type': 'video/mp4',
      'x-upload-content-length': String(size),
      slug: 'name',
      ...headers,
    },
  });

const session = async (size: number) => (await open(video(), size)).headers['location'] ?? '';
const put = (url: string, range: string, bytes = Buffer.alloc(0)) =>
  call('PUT', url, { headers: { 'content-range': range, 'content-type': 'video/mp4' }, body: bytes });

describe('metadata', () => {
  test.each([
    [{ title: '' }, 'invalidTitle'],
    [{ title: 'a<b' }, 'invalidTitle'],
    [{ title: 'x'.repeat(101) }, 'invalidTitle'],
    [{ title: 'a\u0007' }, 'invalidTitle'],
    [{ description: 'é'.repeat(2501) }, 'invalidDescription'],
    [{ description: '\u0000' }, 'invalidDescription'],
    [{ tags: ['a'.repeat(501)] }, 'invalidTags'],
    [{ tags: ['<b>'] }, 'invalidTags'],
    [{ categoryId: '21' }, 'invalidCategoryId'],
    [{ defaultLanguage: 'no language' }, 'invalidVideoMetadata'],
  ])('%j is refused as %s', async (snippet, reason) => {
    expect(await open(video(snippet))).toMatchObject({ status: 400, reason });
  });

  test.each([
    [{ privacyStatus: 'secret' }, 'invalidVideoMetadata'],
    [{ license: 'mine' }, 'invalidVideoMetadata'],
    [{ publishAt: '2027-01-01T00:00:00Z' }, 'invalidPublishAt'],
  ])('%j is refused as %s', async (status, reason) => {
    expect(await open(video({}, status))).toMatchObject({ status: 400, reason });
  });

  test('must have the parts that are named, which the method must know', async () => {
    const recording = { ...video(), recordingDetails: { recordingDate: '2026-09-01T00:00:00Z' } };
    expect(await open(recording)).toMatchObject({
      reason: 'unexpectedPart',
      text: expect.stringContaining("'recording_details'"),
    });
    expect(await open(video(), 10, 'snippet,everything')).toMatchObject({ reason: 'unknownPart' });
    expect(await open(video(), 10, '')).toMatchObject({ reason: 'required' });
  });
});

describe('an upload session', () => {
  test('is opened without a body, by a video only, and only with its size', async () => {
    expect(await open()).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
    expect(await open(video(), 10, 'snippet,status', { 'x-upload-content-type': 'image/png' })).toMatchObject(
      {
        reason: 'mediaBodyRequired',
      },
    );
    expect(
      (await call('POST', UPLOAD.replace('resumable', 'multipart') + '&part=snippet', { json: {} })).status,
    ).toBe(400);
  });

  test('answers what it has, and stores contiguous parts only', async () => {
    const url = await session(3 * UNIT);
    const part = Buffer.alloc(UNIT);
    const total = 3 * UNIT;
    const before = await put(url, `bytes */${total}`);
    expect(before).toMatchObject({ status: 308 });
    expect(before.headers).not.toHaveProperty('range');
    expect(await put(url, `bytes 0-${UNIT - 1}/${total}`, part)).toMatchObject({
      status: 308,
      headers: { range: `bytes=0-${UNIT - 1}` },
    });
    for (const start of [0, 2 * UNIT]) {
      const skipped = await put(url, `bytes ${start}-${start + UNIT - 1}/${total}`, part);
      expect(skipped.headers['range']).toBe(`bytes=0-${UNIT - 1}`);
    }
  });

  test.each([
    ['bytes 0-1/3', 3, 'Failed to parse Content-Range header.'],
    [`bytes 0-8191/${2 * UNIT}`, 8192, 'The received request contained 8192 bytes'],
    ['nonsense', 3, 'Failed to parse Content-Range header.'],
    ['bytes 0-2/3', 3, 'Failed to parse Content-Range header.'],
  ])('refuses the range %s of %d bytes', async (range, length, words) => {
    expect(await put(await session(2 * UNIT), range, Buffer.alloc(length))).toMatchObject({
      status: 400,
      text: expect.stringContaining(words),
    });
  });

  test('takes the whole file at once, and answers it again until it is forgotten', async () => {
    const clip = (await sampleFiles())('clip.mp4');
    const url = await session(clip.length);
    const done = await call('PUT', url, { body: clip });
    expect(done).toMatchObject({
      status: 201,
      json: { kind: 'youtube#video', status: { uploadStatus: 'processed' } },
    });
    expect((await put(url, `bytes */${clip.length}`)).json.id).toBe(done.json.id);
    expect((await put(url, `bytes 0-2/${clip.length}`, Buffer.alloc(3))).status).toBe(400);
    host.advance(7 * 86_400_000);
    grant = await connect(host);
    expect((await put(url, `bytes */${clip.length}`)).status).toBe(404);
  });

  test('belongs to its channel', async () => {
    const url = await session(10);
    grant = await connect(host, { as: 'demo_brand' });
    expect(await put(url, 'bytes */10')).toMatchObject({ status: 403, reason: 'forbidden' });
    host.advance(3_600_000);
    expect(await put(url, 'bytes */10')).toMatchObject({ status: 401, reason: 'authError' });
  });

  test('is refused beyond the number of uploads that the channel has in a day', async () => {
    host.platform.change?.('demo', { daily_uploads: 0 });
    expect(await open()).toMatchObject({ status: 400, reason: 'uploadLimitExceeded' });
  });
});

describe('every call', () => {
  test('needs a token with its scope, and the parts of its method', async () => {
    expect(await call('GET', `${API}/videos?part=status`)).toMatchObject({
      reason: 'missingRequiredParameter',
    });
    expect(await call('GET', `${API}/videos?part=status&id=a&chart=b`)).toMatchObject({
      reason: 'incompatibleParameters',
    });
    expect(await call('GET', `${API}/captions?part=contentDetails&videoId=a`)).toMatchObject({
      reason: 'unknownPart',
    });
    grant = { ...grant, credentials: { access_token: 'unknown' } };
    expect(await call('GET', `${API}/videos?part=status&id=a`)).toMatchObject({
      status: 401,
      reason: 'authError',
    });
  });

  test('answers reads with an ETag, and unknown videos with an empty list', async () => {
    const answer = await call('GET', `${API}/videos?part=status&id=dQw4w9WgXcQ`);
    expect(answer).toMatchObject({
      status: 200,
      json: { items: [] },
      headers: { etag: expect.stringMatching(/^".+"$/) },
    });
  });

  test('costs units of the project until midnight in California', async () => {
    const playlist = () =>
      call('POST', `${API}/playlists?part=snippet`, { json: { snippet: { title: 'P' } } });
    for (let count = 0; count < 200; count += 1) await playlist();
    expect(await playlist()).toMatchObject({ status: 403, reason: 'quotaExceeded' });
    expect((await open()).status).toBe(200);
    host.advance(22 * 3_600_000);
    grant = await connect(host);
    expect((await playlist()).status).toBe(200);
  });

  test.each([true, false])('of an upload has a bucket of its own (details: %s)', async details => {
    host.setLimit({ quota: 'uploads', details });
    const refused = await open();
    expect(refused).toMatchObject({ status: 429, reason: 'rateLimitExceeded' });
    expect(refused.text.includes('quota_unit')).toBe(details);
    expect((await call('GET', `${API}/channels?part=id&mine=true`)).status).toBe(200);
  });
});

test('an update replaces whole parts and needs title and category', async () => {
  const clip = (await sampleFiles())('clip.mp4');
  const { json } = await call('PUT', await session(clip.length), { body: clip });
  const update = (part: string, body: object) =>
    call('PUT', `${API}/videos?part=${part}`, { json: { id: json.id, ...body } });
  expect(await update('snippet', { snippet: { title: 'Only' } })).toMatchObject({
    reason: 'invalidVideoMetadata',
  });
  expect(await update('status', { status: { embeddable: false } })).toMatchObject({
    json: { status: { privacyStatus: 'public', embeddable: false } },
  });
  expect(await update('status', { snippet: {} })).toMatchObject({ reason: 'unexpectedPart' });
  expect((await call('DELETE', `${API}/videos?id=${json.id}`)).status).toBe(204);
  expect(await call('DELETE', `${API}/videos?id=${json.id}`)).toMatchObject({
    status: 404,
    reason: 'videoNotFound',
  });
});

test('an Analytics report has its columns in the order of the request', async () => {
  const url =
    'https://youtubeanalytics.googleapis.com/v2/reports?ids=channel==MINE&startDate=2026-01-01&endDate=2026-02-01';
  expect((await call('GET', `${url}&metrics=views,shares&dimensions=video`)).text).toContain(
    '"columnHeaders":[{"name":"video","columnType":"DIMENSION","dataType":"STRING"},{"name":"views"',
  );
  expect(await call('GET', `${url}&metrics=everything`)).toMatchObject({ status: 400, reason: 'badRequest' });
});
