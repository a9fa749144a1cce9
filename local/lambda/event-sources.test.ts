import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { testFunctions, type TestFunctions } from '../../test/support/lambda.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { createSqs, type QueueDepth, type Sqs } from '../aws/sqs.ts';
import { installClock, uninstallClock } from '../clock.ts';
import { arn } from '../template/names.ts';
import type { EventSource } from '../template/lambda.ts';
import { failedIds, pollEventSource, type Poller } from './event-sources.ts';
import { createFunctions, type LocalFunctions } from './functions.ts';

const URL_OF = (name: string) => `http://127.0.0.1:1/000000000000/${name}`;
const WORK = 'work';
const DEAD = 'work-dead';

let sqs: Sqs;
let functions: TestFunctions;
let lambda: LocalFunctions;
let pollers: Poller[];

beforeEach(() => {
  functions = testFunctions();
  installClock(functions.clock.memory);
  sqs = createSqs(null);
  const redrive = JSON.stringify({ deadLetterTargetArn: arn('sqs', DEAD), maxReceiveCount: 2 });
  sqs.createQueue({ name: DEAD, attributes: {} }, URL_OF(DEAD));
  sqs.createQueue(
    { name: WORK, attributes: { VisibilityTimeout: '60', RedrivePolicy: redrive } },
    URL_OF(WORK),
  );
  pollers = [];
});
afterEach(async () => {
  for (const poller of pollers) poller.stop();
  sqs.close();
  await lambda.close();
  uninstallClock();
  functions.close();
});

function work(body: string, change: Partial<EventSource> = {}): void {
  const fn = functions.define(body);
  lambda = createFunctions([fn], functions.host, { concurrency: () => 2, idleMs: 60_000 });
  const source: EventSource = {
    queue: WORK,
    function: fn.name,
    batchSize: 1,
    windowS: 0,
    maxConcurrency: 2,
    partialFailures: true,
    ...change,
  };
  pollers.push(pollEventSource(source, { sqs: sqs.handle, queueUrl: URL_OF, invoke: lambda.invoke }));
}

const send = (body: string, more: JsonObject = {}) =>
  sqs.handle('SendMessage', { QueueUrl: URL_OF(WORK), MessageBody: body, ...more });
const depth = (name = WORK) => sqs.depths().find(queue => queue.name === name) as QueueDepth;
const records = () =>
  functions.printed
    .filter(text => text.startsWith('{'))
    .map(text => JSON.parse(text) as { body: string; attributes: Record<string, string> });

async function until(condition: () => boolean): Promise<void> {
  const limit = performance.now() + 90_000;
  while (!condition()) {
    if (performance.now() > limit) throw new Error('The condition did not become true within 90 s');
    await sleep(10);
  }
}

const PRINT = 'for (const record of event.Records) console.log(JSON.stringify(record));';

describe('an event source', () => {
  test('passes a message with its attributes and deletes it when the function succeeds', async () => {
    work(PRINT);
    await send('hello', { MessageGroupId: 'workspace-1' });
    await until(() => functions.printed.length === 1 && depth().in_flight === 0);
    expect(records()[0]).toMatchObject({
      body: 'hello',
      eventSource: 'aws:sqs',
      eventSourceARN: arn('sqs', WORK),
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'workspace-1' },
    });
    expect(depth()).toMatchObject({ depth: 0, dead_letters: 0 });
  });

  test('redelivers a failed message after the visibility timeout, then moves it to the dead-letter queue', async () => {
    work(`${PRINT} throw new Error('no');`);
    await send('bad');
    await until(() => records().length === 1);
    await sleep(100);
    expect(depth()).toMatchObject({ depth: 0, in_flight: 1 });
    functions.clock.advance(61);
    await until(() => records().length === 2);
    functions.clock.advance(61);
    await until(() => depth().dead_letters === 1);
    expect(depth(DEAD).depth).toBe(1);
  });

  test('redelivers the message of a killed environment', async () => {
    work(`${PRINT} await new Promise(() => setInterval(() => 0, 10));`);
    await send('precious');
    await until(() => functions.printed.length > 0);
    await lambda.kill('fn-1:1');
    await sleep(50);
    expect(depth()).toMatchObject({ depth: 0, in_flight: 1 });
    functions.clock.advance(61);
    await until(
      () => functions.printed.filter(text => text.includes('"ApproximateReceiveCount":"2"')).length === 1,
    );
  });

  test('deletes the messages of a batch that did not fail', async () => {
    const failBad = `return { batchItemFailures: event.Records.filter(r => r.body === 'bad').map(r => ({ itemIdentifier: r.messageId })) };`;
    await send('good');
    await send('bad');
    work(`${PRINT} ${failBad}`, { batchSize: 10 });
    await until(() => records().length === 2 && depth().in_flight === 1);
    functions.clock.advance(61);
    await until(() => records().length === 3);
    expect(records()[2]?.body).toBe('bad');
  });

  test('collects a batch during its batching window', async () => {
    work('console.log(JSON.stringify({ body: String(event.Records.length), attributes: {} }));', {
      batchSize: 3,
      windowS: 300,
    });
    for (const body of ['a', 'b', 'c']) {
      await send(body);
      await sleep(50);
    }
    await until(() => functions.printed.length > 0);
    expect(records()[0]?.body).toBe('3');
  });

  test('receives a delayed message when the clock of the stack is advanced', async () => {
    work(PRINT);
    await send('later', { DelaySeconds: 900 });
    await sleep(100);
    expect(functions.printed).toEqual([]);
    expect(depth().delayed).toBe(1);
    functions.clock.advance(901);
    await until(() => functions.printed.length === 1);
  });

  test('does not exceed its maximum concurrency', async () => {
    work('console.log("+"); await new Promise(r => setTimeout(r, 150)); console.log("-");');
    await Promise.all(Array.from({ length: 6 }, (_, n) => send(String(n))));
    await until(() => functions.printed.filter(text => text === '-\n').length === 6);
    let running = 0;
    const levels = functions.printed.map(text => (running += text === '+\n' ? 1 : -1));
    expect(Math.max(...levels)).toBeLessThanOrEqual(2);
  });
});

describe('messages that a result leaves on the queue', () => {
  const batch = [{ MessageId: 'a' }, { MessageId: 'b' }];
  const left = (result: unknown, partial = true) => [...failedIds({ ok: true, result }, batch, partial)];

  beforeEach(() => {
    lambda = createFunctions([], functions.host, { concurrency: () => 1, idleMs: 60_000 });
  });

  test.each([
    ['none for null', null, []],
    ['none for an empty list', { batchItemFailures: [] }, []],
    ['none without a list', { done: 2 }, []],
    ['the listed message', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
    ['all for an unknown id', { batchItemFailures: [{ itemIdentifier: 'c' }] }, ['a', 'b']],
    ['all for an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, ['a', 'b']],
    ['all for a wrong key', { batchItemFailures: [{ id: 'a' }] }, ['a', 'b']],
  ])('%s', (_, result, expected) => expect(left(result)).toEqual(expected));

  test('none without ReportBatchItemFailures', () => {
    expect(left({ batchItemFailures: [{ itemIdentifier: 'b' }] }, false)).toEqual([]);
  });

  test('all when the function fails', () => {
    const failed = { ok: false as const, errorType: 'E', errorMessage: 'e' };
    expect([...failedIds(failed, batch, true)]).toEqual(['a', 'b']);
  });
});
