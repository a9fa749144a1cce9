import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, stop } from '../http.ts';
import { testFunctions, type TestFunctions } from '../../test/support/lambda.ts';
import type { FunctionResource } from '../template/lambda.ts';
import { createEnvironment, type Environment } from './environment.ts';
import { createFunctions } from './functions.ts';

let functions: TestFunctions;
const started: Environment[] = [];

beforeAll(() => {
  functions = testFunctions();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(environment => environment.kill()));
});
afterAll(() => functions.close());

const TRACE = 'Root=1-0-0;Lineage=00000000:1';

function start(fn: FunctionResource): Environment {
  const environment = createEnvironment(fn, `${fn.name}:1`, functions.host);
  started.push(environment);
  return environment;
}

describe('an environment', () => {
  test('runs the handler with event, context and environment variables', async () => {
    const fn = functions.define(
      `return {
        event,
        remaining: context.getRemainingTimeInMillis(),
        name: process.env.AWS_LAMBDA_FUNCTION_NAME,
        own: process.env.OWN,
        trace: process.env._X_AMZN_TRACE_ID,
        home: process.env.HOME ?? null,
      };`,
      { environment: { OWN: 'yes' }, timeoutS: 100 },
    );
    const outcome = await start(fn).invoke({ n: 1 }, TRACE);
    expect(outcome).toMatchObject({
      ok: true,
      result: { event: { n: 1 }, name: fn.name, own: 'yes', trace: TRACE, home: null },
    });
    const remaining = (outcome as { result: { remaining: number } }).result.remaining;
    expect(remaining).toBeGreaterThan(50_000);
    expect(remaining).toBeLessThanOrEqual(100_000);
  });

  test('keeps its globals between invocations', async () => {
    const environment = start(functions.define('return (globalThis.count = (globalThis.count ?? 0) + 1);'));
    await environment.invoke({}, TRACE);
    expect(await environment.invoke({}, TRACE)).toEqual({ ok: true, result: 2 });
  });

  test('is frozen between invocations', async () => {
    const environment = start(
      functions.define(
        `if (event.start) { setInterval(() => { globalThis.ticks = (globalThis.ticks ?? 0) + 1; }, 5); return 0; }
        return globalThis.ticks ?? 0;`,
      ),
    );
    await environment.invoke({ start: true }, TRACE);
    await sleep(200);
    expect(await environment.invoke({}, TRACE)).toEqual({ ok: true, result: 0 });
  });

  test('returns the error of a handler and stays alive', async () => {
    const environment = start(functions.define('if (event.bad) throw new TypeError("no"); return 1;'));
    expect(await environment.invoke({ bad: true }, TRACE)).toEqual({
      ok: false,
      errorType: 'TypeError',
      errorMessage: 'no',
    });
    expect(await environment.invoke({}, TRACE)).toEqual({ ok: true, result: 1 });
  });

  test.each([
    ['at its timeout', 1, 'await new Promise(() => setInterval(() => 0, 1000));', 'Sandbox.Timedout'],
    ['at its timeout when the handler never yields', 1, 'for (;;);', 'Sandbox.Timedout'],
    ['when the handler exits the process', 100, 'process.exit(0);', 'Runtime.ExitError'],
    [
      'on an unhandled rejection',
      100,
      'void Promise.reject(new Error("x")); await new Promise(() => setInterval(() => 0, 1000));',
      'Runtime.UnhandledError',
    ],
  ])('ends %s', async (_, timeoutS, body, errorType) => {
    const environment = start(functions.define(body, { timeoutS }));
    expect(await environment.invoke({}, TRACE)).toMatchObject({ ok: false, errorType });
    expect(environment.isAlive()).toBe(false);
  });

  test('fails if the handler does not exist', async () => {
    const environment = start({ ...functions.define(''), handler: 'nothing' });
    expect(await environment.invoke({}, TRACE)).toMatchObject({
      ok: false,
      errorMessage: expect.stringContaining('nothing'),
    });
  });

  test('can be killed during an invocation', async () => {
    const environment = start(
      functions.define('console.log("started"); await new Promise(() => setInterval(() => 0, 9));'),
    );
    const outcome = environment.invoke({}, TRACE);
    while (!functions.printed.includes('started\n')) await sleep(5);
    await environment.kill();
    expect(await outcome).toMatchObject({ ok: false, errorType: 'Runtime.Killed' });
  });

  test('uses the clock of the stack', async () => {
    const environment = start(functions.define('return [Date.now(), new Date().getTime()];'));
    await environment.invoke({}, TRACE);
    const before = Date.now();
    functions.clock.advance(3600);
    const { result } = (await environment.invoke({}, TRACE)) as { result: number[] };
    for (const time of result) expect(time - before).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('requests of an environment', () => {
  let server: Server;
  let url: string;
  let seen: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers);
      response.end('{}');
    });
    url = await listen(server, 0);
  });
  afterAll(() => stop(server));
  afterEach(() => {
    seen = [];
  });

  const CALLS = [
    [
      'node:http',
      'await new Promise(r => require("node:http").get(event.url, a => a.resume().on("end", r)));',
    ],
    ['fetch', 'await (await fetch(event.url)).text();'],
  ];

  test.each(CALLS)('by %s carry its id to local services', async (_, body) => {
    const fn = functions.define(body);
    const host = { ...functions.host, localHosts: [new URL(url).host] };
    const environment = createEnvironment(fn, 'posts:7', host);
    started.push(environment);
    expect(await environment.invoke({ url }, TRACE)).toMatchObject({ ok: true });
    expect(seen.map(headers => headers['x-local-environment'])).toEqual(['posts:7']);
  });

  test.each(CALLS)('by %s do not carry its id to other hosts', async (_, body) => {
    await start(functions.define(body)).invoke({ url }, TRACE);
    expect(seen.map(headers => headers['x-local-environment'])).toEqual([undefined]);
  });
});

describe('the environments of a function', () => {
  test('are reused when idle and never exceed the concurrency', async () => {
    const fn = functions.define(
      'globalThis.id ??= Math.random(); await new Promise(r => setTimeout(r, 30)); return globalThis.id;',
    );
    const all = createFunctions([fn], functions.host, { concurrency: () => 1, idleMs: 60_000 });
    const first = await Promise.all(Array.from({ length: 12 }, () => all.invoke(fn.name, {})));
    const ids = new Set(first.map(outcome => (outcome as { result: number }).result));
    expect(ids.size).toBeLessThanOrEqual(4);
    const again = (await all.invoke(fn.name, {})) as { result: number };
    expect(ids).toContain(again.result);
    await all.close();
  });

  test('end after they have been idle', async () => {
    const fn = functions.define('return 1;');
    const all = createFunctions([fn], functions.host, { concurrency: () => 1, idleMs: 100 });
    await all.invoke(fn.name, {});
    expect(all.environments()).toBe(1);
    while (all.environments() > 0) await sleep(10);
    expect(await all.invoke(fn.name, {})).toEqual({ ok: true, result: 1 });
    await all.close();
  });

  test('are replaced after they are killed', async () => {
    const fn = functions.define('return 1;');
    const all = createFunctions([fn], functions.host, { concurrency: () => 1, idleMs: 60_000 });
    await all.invoke(fn.name, {});
    expect(await all.kill(`${fn.name}:1`)).toBe(true);
    expect(await all.invoke(fn.name, {})).toEqual({ ok: true, result: 1 });
    expect(await all.kill('nobody:1')).toBe(false);
    await all.close();
  });
});
