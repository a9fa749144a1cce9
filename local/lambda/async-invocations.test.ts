import { beforeEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../store.ts';
import { arn } from '../template/names.ts';
import { createAsyncInvocations } from './async-invocations.ts';
import type { InvocationResult } from './environment.ts';

const DEAD = arn('sqs', 'dead-letters');
const SETTING = { function: 'importer', retries: 2, maxAgeS: 21_600, failureQueueArn: DEAD };
const FAILED: InvocationResult = { ok: false, errorType: 'Error', errorMessage: 'No' };
const done = () => new Promise(resolve => setImmediate(resolve));

let now: number;
let results: InvocationResult[];
let invoked: { at: number; name: string; event: unknown; trace: string | null | undefined }[];
let sent: { queue: string; record: unknown }[];
let store: ReturnType<typeof openStore>;

beforeEach(() => {
  now = 0;
  results = [];
  invoked = [];
  sent = [];
  store = openStore(null);
});

const start = (setting: Partial<typeof SETTING> = {}) =>
  createAsyncInvocations([{ ...SETTING, ...setting }], {
    store,
    now: () => now,
    invoke: (name, event, trace) => {
      invoked.push({ at: now, name, event, trace });
      return Promise.resolve(results.shift() ?? { ok: true, result: null });
    },
    send: (queue, body) => {
      sent.push({ queue, record: JSON.parse(body) });
      return Promise.resolve();
    },
  });

/** Lets the clock run to `until`, in steps of ten seconds. */
async function pass(invocations: ReturnType<typeof start>, until: number): Promise<void> {
  for (; now <= until; now += 10_000) {
    invocations.tick();
    await done();
  }
}

describe('an asynchronous invocation', () => {
  test('invokes the function once with the event and the tracing header', async () => {
    const invocations = start();
    invocations.accept('importer', { kind: 'upload' }, 'Root=1');
    expect(invocations.working()).toEqual({ importer: 1 });
    await pass(invocations, 300_000);
    expect(invoked).toEqual([{ at: 0, name: 'importer', event: { kind: 'upload' }, trace: 'Root=1' }]);
    expect([invocations.working(), sent]).toEqual([{}, []]);
  });

  test('that fails is retried after one minute and after two, also after a restart', async () => {
    results = [FAILED, FAILED];
    start().accept('importer', {}, null);
    await done();
    await pass(start(), 600_000);
    expect(invoked.map(({ at }) => at)).toEqual([0, 60_000, 180_000]);
    expect(sent).toEqual([]);
  });

  test('that fails three times goes to the failure destination with its event', async () => {
    results = [FAILED, FAILED, FAILED];
    const invocations = start();
    invocations.accept('importer', { kind: 'upload' }, null);
    await pass(invocations, 600_000);
    expect(invoked).toHaveLength(3);
    expect(sent).toMatchObject([
      {
        queue: DEAD,
        record: {
          requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
          requestPayload: { kind: 'upload' },
          responsePayload: { errorMessage: 'No', errorType: 'Error' },
        },
      },
    ]);
  });

  test('is given up when its next retry would exceed the age of an event', async () => {
    results = [FAILED, FAILED];
    const invocations = start({ maxAgeS: 60 });
    invocations.accept('importer', {}, null);
    await pass(invocations, 600_000);
    expect(invoked).toHaveLength(2);
    expect(sent).toMatchObject([{ record: { requestContext: { condition: 'EventAgeExceeded' } } }]);
  });
});
