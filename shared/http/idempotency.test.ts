import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createApiKey } from '../runtime/bootstrap.ts';
import { listMembers } from '../store/workspaces.ts';
import { servedApi, type ServedApi } from '../../test/support/served-api.ts';
import { route } from './define-route.ts';
import { conflict, notFound } from './errors.ts';
import { answerOnce } from './idempotency.ts';

/** Things that were made, by id: what a table with a conditional write would hold. */
let made: Map<string, string>;
/** How often the handler ran. */
let runs: number;
/** What happens in the next runs, in order: before it makes the thing, or after. */
let faults: ('before' | 'after' | 'conflict' | 'not found')[];
let house: ServedApi;

const SECRET = 'sps_shown_once';

/** Until when the thing's maker holds its request. */
let held: Promise<unknown> = Promise.resolve();

const makeThing = route({
  method: 'POST',
  path: '/things/{kind}',
  summary: 'Make',
  tag: 'Things',
  auth: 'key',
  params: { kind: v.string() },
  body: { name: v.string() },
  responses: { 201: { description: 'Made' } },
  handler: async ({ body, newResourceId }) => {
    runs += 1;
    const fault = faults.shift();
    await held;
    if (fault === 'before') throw new Error('Before');
    if (fault === 'conflict') throw conflict('Is taken');
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
  summary: 'Touch',
  tag: 'Things',
  auth: 'key',
  body: {},
  responses: { 200: { description: 'Touched' } },
  handler: () => Promise.resolve({ status: 200, body: { run: ++runs } }),
});

const makeOther = route({
  method: 'POST',
  path: '/others',
  summary: 'Make',
  tag: 'Things',
  auth: 'key',
  body: { name: v.string() },
  responses: { 201: { description: 'Made' } },
  handler: () => Promise.resolve({ status: 201, body: { run: ++runs } }),
});

beforeEach(async () => {
  held = Promise.resolve();
  made = new Map();
  runs = 0;
  faults = [];
  house = await servedApi([makeThing, touchThing, makeOther], { documented: false });
});
afterEach(() => house.close());

const make = (key: string | null, body: unknown = { name: 'a' }, path = '/things/x', headers = {}) =>
  house.call('POST', path, body, { ...(key === null ? {} : { 'idempotency-key': key }), ...headers });

const LOCK_S = 35;
const DAY = 24 * 60 * 60 * 1000;

describe('the same key and the same request', () => {
  test('get the first answer again, marked as such', async () => {
    const first = await make('k');
    const second = await make('k');
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

  test('mean the content, not its spelling', async () => {
    const first = await make('k', '{"name":"a","extra":{"p":1,"q":[2,3]}}');
    const second = await make('k', '{ "extra": {"q":[2,3], "p":1.0}, "name":"\\u0061" }');
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  test.each([
    ['"k"', 'k'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    [' k ', 'k'],
  ])('whether the key is a structured field or plain: %s', async (structured, plain) => {
    const first = await make(structured);
    const second = await make(plain);
    expect([second.body, runs]).toEqual([first.body, 1]);
  });

  test('hold for 24 hours', async () => {
    await make('k');
    house.clock.now += DAY - 1000;
    expect((await make('k')).headers).toHaveProperty('idempotent-replayed');
    house.clock.now += 2000;
    expect((await make('k')).headers).not.toHaveProperty('idempotent-replayed');
    expect(made.size).toBe(2);
  });

  test('at the same time make one thing: the others wait their turn', async () => {
    // The first is held until all others have their answer.
    const gate = Promise.withResolvers<undefined>();
    held = gate.promise;
    let answered = 0;
    const others = () => {
      answered += 1;
      if (answered === 19) gate.resolve(undefined);
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => make('k').finally(others)));
    const busy = answers.filter(({ status }) => status === 409);
    expect([busy.length, answers.filter(({ status }) => status === 201).length]).toEqual([19, 1]);
    expect(busy[0]!.body).toEqual({ error: expect.any(String), code: 'IDEMPOTENCY_KEY_IN_USE' });
    expect(busy[0]!.headers['retry-after']).toBe('1');
    expect([made.size, runs]).toEqual([1, 1]);
  });

  test.each(['conflict', 'not found'] as const)('get a refusal again: %s', async fault => {
    faults = [fault];
    const first = await make('k');
    const second = await make('k');
    expect([second.status, second.body, runs]).toEqual([first.status, first.body, 1]);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });
});

describe('the same key and another request', () => {
  test.each([
    ['body', { name: 'b' }, '/things/x'],
    ['path', { name: 'a' }, '/things/y'],
    ['query', { name: 'a' }, '/things/x?q=1'],
  ])('answer 422: %s', async (_, body, path) => {
    await make('k');
    const answer = await make('k', body, path);
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: expect.any(String), code: 'IDEMPOTENCY_KEY_REUSED' },
    ]);
    expect(made.size).toBe(1);
  });

  test('of another user of the workspace too: nobody reads what another was answered', async () => {
    await make('k');
    const [owner] = await listMembers(house.services.table, house.workspace.workspace_id);
    const member = { ...owner!, user_id: 'other', email: 'o@example.com' };
    const Item = { PK: `WS#${member.workspace_id}`, SK: `MEMBER#${member.user_id}`, ...member };
    await house.services.table.client.send(new PutCommand({ TableName: house.services.table.name, Item }));
    const issued = await createApiKey(house.services.table, member, 'Theirs', house.clock.now);
    const theirs = await make('k', { name: 'a' }, '/things/x', { authorization: `Bearer ${issued.key}` });
    expect(theirs.status).toBe(422);
  });

  test('of another route is another key', async () => {
    await make('k');
    expect((await make('k', { name: 'a' }, '/others')).status).toBe(201);
  });

  test('of another workspace is another key', async () => {
    await make('k');
    const other = await servedApi([makeThing], { documented: false });
    try {
      expect((await other.call('POST', '/things/x', { name: 'b' }, { 'idempotency-key': 'k' })).status).toBe(
        201,
      );
    } finally {
      await other.close();
    }
  });
});

describe('a request that failed', () => {
  test('with 5xx frees its key, and its repetition makes the same thing', async () => {
    faults = ['after'];
    expect((await make('k')).status).toBe(500);
    const second = await make('k');
    expect(second.status).toBe(201);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect([...made.keys()]).toEqual([second.body.id]);
  });

  test('with 5xx frees its key for another request too', async () => {
    faults = ['before'];
    expect((await make('k')).status).toBe(500);
    expect((await make('k', { name: 'b' })).status).toBe(201);
    expect((await make('k', { name: 'a' })).status).toBe(422);
  });

  test('validation frees its key', async () => {
    expect((await make('k', { name: 1 })).status).toBe(400);
    expect((await make('k', { name: 'a' })).status).toBe(201);
  });

  test('for its rate takes no key at all', async () => {
    const poor = await servedApi([makeThing], { plan: 'starter', documented: false });
    try {
      const send = (key: string) => poor.call('POST', '/things/x', { name: 'a' }, { 'idempotency-key': key });
      for (let index = 0; index < 60; index++) await poor.call('POST', '/things/x', {});
      const refused = await send('k');
      expect([refused.status, refused.body]).toEqual([
        429,
        { error: expect.any(String), code: 'RATE_LIMITED', retry_after: 1 },
      ]);
      expect(refused.headers).toMatchObject({
        'retry-after': '1',
        'ratelimit-limit': '60',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '60',
      });
      poor.clock.now += 1000;
      expect((await send('k')).status).toBe(201);
    } finally {
      await poor.close();
    }
  });
});

describe('a process that died in the middle', () => {
  test('keeps its key until it can no longer be alive; then the repetition meets what it made', async () => {
    // Dies after it made the thing: no answer is ever kept, no key freed.
    const client = house.services.table.client;
    let calls = 0;
    const mortal = {
      send: (command: PutCommand) =>
        calls++ === 0 ? client.send(command) : Promise.reject(new Error('dead')),
    };
    const raw = requestOf('k');
    await answerOnce(
      { ...house.services, table: { client: mortal, name: house.services.table.name } } as never,
      makeThing,
      raw,
      '',
      request => makeThing.invoke(request, house.services),
    );
    expect(made.size).toBe(1);

    const retry = () =>
      answerOnce(house.services, makeThing, raw, '', request => makeThing.invoke(request, house.services));
    await expect(retry()).rejects.toMatchObject({ response: { status: 409 } });
    house.clock.now += LOCK_S * 1000 + 1;
    // The second one meets the first at work (409), or its answer already.
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
      workspace_id: house.workspace.workspace_id,
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

describe('the header', () => {
  test.each([
    ['a'.repeat(255)],
    ['key with spaces'],
    ['~!@#$%^&*()'],
    ['00000000-0000-4000-8000-000000000000'],
  ])('may be %s', async key => {
    expect((await make(key)).status).toBe(201);
  });

  test.each([['a'.repeat(256)], [''], ['   '], ['""'], ['ключ'], ['a\tb'], ['a\u0000b'], ['emoji 🚀']])(
    'is refused as %j',
    async key => {
      const { status, body } = await make(key);
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

  test('is not needed', async () => {
    await make(null);
    await make(null);
    expect(made.size).toBe(2);
  });

  test('means nothing where nothing is created', async () => {
    for (const run of [1, 2]) {
      const { body } = await house.call('POST', '/touch', {}, { 'idempotency-key': 'k' });
      expect(body).toEqual({ run });
    }
  });
});

test('no answer is stored in plain: it may carry a secret', async () => {
  await make('k');
  const { Items } = await house.services.table.client.send(
    new ScanCommand({ TableName: house.services.table.name }),
  );
  const stored = JSON.stringify(Items);
  expect(stored).toContain('IDEMPOTENCY#');
  expect(stored).not.toContain(SECRET);
});
