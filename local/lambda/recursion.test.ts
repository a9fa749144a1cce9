import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCalls } from '../aws/calls.ts';
import { startAwsEndpoint, type AwsEndpoint } from '../aws/endpoint.ts';
import { createAwsFaults } from '../aws/faults.ts';
import { createScheduler } from '../aws/scheduler.ts';
import { createSqs, type Sqs } from '../aws/sqs.ts';
import { createSsm } from '../aws/ssm.ts';
import { installClock, uninstallClock } from '../clock.ts';
import { openStore } from '../store.ts';
import { noBuckets } from '../../test/support/bucket.ts';
import { noLambda, testFunctions, type TestFunctions } from '../../test/support/lambda.ts';
import type { FunctionResource } from '../template/lambda.ts';
import { noTasks } from '../../test/support/no-tasks.ts';
import { pollEventSource, type Poller } from './event-sources.ts';
import { createFunctions, type LocalFunctions } from './functions.ts';
import { invocationsIn, MAX_INVOCATIONS, nextTraceHeader } from './recursion.ts';

describe('the tracing header', () => {
  test('counts the invocations of each function in a chain', () => {
    const first = nextTraceHeader(null, 'a', 1_800_000_000_000);
    const second = nextTraceHeader(first, 'b', 0);
    const third = nextTraceHeader(second, 'a', 0);
    expect(['a', 'b', 'c'].map(name => invocationsIn(third, name))).toEqual([2, 1, 0]);
    expect(first).toMatch(/^Root=1-6b49d200-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0;Lineage=/);
    expect(third).toContain(first.split(';')[0]);
  });

  test('starts a new chain for a header without a lineage', () => {
    expect(invocationsIn('Root=1-0-0;Sampled=1', 'a')).toBe(0);
  });
});

describe('a function that sends messages to its own queue', () => {
  let endpoint: AwsEndpoint;
  let sqs: Sqs;
  let functions: TestFunctions;
  let lambda: LocalFunctions;
  let poller: Poller;
  const queueUrl = (name: string) => `${endpoint.url}/000000000000/${name}`;

  beforeEach(async () => {
    endpoint = await startAwsEndpoint();
    sqs = createSqs(null);
    sqs.createQueue({ name: 'dead', attributes: {} }, queueUrl('dead'));
    const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:dead';
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
    sqs.createQueue(
      { name: 'work', attributes: { VisibilityTimeout: '60', RedrivePolicy } },
      queueUrl('work'),
    );
    const store = openStore(null);
    endpoint.open({
      dynamoDb: '',
      sqs,
      lambda: noLambda,
      ssm: createSsm(store, Date.now),
      scheduler: createScheduler({ store, now: Date.now, jitterS: 0, deliver: () => Promise.resolve() }),
      faults: createAwsFaults(() => Promise.resolve()),
      calls: createCalls(),
      s3: noBuckets,
      ecs: noTasks,
    });
    functions = testFunctions();
    installClock(functions.clock.memory);
  });
  afterEach(async () => {
    uninstallClock();
    poller.stop();
    await lambda.close();
    sqs.close();
    await endpoint.close();
    functions.close();
  });

  /** As the AWS SDK does, the function sends the tracing header of its environment with the call. */
  const SEND = `
    console.log('run');
    const { n, last, url } = JSON.parse(event.Records[0].body);
    if (n < last) await fetch(url, {
      method: 'POST',
      headers: {
        'x-amz-target': 'AmazonSQS.SendMessage',
        'x-amzn-trace-id': process.env._X_AMZN_TRACE_ID,
      },
      body: JSON.stringify({
        QueueUrl: url + '/000000000000/work',
        MessageBody: JSON.stringify({ n: n + 1, last, url }),
      }),
    });`;

  async function start(overrides: Partial<FunctionResource>, last: number): Promise<void> {
    const fn = functions.define(SEND, overrides);
    lambda = createFunctions([fn], functions.host, { concurrency: () => 1, idleMs: 60_000 });
    const source = {
      queue: 'work',
      function: fn.name,
      batchSize: 1,
      windowS: 0,
      maxConcurrency: 2,
      partialFailures: false,
    };
    poller = pollEventSource(source, { sqs: sqs.handle, queueUrl, invoke: lambda.invoke });
    const body = {
      QueueUrl: queueUrl('work'),
      MessageBody: JSON.stringify({ n: 1, last, url: endpoint.url }),
    };
    await sqs.handle('SendMessage', body);
  }

  const runs = () => functions.printed.filter(text => text === 'run\n').length;
  const depthOf = (queue: string) => sqs.depths().find(({ name }) => name === queue)!;

  test('is stopped after 16 invocations in one chain; the message goes to the dead-letter queue', async () => {
    await start({}, 100);
    // The handler sends the next message before its own is deleted.
    while (runs() < MAX_INVOCATIONS || depthOf('work').in_flight !== 1) await sleep(20);
    functions.clock.advance(61);
    while (depthOf('dead').depth === 0) await sleep(20);
    expect(runs()).toBe(MAX_INVOCATIONS);
  });

  test('is not stopped if its template allows recursion', async () => {
    await start({ allowsRecursion: true }, 20);
    while (runs() < 20) await sleep(20);
    expect(depthOf('dead').depth).toBe(0);
  });
});
