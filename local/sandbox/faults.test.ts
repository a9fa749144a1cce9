import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startFakeSandbox } from './fake.ts';

let killed: string[];
let fake: Awaited<ReturnType<typeof startFakeSandbox>>;

beforeEach(async () => {
  killed = [];
  fake = await startFakeSandbox({ kill: id => void killed.push(id) });
});
afterEach(() => fake.sandbox.close());

const published = () => fake.sandbox.control.state.posts.all().map(({ text }) => text);

async function listed(): Promise<{ id: string; remaining: number | null; passing: number; hits: number }[]> {
  const { items } = (await (await fake.control('GET', '/faults')).json()) as { items: never[] };
  return items;
}

describe('respond', () => {
  test('replaces the response of the platform once by default', async () => {
    const respond = { status: 503, headers: { 'retry-after': 7 }, body: { title: 'Down' } };
    const added = await fake.control('POST', '/faults', { platform: 'x', respond });
    expect(await added.json()).toEqual({ id: expect.any(String) });

    const first = await fake.tweet('one');
    expect(first.status).toBe(503);
    expect(first.headers.get('retry-after')).toBe('7');
    expect(first.headers.get('content-type')).toBe('application/json');
    expect(await first.json()).toEqual({ title: 'Down' });
    expect((await fake.tweet('two')).status).toBe(201);
    expect(published()).toEqual(['two']);
  });

  test('replaces the response of a platform that processed the request', async () => {
    const respond = { status: 502, body: '<html>Bad gateway</html>', taken: true };
    await fake.control('POST', '/faults', { platform: 'x', respond });
    expect((await fake.tweet('one')).status).toBe(502);
    expect(published()).toEqual(['one']);
  });

  test.each([
    ['a string', 'gone', 'text/plain; charset=utf-8', 'gone'],
    ['a string that is JSON', '{"a":1}', 'application/json', '{"a":1}'],
    ['no value', undefined, null, ''],
  ])('accepts %s as body', async (_, body, type, text) => {
    await fake.control('POST', '/faults', { platform: 'x', respond: { status: 410, body } });
    const answer = await fake.tweet('one');
    expect(answer.headers.get('content-type')).toBe(type);
    expect(await answer.text()).toBe(text);
  });
});

describe('matching of requests', () => {
  const respond = { status: 500 };
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let index = 0; index < count; index += 1) found.push((await fake.tweet(String(index))).status);
    return found;
  };

  test('lets `after` requests pass and hits `times` requests', async () => {
    await fake.control('POST', '/faults', { platform: 'x', after: 1, times: 2, respond });
    expect(await listed()).toMatchObject([{ remaining: 2, passing: 1, hits: 0 }]);
    expect(await statuses(4)).toEqual([201, 500, 500, 201]);
    expect(await listed()).toMatchObject([{ remaining: 0, passing: 0, hits: 2 }]);
  });

  test('hits every request with `times: 0` until the fault is deleted', async () => {
    await fake.control('POST', '/faults', { platform: 'x', times: 0, respond });
    expect(await statuses(3)).toEqual([500, 500, 500]);
    expect(await listed()).toMatchObject([{ remaining: null, hits: 3 }]);
    await fake.control('DELETE', '/faults');
    expect(await statuses(1)).toEqual([201]);
    expect(await listed()).toEqual([]);
  });

  test.each([
    [{ method: 'post' }, true],
    [{ method: 'GET' }, false],
    [{ path: '/2/tw' }, true],
    [{ path: '/2/tweets$' }, true],
    [{ path: '^/\\d+/tweets' }, true],
    [{ path: '/tweets' }, true],
    [{ path: '/2/media' }, false],
    [{ path: '^/tweets' }, false],
    [{ platform: 'bluesky' }, false],
  ])('applies %j: %s', async (match, hit) => {
    await fake.control('POST', '/faults', { platform: 'x', respond, ...match });
    expect(await statuses(1)).toEqual([hit ? 500 : 201]);
  });

  test('applies to requests of the named function only', async () => {
    await fake.control('POST', '/faults', { platform: 'x', function: 'publisher-x', respond });
    expect((await fake.tweet('one')).status).toBe(201);
    expect((await fake.tweet('two', { 'x-local-environment': 'stack-insights:1' })).status).toBe(201);
    expect((await fake.tweet('three', { 'x-local-environment': 'stack-publisher-x:3' })).status).toBe(500);
  });

  test('applies the oldest matching fault only', async () => {
    await fake.control('POST', '/faults', { platform: 'x', respond: { status: 429 } });
    await fake.control('POST', '/faults', { platform: 'x', respond });
    expect(await statuses(3)).toEqual([429, 500, 201]);
  });

  test('deletes one fault by its id', async () => {
    await fake.control('POST', '/faults', { platform: 'x', respond: { status: 429 } });
    await fake.control('POST', '/faults', { platform: 'x', respond });
    const [first] = await listed();
    expect((await fake.control('DELETE', `/faults/${first!.id}`)).status).toBe(200);
    expect((await fake.control('DELETE', `/faults/${first!.id}`)).status).toBe(404);
    expect(await statuses(2)).toEqual([500, 201]);
  });
});

describe('dropped connections and killed environments', () => {
  test.each([
    ['drop', 'before', []],
    ['drop', 'after', ['one']],
    ['kill', 'before', []],
    ['kill', 'after', ['one']],
  ])('%s %s the platform processes the request', async (kind, when, posts) => {
    await fake.control('POST', '/faults', { platform: 'x', [kind]: when });
    await expect(fake.tweet('one', { 'x-local-environment': 'publisher-3' })).rejects.toThrow('fetch failed');
    expect(published()).toEqual(posts);
    expect(killed).toEqual(kind === 'kill' ? ['publisher-3'] : []);
    expect((await fake.tweet('two')).status).toBe(201);
  });

  test('only drops the connection of a request without an environment', async () => {
    await fake.control('POST', '/faults', { platform: 'x', kill: 'before' });
    await expect(fake.tweet('one')).rejects.toThrow('fetch failed');
    expect(killed).toEqual([]);
  });
});

test('delays the response but not the processing of the request', async () => {
  await fake.control('POST', '/faults', { platform: 'x', delay_ms: 150 });
  const start = performance.now();
  const pending = fake.tweet('slow');
  let isAnswered = false;
  const answer = pending.finally(() => (isAnswered = true));
  while (published().length === 0) await new Promise(setImmediate);
  expect([published(), isAnswered]).toEqual([['slow'], false]);
  expect((await answer).status).toBe(201);
  expect(performance.now() - start).toBeGreaterThanOrEqual(145);
});

describe('invalid faults are refused with every issue', () => {
  test.each([
    ['no effect', { platform: 'x' }, ['']],
    ['an unknown platform', { platform: 'myspace', drop: 'after' }, ['platform']],
    ['a broken expression', { platform: 'x', path: '(', drop: 'after' }, ['path']],
    ['an unknown field', { platform: 'x', drop: 'after', dealy_ms: 3 }, ['dealy_ms']],
    [
      'several at once',
      { platform: 'x', times: -1, after: 'two', drop: 'during', respond: { status: 99 } },
      ['times', 'after', 'respond.status', 'drop'],
    ],
  ])('%s', async (_, body, paths) => {
    const answer = await fake.control('POST', '/faults', body);
    expect(answer.status).toBe(400);
    const { error, issues } = (await answer.json()) as { error: string; issues: { path: string }[] };
    expect(error).not.toBe('');
    expect(issues.map(({ path }) => path)).toEqual(paths);
    expect(await listed()).toEqual([]);
  });

  test('a body that is not JSON', async () => {
    const answer = await fetch(`${fake.sandbox.url}/_control/faults`, { method: 'POST', body: '{' });
    expect(answer.status).toBe(400);
  });
});
