import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { closeStack } from '../support/e2e.ts';
import { requestsTo, type FuzzRequest, type Known } from '../support/fuzz.ts';
import { assertDocumented, operations, type DocumentedOperation } from '../support/openapi.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Answer, Json, TestStack } from '../support/stack.ts';

/*
 * Sends unexpected requests to every operation of the OpenAPI document. No operation answers an undocumented 5xx, every
 * response matches the document, and refused requests store nothing.
 */

const START_MS = 600_000;
/** Requests for each operation. Posts have the most fields. */
const RUNS = 15;
const POST_RUNS = 75;
/** Generous, so that the test does not fail on a busy machine. */
const OPERATION_MS = 600_000;
const KEYS = 8;

let stack: TestStack;
let keys: string[] = [];
let ids: Record<string, string[]> = {};
let values: Record<string, unknown> = {};
let requests = 0;

beforeAll(async () => {
  stack = await sharedStack(['x', 'telegram', 'bluesky', 'gbp']);
  await createResources();
  keys = await Promise.all(Array.from({ length: KEYS }, (_, index) => makeKey(`Fuzz ${index}`)));
}, START_MS);
afterAll(() => closeStack(stack));

async function makeKey(name: string): Promise<string> {
  const { body } = await stack.api('POST', '/api-keys', { name });
  return body.key;
}

/** Creates one resource of each kind, and one more of those that operations may change or delete. */
async function createResources(): Promise<void> {
  const [demo] = (await stack.api('GET', '/agency/profiles')).body.profiles;
  const spare = (await stack.api('POST', '/agency/profiles', { username: 'Spare' })).body.profile;
  const asset = { title: 'A', profile_id: demo.id, public_url: 'https://cdn.example.com/a.mp4' };
  const media = (await stack.api('POST', '/agency/media', [asset, asset])).body.media;
  const playlist = (await stack.api('POST', '/agency/playlists', { name: 'P', profile_id: demo.id })).body
    .playlist;
  const hook = await stack.api('POST', '/webhooks', { url: `${stack.sandbox_url}/_receiver/fuzz` });
  const later = new Date((await stack.now()) + 86_400_000).toISOString();
  const post = {
    post_type: 'text',
    profile_name: 'Demo',
    platforms: ['telegram'],
    description: 'Hi',
    scheduled_date: later,
  };
  const posts = [
    await stack.api('POST', '/posts', post),
    await stack.api('POST', '/posts', { ...post, description: 'Ho' }),
  ];
  const accounts = (await stack.api('GET', '/integrations')).body.accounts;
  const member = (await stack.api('POST', '/workspace/members', { email: 'm@example.com', role: 'member' }))
    .body.member;
  const revocable = (await stack.api('POST', '/api-keys', { name: 'Revocable' })).body.api_key;
  const upload = { profile_name: 'Demo', file_name: 'a.jpg', file_type: 'image/jpeg' };
  const { upload_id } = (await stack.api('POST', '/upload-media/presign', upload)).body;
  ids = {
    '/upload-media': [upload_id],
    '/agency/profiles': [spare.id],
    '/agency/media': media.map((each: { id: string }) => each.id),
    '/agency/playlists': [playlist.id],
    '/webhooks': [hook.body.webhook.id],
    '/posts': posts.map(({ body }) => body.post_id),
    '/integrations': accounts.slice(0, 1).map((each: { id: string }) => each.id),
    '/workspace/members': [member.id],
    '/api-keys': [revocable.id],
  };
  values = {
    profile_name: 'Demo',
    profile_id: demo.id,
    platforms: ['x', 'telegram'],
    media_urls: [`${stack.sandbox_url}/_media/photo.jpg`],
    media_asset_ids: ids['/agency/media'],
    scheduled_date: later,
    user_id: member.id,
    url: `${stack.sandbox_url}/_receiver/fuzz`,
    public_url: `${stack.sandbox_url}/_media/photo.jpg`,
    upload_id,
  };
}

const known: Known = {
  ids: ({ path }, name) => {
    if (name === 'platform') return ['x', 'telegram', 'bluesky', 'gbp'];
    return ids[path.slice(0, path.indexOf('/{'))] ?? [];
  },
  get values() {
    return values;
  },
};

async function send(method: string, { path, body, headers }: FuzzRequest): Promise<Answer<Json>> {
  const key = keys[requests++ % keys.length]!;
  const text = method === 'GET' ? undefined : body;
  const answer = await fetch(stack.base_url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: text ?? null,
  });
  const json = /json/.test(answer.headers.get('content-type') ?? '');
  const raw = await answer.text();
  return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(raw) : raw };
}

/** All posts, page by page. */
async function countPosts(): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await stack.api('GET', `/posts?limit=100${next}`);
    count += body.data.length;
    cursor = body.next_cursor;
  } while (cursor !== null);
  return count;
}

/** Counts the resources that an operation creates. */
const COUNTS: Record<string, () => Promise<number>> = {
  '/agency/profiles': async () => (await stack.api('GET', '/agency/profiles')).body.profiles.length,
  '/agency/media': async () => (await stack.api('GET', '/agency/media')).body.length,
  '/agency/playlists': async () => (await stack.api('GET', '/agency/playlists')).body.length,
  '/posts': countPosts,
  '/webhooks': async () => (await stack.api('GET', '/webhooks')).body.webhooks.length,
  '/api-keys': async () => (await stack.api('GET', '/api-keys')).body.api_keys.length,
  '/workspace/members': async () => (await stack.api('GET', '/workspace/members')).body.members.length,
};

/** Whether a status is a 5xx that the operation does not document itself. */
function isServerFault({ operation }: DocumentedOperation, status: number): boolean {
  const own = operation.responses[status];
  return status >= 500 && (own === undefined || '$ref' in own);
}

const named = (list: readonly DocumentedOperation[]) =>
  list.map(each => ({ name: `${each.method} ${each.path}`, each }));

/** Deletions last, so that the resources exist for the other operations. */
const inOrder = [...operations].sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

test.each(named(inOrder))(
  '$name answers every request as documented',
  async ({ each }) => {
    const count = each.method === 'POST' ? COUNTS[each.path] : undefined;
    const before = await count?.();
    let created = 0;
    await fc.assert(
      fc.asyncProperty(requestsTo(each, known), async request => {
        const answer = await send(each.method, request);
        expect([request, isServerFault(each, answer.status)]).toEqual([request, false]);
        assertDocumented(each.method, request.path, answer.status, answer.body);
        if (answer.status === 201 && !answer.headers.has('idempotent-replayed'))
          created += each.path === '/agency/media' ? answer.body.count : 1;
      }),
      { numRuns: each.path === '/posts' ? POST_RUNS : RUNS, endOnFailure: true },
    );
    if (count && before !== undefined) expect(await count()).toBe(before + created);
  },
  OPERATION_MS,
);

test('every list is still readable afterwards', async () => {
  for (const path of [
    '/posts?limit=100',
    '/agency/profiles',
    '/agency/media?limit=100',
    '/agency/playlists',
    '/webhooks',
    '/integrations',
    '/workspace',
    '/workspace/members',
    '/api-keys',
  ]) {
    expect({ path, status: (await stack.api('GET', path)).status }).toEqual({ path, status: 200 });
  }
});

describe('the API documentation', () => {
  test('needs no key, and its page loads nothing from other hosts', async () => {
    const read = async (path: string) => {
      const answer = await fetch(stack.base_url + path);
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const document = await read('/openapi.json');
    expect([document.status, JSON.parse(document.text).openapi]).toEqual([200, '3.0.3']);
    const page = await read('/docs');
    expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
    const parts = [...page.text.matchAll(/(?:src|<link[^>]+href|<a class="page" href)="([^"#]+)"/g)].map(
      ([, url]) => url!,
    );
    expect(parts).toEqual(expect.arrayContaining(['docs/reference.css', 'docs/reference.js', 'docs/errors']));
    for (const part of parts.filter(each => !each.startsWith('data:'))) {
      expect([part, (await read(`/${part}`)).status]).toEqual([part, 200]);
    }
    expect((await read('/docs/nothing.js')).status).toBe(404);
  });

  test('is compressed for clients that accept gzip', async () => {
    const answer = await fetch(`${stack.base_url}/docs`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect((await answer.text()).length).toBeGreaterThan(100_000);
  });
});
