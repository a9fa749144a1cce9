import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createApiKey } from '../runtime/bootstrap.ts';
import { listMembers } from '../store/workspaces.ts';
import { withRepeatedWrites } from '../../test/support/repeated-writes.ts';
import { servedApi, type ServedApi } from '../../test/support/served-api.ts';
import { route } from './define-route.ts';
import { conflict, notFound } from './errors.ts';
import { runOnce } from './idempotency.ts';

/** Created resources by id, as a table with conditional writes would hold them. */
let made: Map<string, string>;
/** How often the handler ran. */
let runs: number;
/** Faults of the next runs, in order: before or after the resource is created. */
let faults: ('before' | 'after' | 'conflict' | 'not found')[];
let api: ServedApi;

const SECRET = 'sps_shown_once';

/** The handler waits for this promise. */
let gate: Promise<unknown> = Promise.resolve();

const createThing = route({
  method: 'POST',
  path: '/things/{kind}',
  operation_id: 'runTest1',
  summary: 'Create a thing',
  tag: 'Things',
  auth: 'key',
  params: { kind: v.string() },
  body: { name: v.string() },
  responses: { 201: { description: 'Created', schema: v.object({ id: v.string(), key: v.string() }) } },
  handler: async ({ body, newResourceId }) => {
    runs += 1;
    const fault = faults.shift();
    await gate;
    if (fault === 'before') throw new Error('Before');
    if (fault === 'conflict') throw conflict('The name is taken');
    if (fault === 'not found') throw notFound('Profile');
    const id = newResourceId();
    made.set(id, body.name);
    if (fault === 'after') throw new Error('After');
    return { status: 201, headers: { location: `/v1/things/${id}` }, body: { id, key: SECRET } };
  },
});

const touchThing = route({
  method: 'POST',
  path: '/touch',
  operation_id: 'runTest2',
  summary: 'Touch a thing',
  tag: 'Things',
  auth: 'key',
  body: {},
  responses: { 200: { description: 'Done', schema: v.object({ run: v.number() }) } },
  handler: () => Promise.resolve({ status: 200 as const, body: { run: ++runs } }),
});

const createOther = route({
  method: 'POST',
  path: '/others',
  operation_id: 'runTest3',
  summary: 'Create another thing',
  tag: 'Things',
  auth: 'key',
  body: { name: v.string() },
  responses: { 201: { description: 'Created', schema: v.object({ run: v.number() }) } },
  handler: () => Promise.resolve({ status: 201 as const, body: { run: ++runs } }),
});

beforeEach(async () => {
  gate = Promise.resolve();
  made = new Map();
  runs = 0;
  faults = [];
  api = await servedApi([createThing, touchThing, createOther], { documented: false });
});
afterEach(() => api.close());

const create = (key: string | null, body: unknown = { name: 'a' }, path = '/things/x', headers = {}) =>
  api.call('POST', path, body, { ...(key === null ? {} : { 'idempotency-key': key }), ...headers });

const LOCK_S = 35;
const DAY = 24 * 60 * 60 * 1000;

describe('a retry with the same key and the same request', () => {
  test('gets the stored response with Idempotent-Replayed', async () => {
    const first = await create('k');
    const second = await create('k');
    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers).toMatchObject({
      location: first.headers['location'],
      'idempotent-replayed': 'true',
    });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect([made.size, runs]).toEqual([1, 1]);
  });

  test('is recognised by the content of its body, not the formatting', async () => {
    const first = await create('k', '{"name":"a","extra":{"p":1,"q":[2,3]}}');
    const second = await create('k', '{ "extra": {"q":[2,3], "p":1.0}, "name":"\\u0061" }');
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  test.each([
    ['"k"', 'k'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    [' k ', 'k'],
  ])(
    'is recognised when one key is a structured field and the other plain: %s',
    async (structured, plain) => {
      const first = await create(structured);
      const second = await create(plain);
      expect([second.body, runs]).toEqual([first.body, 1]);
    },
  );

  test('gets the stored response for 24 hours', async () => {
    await create('k');
    api.clock.now += DAY - 1000;
    expect((await create('k')).headers).toHaveProperty('idempotent-replayed');
    api.clock.now += 2000;
    expect((await create('k')).headers).not.toHaveProperty('idempotent-replayed');
    expect(made.size).toBe(2);
  });

  test('gets 409 while the first request is running, so that one resource is created', async () => {
    // The first request finishes after all others have been answered.
    const opened = Promise.withResolvers<undefined>();
    gate = opened.promise;
    let answered = 0;
    const others = () => {
      answered += 1;
      if (answered === 19) opened.resolve(undefined);
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('k').finally(others)));
    const busy = answers.filter(({ status }) => status === 409);
    expect([busy.length, answers.filter(({ status }) => status === 201).length]).toEqual([19, 1]);
    expect(busy[0]!.body).toMatchObject({ error: expect.any(String), code: 'IDEMPOTENCY_KEY_IN_USE' });
    expect(busy[0]!.headers['retry-after']).toBe('1');
    expect([made.size, runs]).toEqual([1, 1]);
  });
});

describe('the same key with another request', () => {
  test.each([
    ['body', { name: 'b' }, '/things/x'],
    ['path', { name: 'a' }, '/things/y'],
    ['query', { name: 'a' }, '/things/x?q=1'],
  ])('answers 422 for another %s', async (_, body, path) => {
    await create('k');
    const answer = await create('k', body, path);
    expect([answer.status, answer.body]).toMatchObject([
      422,
      { error: expect.any(String), code: 'IDEMPOTENCY_KEY_REUSED' },
    ]);
    expect(made.size).toBe(1);
  });

  test('answers 422 to another user of the workspace, who must not see the stored response', async () => {
    await create('k');
    const [owner] = await listMembers(api.services.table, api.workspace.workspace_id);
    const member = { ...owner!, user_id: 'other', email: 'o@example.com' };
    const Item = { PK: `WS#${member.workspace_id}`, SK: `MEMBER#${member.user_id}`, ...member };
    await api.services.table.client.send(new PutCommand({ TableName: api.services.table.name, Item }));
    const issued = await createApiKey(api.services.table, member, { name: 'Theirs', now: api.clock.now });
    const theirs = await create('k', { name: 'a' }, '/things/x', { authorization: `Bearer ${issued!.key}` });
    expect(theirs.status).toBe(422);
  });

  test('is a separate key on another route', async () => {
    await create('k');
    expect((await create('k', { name: 'a' }, '/others')).status).toBe(201);
  });

  test('is a separate key in another workspace', async () => {
    await create('k');
    const other = await servedApi([createThing], { documented: false });
    try {
      expect((await other.call('POST', '/things/x', { name: 'b' }, { 'idempotency-key': 'k' })).status).toBe(
        201,
      );
    } finally {
      await other.close();
    }
  });
});

describe('a failed request', () => {
  test('releases its key on 5xx, and a retry creates the resource with the same id', async () => {
    faults = ['after'];
    expect((await create('k')).status).toBe(500);
    const second = await create('k');
    expect(second.status).toBe(201);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect([...made.keys()]).toEqual([second.body.id]);
  });

  test('releases its key on 5xx for another request, too', async () => {
    faults = ['before'];
    expect((await create('k')).status).toBe(500);
    expect((await create('k', { name: 'b' })).status).toBe(201);
    expect((await create('k', { name: 'a' })).status).toBe(422);
  });

  test('releases its key when validation fails', async () => {
    expect((await create('k', { name: 1 })).status).toBe(400);
    expect((await create('k', { name: 'a' })).status).toBe(201);
  });

  test.each(['conflict', 'not found'] as const)(
    'releases its key on %s, which has changed nothing',
    async fault => {
      faults = [fault];
      const first = await create('k');
      expect([404, 409]).toContain(first.status);
      const second = await create('k');
      expect([second.status, runs]).toEqual([201, 2]);
      expect(second.headers).not.toHaveProperty('idempotent-replayed');
      expect((await create('k', { name: 'b' })).status).toBe(422);
    },
  );

  test('releases its key on 4xx for another request, too', async () => {
    faults = ['not found'];
    expect((await create('k')).status).toBe(404);
    expect((await create('k', { name: 'b' })).status).toBe(201);
  });

  test('does not use its key when it is rate-limited', async () => {
    const starter = await servedApi([createThing], { plan: 'starter', documented: false });
    try {
      const send = (key: string) =>
        starter.call('POST', '/things/x', { name: 'a' }, { 'idempotency-key': key });
      for (let index = 0; index < 60; index++) await starter.call('POST', '/things/x', {});
      const refused = await send('k');
      expect([refused.status, refused.body]).toMatchObject([
        429,
        { error: expect.any(String), code: 'RATE_LIMITED', retry_after: 1 },
      ]);
      expect(refused.headers).toMatchObject({
        'retry-after': '1',
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '60',
      });
      starter.clock.now += 1000;
      expect((await send('k')).status).toBe(201);
    } finally {
      await starter.close();
    }
  });
});

describe('a process that dies during a request', () => {
  test('keeps its key until the lock expires; then a retry gets the same ids', async () => {
    // Dies after it created the resource: no response is stored and the key is not released.
    const client = api.services.table.client;
    let calls = 0;
    const dyingClient = {
      send: (command: PutCommand) =>
        calls++ === 0 ? client.send(command) : Promise.reject(new Error('dead')),
    };
    const raw = requestOf('k');
    await runOnce(
      { ...api.services, table: { client: dyingClient, name: api.services.table.name } } as never,
      createThing,
      raw,
      '',
      request => createThing.invoke(request, api.services),
    );
    expect(made.size).toBe(1);

    const retry = () =>
      runOnce(api.services, createThing, raw, '', request => createThing.invoke(request, api.services));
    await expect(retry()).rejects.toMatchObject({ response: { status: 409 } });
    api.clock.now += LOCK_S * 1000 + 1;
    // The second retry finds the first still running (409), or its response.
    const outcomes = await Promise.allSettled([retry(), retry()]);
    const statuses = outcomes.map(outcome =>
      outcome.status === 'fulfilled' ? outcome.value.status : outcome.reason.response.status,
    );
    expect(statuses).toContain(201);
    expect(statuses.every(status => status === 201 || status === 409)).toBe(true);
    expect(made.size).toBe(1);
    expect(await retry()).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
  });

  function requestOf(key: string) {
    const principal = {
      workspace_id: api.workspace.workspace_id,
      user_id: 'u',
      key_id: 'k',
      role: 'owner',
      plan: 'pro',
    } as const;
    return {
      params: { kind: 'x' },
      query: {},
      body: { name: 'a' },
      principal,
      request_id: 'r',
      headers: { 'idempotency-key': key },
      base_url: 'https://a/v1',
    };
  }
});

test('a key is acquired when the response of the write is lost and the SDK repeats it', async () => {
  const send = api.inProcessOf({ ...api.services, table: withRepeatedWrites(api.services.table) });
  const createWith = (key: string) => send('POST', '/things/x', { name: 'a' }, { 'idempotency-key': key });
  expect((await createWith('k')).status).toBe(201);
  faults = ['after'];
  expect((await createWith('retried')).status).toBe(500);
  expect((await createWith('retried')).status).toBe(201);
});

describe('the Idempotency-Key header', () => {
  test.each([
    ['a'.repeat(255)],
    ['key with spaces'],
    ['~!@#$%^&*()'],
    ['00000000-0000-4000-8000-000000000000'],
  ])('may be %s', async key => {
    expect((await create(key)).status).toBe(201);
  });

  test.each([['a'.repeat(256)], [''], ['   '], ['""'], ['ключ'], ['a\tb'], ['a\u0000b'], ['emoji 🚀']])(
    'is refused with 400: %j',
    async key => {
      const { status, body } = await create(key);
      expect([status, body]).toEqual([
        400,
        {
          error: 'Validation failed',
          details: [{ field: 'Idempotency-Key', message: expect.any(String), platform: null }],
        },
      ]);
      expect(runs).toBe(0);
    },
  );

  test('is optional', async () => {
    await create(null);
    await create(null);
    expect(made.size).toBe(2);
  });

  test('is ignored by routes that create nothing', async () => {
    for (const run of [1, 2]) {
      const { body } = await api.call('POST', '/touch', {}, { 'idempotency-key': 'k' });
      expect(body).toEqual({ run });
    }
  });
});

test('stores responses encrypted, because they may contain secrets', async () => {
  await create('k');
  const { Items } = await api.services.table.client.send(
    new ScanCommand({ TableName: api.services.table.name }),
  );
  const stored = JSON.stringify(Items);
  expect(stored).toContain('IDEMPOTENCY#');
  expect(stored).not.toContain(SECRET);
});
