import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closeStack, create, finalPost, media } from '../support/e2e.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Answer, Json, TestStack } from '../support/stack.ts';

/** Invalid requests and their responses, through the whole local stack including the gateway. */

const START_MS = 600_000;
const TEST_MS = 600_000;
const DAY_MS = 86_400_000;
const ADMIN = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));
const UNAUTHORIZED = { error: 'Missing or invalid Authorization header' };
const TEXT = { profile_name: 'Demo', post_type: 'text', platforms: ['telegram'], description: 'Hello' };

let stack: TestStack;
beforeAll(async () => {
  stack = await sharedStack();
}, START_MS);
afterAll(async () => {
  await closeStack(stack);
}, TEST_MS);

/** Runs an operator's command on the stack and returns the values that it prints by name. */
async function admin(...words: string[]): Promise<Record<string, string>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ADMIN,
    ...words,
    '--ready-file',
    stack.readyFile,
  ]);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map(line => line.split(': ') as [string, string]),
  );
}

const post = (body: unknown, headers?: Record<string, string>) => stack.api('POST', '/posts', body, headers);
const as = (authorization: string, path = '/posts?limit=1') =>
  stack.api('GET', path, undefined, { authorization });
/** Sends a request without a key. */
const withoutKey = async (method: string, path: string) => {
  const answer = await fetch(stack.base_url + path, { method });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
};
const fieldsOf = ({ body }: Answer<Json>): string[] => body.details.map((detail: Json) => detail.field);

describe('a body', () => {
  test('with unknown fields is accepted, with a warning and suggestion for each', async () => {
    const { status, body } = await post({ ...TEXT, frist_comment: 'x', colour_of_the_sea: 'blue' });
    expect(status).toBe(201);
    expect(body.warnings).toEqual(
      expect.arrayContaining([
        {
          code: 'UNKNOWN_FIELD',
          field: 'frist_comment',
          message: expect.stringMatching(/first_comment/),
        },
        { code: 'UNKNOWN_FIELD', field: 'colour_of_the_sea', message: expect.any(String) },
      ]),
    );
  });

  test.each(['{', '{"a":1,}', "{'a':1}", 'hello', '\ufeff{}', '['.repeat(5000) + ']'.repeat(5000)])(
    'that is not JSON answers 400: %.20s',
    async text => {
      const answer = await post(text, { 'content-type': 'application/json' });
      expect([answer.status, answer.body]).toEqual([400, { error: 'Malformed JSON body' }]);
    },
  );

  test.each(['[]', 'null', '1', '"text"'])('that is not an object answers 400: %s', async text => {
    const { status, body } = await post(text, { 'content-type': 'application/json' });
    expect(status).toBe(400);
    expect(body.error).toBe('Validation failed');
  });

  test('with missing fields gets an error for each', async () => {
    const answer = await post({});
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: 'Validation failed', details: expect.any(Array) });
    expect(fieldsOf(answer)).toEqual(['post_type', 'profile_name', 'platforms']);
    for (const detail of answer.body.details) {
      expect(detail).toEqual({
        field: detail.field,
        message: `${detail.field} is required`,
        platform: null,
      });
    }
  });

  test('with wrong types gets an error for each, without the values', async () => {
    const wrong = {
      post_type: 1,
      profile_name: { secret: 'S3CRET' },
      platforms: 'x',
      media_urls: [1, null],
      title: 2,
      description: ['S3CRET'],
      scheduled_date: 5,
      first_comment: 3,
      auto_truncate: 'S3CRET',
    };
    const answer = await post(wrong);
    expect(answer.status).toBe(400);
    expect(new Set(fieldsOf(answer).map(field => field.replace(/\[\d\]$/, '')))).toEqual(
      new Set(Object.keys(wrong)),
    );
    expect(fieldsOf(answer)).toEqual(expect.arrayContaining(['media_urls[0]', 'media_urls[1]']));
    expect(JSON.stringify(answer.body)).not.toContain('S3CRET');
  });

  test('with errors of every kind gets all of them', async () => {
    const answer = await post({
      ...TEXT,
      auto_truncate: 'maybe',
      platforms: ['telegram', 'myspace', 'bluesky'],
      description: 'x'.repeat(5000),
      scheduled_date: 'tomorrow',
    });
    expect(answer.status).toBe(400);
    const named = answer.body.details.map(({ field, platform }: Json) => `${field} ${platform}`);
    expect(named).toEqual(
      expect.arrayContaining([
        'auto_truncate null',
        'platforms myspace',
        'description telegram',
        'description bluesky',
        'scheduled_date null',
      ]),
    );
  });

  test('of another content type answers 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const { status, body } = await post('{}', { 'content-type': type });
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  test('that is too large answers 413 with the limit, from the service and from the gateway', async () => {
    for (const bytes of [1_100_000, 4_600_000]) {
      const { status, body } = await post({ ...TEXT, description: 'x'.repeat(bytes) });
      expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE']);
      expect(body.max_bytes).toBeLessThan(bytes);
    }
  });

  test(
    'never causes a server fault, however unusual',
    async () => {
      const long = 'ﷺ'.repeat(3000);
      const unusual: Json[] = [
        '{"__proto__":{"post_type":"text"},"constructor":{},"toString":1}',
        '{"post_type":"toString","profile_name":"__proto__","platforms":["__proto__","constructor",""]}',
        '{"post_type":"text","profile_name":"Demo","platforms":["telegram"],"description":1e400}',
        { ...TEXT, profile_name: long },
        { ...TEXT, profile_name: 'a'.repeat(5000) },
        { ...TEXT, profile_name: '\ud800' },
        { ...TEXT, description: 'lone \ud800 half' },
        { ...TEXT, description: 'nul \u0000 inside' },
        { ...TEXT, description: '\u200b\u2060' },
        { ...TEXT, platforms: Array(5000).fill('telegram') },
        { ...TEXT, platforms: [''] },
        { ...TEXT, scheduled_date: '+275760-09-13T00:00:00Z' },
        { ...TEXT, scheduled_date: '-000001-01-01T00:00:00Z' },
        { ...TEXT, x_reply_settings: { deep: [[[]]] }, youtube_tags: 'x', bluesky_alt_text: {} },
        { ...TEXT, post_type: 'image', media_urls: Array(500).fill('http://') },
        { ...TEXT, post_type: 'image', media_urls: [`https://example.com/${'a'.repeat(10_000)}`] },
        { ...TEXT, [long]: 1 },
      ];
      const faults: string[] = [];
      for (const body of unusual) {
        const { status } = await post(body, { 'content-type': 'application/json' });
        if (status >= 500) faults.push(`${status} for ${JSON.stringify(body).slice(0, 200)}`);
      }
      const paths = [
        '/posts/%00',
        '/posts/%E0%A4%A',
        '/posts//',
        `/posts/${'a'.repeat(3000)}`,
        '/posts?limit=1&limit=2',
        `/posts?cursor=${'a'.repeat(6000)}`,
        '/posts?cursor=%FF%FE',
        '/posts?%00=%FF',
        '/webhooks/%00/deliveries',
        '/integrations/%00/callback?state=%00',
        '/integrations/x/callback',
        '/integrations/x/callback?state=a.b&code=c',
      ];
      for (const path of paths) {
        const { status } = await stack.api('GET', path);
        if (status >= 500) faults.push(`${status} for ${path.slice(0, 200)}`);
      }
      expect(faults).toEqual([]);
    },
    TEST_MS,
  );
});

describe('a path', () => {
  test('with an unsupported method answers 405 with the allowed ones', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/posts', ['GET', 'POST']],
      ['POST', '/integrations', ['GET']],
      ['GET', '/posts/validate', ['POST']],
      ['PUT', '/upload-media/presign', ['POST']],
    ] as const) {
      const { status, headers, body } = await stack.api(method, path);
      expect([status, body.error]).toEqual([405, 'Method not allowed']);
      const allowed = headers.get('allow')?.split(', ') ?? [];
      expect(allowed).toEqual(expect.arrayContaining([...allow]));
      expect(allowed).not.toContain(method);
    }
  });

  test('that does not exist answers 404, also under the development prefix', async () => {
    const { status, body } = await stack.api('GET', '/nothing/here');
    expect([status, body]).toEqual([404, { error: 'Not found' }]);
    const origin = new URL(stack.base_url).origin;
    const key = { authorization: `Bearer ${stack.api_key}` };
    expect((await fetch(`${origin}/api/v1/nothing`, { headers: key })).status).toBe(404);
    expect((await fetch(`${origin}/api/v1/posts`, { headers: key })).status).toBe(200);
  });

  test('answers 401 without a key, whether it exists or not', async () => {
    for (const [method, path] of [
      ['GET', '/posts'],
      ['PUT', '/posts'],
      ['GET', '/nothing/here'],
      ['DELETE', '/posts/01a21fc8-8659-7071-833a-1d1f60c6e3be'],
    ] as const) {
      const { status, headers, body } = await withoutKey(method, path);
      expect([path, status, body]).toEqual([path, 401, UNAUTHORIZED]);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('with a malformed id answers 404', async () => {
    for (const path of [
      '/posts/1',
      '/posts/null',
      '/webhooks/abc',
      '/posts/01a21fc8-8659-7071-833a-1d1f60c6e3be',
    ]) {
      expect([path, (await stack.api('GET', path)).status]).toEqual([path, 404]);
    }
  });

  test('answers with a request id, also on errors', async () => {
    for (const path of ['/posts', '/nothing', '/posts?limit=0']) {
      expect((await stack.api('GET', path)).headers.get('x-request-id')).toMatch(/^[\w.=-]+$/);
    }
  });
});

describe('a key', () => {
  test('is accepted with the scheme in any case and surrounding white space', async () => {
    const { api_key: key } = stack;
    for (const header of [`bearer ${key}`, `BEARER    ${key}`, `Bearer ${key} `, ` Bearer ${key}`]) {
      expect([header.replace(key, 'KEY'), (await as(header)).status]).toEqual([
        header.replace(key, 'KEY'),
        200,
      ]);
    }
  });

  test('is refused in any other form', async () => {
    const { api_key: key } = stack;
    const swapped = Array.from(key, letter =>
      /[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const last = key.endsWith('A') ? 'B' : 'A';
    for (const header of [
      `Basic ${key}`,
      key,
      'Bearer',
      'Bearer ',
      `Bearer ${key}=`,
      `Bearer ${swapped.join('')}`,
      `Bearer ${key.slice(0, -1)}${last}`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key} ${key}`,
      `Bearer "${key}"`,
      'Bearer null',
    ]) {
      const { status, body } = await as(header);
      expect([header.replace(key, 'KEY'), status, body]).toEqual([
        header.replace(key, 'KEY'),
        401,
        UNAUTHORIZED,
      ]);
    }
  });

  test(
    'that is revoked is refused within 30 seconds, while other keys keep working',
    async () => {
      const issued = await admin('key', 'create', '--workspace', stack.workspace_id, '--name', 'Short-lived');
      const key = issued['API key (shown once)']!;
      expect(key).toMatch(/^sps_[0-9A-Za-z]{40}$/);
      expect((await as(`Bearer ${key}`)).status).toBe(200);
      await admin('key', 'revoke', '--workspace', stack.workspace_id, '--key', issued['Key id']!);
      await stack.advance(30);
      const refused = await as(`Bearer ${key}`);
      expect([refused.status, refused.body]).toEqual([401, UNAUTHORIZED]);
      expect((await stack.api('GET', '/posts')).status).toBe(200);
    },
    TEST_MS,
  );

  test(
    'of the free plan gets 403 with the required plan on every path',
    async () => {
      const issued = await admin(
        ...['workspace', 'create', '--name', 'Free', '--plan', 'free', '--owner-email', 'free@example.com'],
      );
      const key = `Bearer ${issued['API key (shown once)']!}`;
      for (const path of ['/posts', '/nothing']) {
        const { status, body } = await as(key, path);
        expect([path, status]).toEqual([path, 403]);
        expect(body).toEqual({
          error: expect.stringContaining('starter'),
          required_tier: 'starter',
          current_tier: 'free',
          upgrade_url: expect.stringMatching(/^https:/),
        });
      }
      await admin('workspace', 'set-plan', '--workspace', issued['Workspace']!, '--plan', 'starter');
      await stack.advance(30);
      expect((await as(key)).status).toBe(200);
    },
    TEST_MS,
  );

  test(
    'finds no resource of another workspace',
    async () => {
      const id = await create(stack, TEXT);
      const hook = await stack.api('POST', '/webhooks', { url: `${stack.sandbox_url}/_receiver/mine` });
      const { body: accounts } = await stack.api('GET', '/integrations');
      const issued = await admin(
        ...['workspace', 'create', '--name', 'Other', '--plan', 'business', '--owner-email', 'o@example.com'],
      );
      const authorization = `Bearer ${issued['API key (shown once)']!}`;
      for (const [method, path] of [
        ['GET', `/posts/${id}`],
        ['GET', `/webhooks/${hook.body.webhook.id}`],
        ['DELETE', `/webhooks/${hook.body.webhook.id}`],
        ['GET', `/webhooks/${hook.body.webhook.id}/deliveries`],
        ['DELETE', `/integrations/${accounts.accounts[0].id}`],
      ] as const) {
        const { status } = await stack.api(method, path, undefined, { authorization });
        expect([method, path, status]).toEqual([method, path, 404]);
      }
      const { status, body } = await post(TEXT, { authorization });
      expect([status, body]).toEqual([404, { error: 'Profile not found' }]);
      expect((await as(authorization, '/posts')).body.data).toEqual([]);

      const page = await stack.api('GET', '/posts?limit=1');
      const { next_cursor } = page.body;
      expect(next_cursor).toEqual(expect.any(String));
      expect((await as(authorization, `/posts?cursor=${next_cursor}`)).status).toBe(400);
    },
    TEST_MS,
  );
});

describe('a page of a list', () => {
  test.each(['0', '-1', 'abc', '100000', '101', '1.5', '1e2', ' '])(
    'does not accept the limit "%s"',
    async limit => {
      const answer = await stack.api('GET', `/posts?limit=${encodeURIComponent(limit)}`);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['limit']]);
    },
  );

  test.each(['x', 'a.b', 'eyJhZnRlciI6IngifQ', '../../', '0'])(
    'does not accept the cursor "%s"',
    async cursor => {
      const answer = await stack.api('GET', `/posts?cursor=${encodeURIComponent(cursor)}`);
      expect([answer.status, fieldsOf(answer)]).toEqual([400, ['cursor']]);
    },
  );

  test('has 1 to 100 items', async () => {
    for (const limit of [1, 100]) expect((await stack.api('GET', `/posts?limit=${limit}`)).status).toBe(200);
  });
});

describe('a media URL', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://10.0.0.1/a.jpg',
    'http://192.168.1.1/a.jpg',
    'http://172.16.0.1/a.jpg',
    'http://100.64.0.1/a.jpg',
    'http://0.0.0.0/a.jpg',
    'http://[fd00::1]/a.jpg',
    'http://[fe80::1]/a.jpg',
    'file:///etc/passwd',
    'ftp://example.com/a.jpg',
    'data:image/png;base64,AAAA',
    'not a URL',
    '',
    'https://user:password@example.com/a.jpg',
  ])('that is not a public address is refused: %s', async url => {
    const answer = await post({ ...TEXT, post_type: 'image', media_urls: [media(stack, 'photo.jpg'), url] });
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['media_urls[1]']]);
  });

  test('is checked in platform fields, too', async () => {
    const answer = await post({
      ...TEXT,
      post_type: 'video',
      platforms: ['youtube', 'instagram'],
      title: 'A title',
      media_urls: [media(stack, 'clip.mp4')],
      youtube_thumbnail_url: 'http://169.254.169.254/',
      youtube_caption_url: 'http://[fd00::1]/',
      instagram_cover_url: 'http://192.168.1.1/',
    });
    expect(answer.status).toBe(400);
    expect(fieldsOf(answer)).toEqual(
      expect.arrayContaining(['youtube_thumbnail_url', 'youtube_caption_url', 'instagram_cover_url']),
    );
  });

  test(
    'that redirects to a private address is not followed, and nothing is published',
    async () => {
      const url = media(stack, 'photo.jpg?redirect=http://169.254.169.254/latest/meta-data/');
      const answer = await post({
        ...TEXT,
        post_type: 'image',
        description: 'Redirected',
        media_urls: [url],
      });
      if (answer.status === 400) {
        expect(fieldsOf(answer)).toEqual(['media_urls[0]']);
        return;
      }
      expect(answer.status).toBe(201);
      const { status, destinations } = await finalPost(stack, answer.body.post_id);
      expect([status, destinations[0].error.code]).toEqual(['failed', 'MEDIA_REJECTED']);
    },
    TEST_MS,
  );
});

describe('a date', () => {
  const withDate = (scheduled_date: unknown) =>
    post({ ...TEXT, description: `At ${String(scheduled_date)}`, scheduled_date });
  const iso = (epochMs: number) => new Date(epochMs).toISOString();

  test('in the past or more than 365 days ahead is refused', async () => {
    const at = await stack.now();
    for (const date of [at - 1000, at - 400 * DAY_MS, at + 365 * DAY_MS + 60_000, at + 4000 * DAY_MS]) {
      const answer = await withDate(iso(date));
      expect([iso(date), answer.status, fieldsOf(answer)]).toEqual([iso(date), 400, ['scheduled_date']]);
    }
    expect((await withDate(iso(at + 364 * DAY_MS))).status).toBe(201);
  });

  test.each([
    'garbage',
    'tomorrow',
    '1764583200',
    '2027-01-01',
    '10:00',
    '2027-02-30T10:00:00Z',
    '2027-01-01T25:00:00Z',
    '2027-01-01T10:00:00+25:00',
    '2027-01-01T10:00:00 UTC',
    '01/02/2027 10:00',
  ])('that is not a date is refused: "%s"', async date => {
    const answer = await withDate(date);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, ['scheduled_date']]);
  });

  test('without an offset is read as UTC, with an offset it is stored as UTC', async () => {
    const day = iso((await stack.now()) + 30 * DAY_MS).slice(0, 10);
    for (const [sent, stored] of [
      [`${day}T10:00:00`, `${day}T10:00:00.000Z`],
      [`${day}T10:00:00+05:30`, `${day}T04:30:00.000Z`],
      [`${day}T10:00Z`, `${day}T10:00:00.000Z`],
    ] as const) {
      const { status, body } = await withDate(sent);
      expect([sent, status, body.scheduled_date]).toEqual([sent, 201, stored]);
      expect(body).toMatchObject({ is_immediate: false, status: 'scheduled' });
    }
  });
});
