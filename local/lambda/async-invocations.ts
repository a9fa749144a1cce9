import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { JsonObjectSchema, type JsonObject } from '../../shared/model/json.ts';
import type { LocalStore } from '../store.ts';
import { arn } from '../template/names.ts';
import type { AsyncSetting } from '../template/lambda.ts';
import type { InvocationError } from './environment.ts';
import type { Invoke } from './functions.ts';

export interface AsyncInvocations {
  /** Keeps the event and invokes the function with it soon. */
  accept: (functionName: string, event: JsonObject, traceHeader: string | null) => void;
  /** Invokes functions with the events that are due. */
  tick: () => void;
  /** Events that are due or running, by function; functions without any are left out. */
  working: () => Record<string, number>;
}

export interface AsyncHost {
  store: LocalStore;
  now: () => number;
  invoke: Invoke;
  /** Sends a message to the queue with this ARN. */
  send: (queueArn: string, body: string) => Promise<void>;
}

const EventSchema = v.object({
  function: v.string(),
  event: JsonObjectSchema,
  trace_header: v.nullable(v.string()),
  accepted_at: v.number(),
  due_at: v.number(),
  /** Failed invocations. */
  failures: v.number(),
});
type StoredEvent = v.InferOutput<typeof EventSchema>;

/** Settings of a function that has none. */
const DEFAULTS = { retries: 2, maxAgeS: 21_600, failureQueueArn: null };

/** Lambda waits one minute before the first retry of an event, and two before the second. */
const RETRY_DELAY_MS = 60_000;

/**
 * Asynchronous invocations: Lambda keeps the event, retries a failed invocation, and sends a record of an event that it gives
 * up to the failure destination.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function createAsyncInvocations(
  settings: readonly AsyncSetting[],
  { store, now, invoke, send }: AsyncHost,
): AsyncInvocations {
  const events = store.collection('async-event', EventSchema);
  const running = new Set<string>();

  function accept(functionName: string, event: JsonObject, traceHeader: string | null): void {
    const at = now();
    events.set(randomUUID(), {
      function: functionName,
      event,
      trace_header: traceHeader,
      accepted_at: at,
      due_at: at,
      failures: 0,
    });
    tick();
  }

  const due = () => events.all('insertion').filter(({ value }) => value.due_at <= now());

  function tick(): void {
    for (const { name, value } of due().filter(each => !running.has(each.name))) {
      running.add(name);
      run(name, value)
        .catch((error: unknown) => console.error('Could not finish an asynchronous invocation:', error))
        .finally(() => running.delete(name));
    }
  }

  async function run(id: string, event: StoredEvent): Promise<void> {
    const result = await invoke(event.function, event.event, event.trace_header);
    if (result.ok) {
      events.delete(id);
      return;
    }
    const failed = { ...event, failures: event.failures + 1 };
    const { retries, maxAgeS, failureQueueArn } =
      settings.find(setting => setting.function === event.function) ?? DEFAULTS;
    const due_at = now() + RETRY_DELAY_MS * failed.failures;
    const isTooOld = due_at - event.accepted_at > maxAgeS * 1000;
    if (failed.failures <= retries && !isTooOld) {
      events.set(id, { ...failed, due_at });
      return;
    }
    if (failureQueueArn !== null) {
      const condition = isTooOld ? 'EventAgeExceeded' : 'RetriesExhausted';
      await send(failureQueueArn, JSON.stringify(failureRecord(id, failed, condition, result, now())));
    }
    events.delete(id);
  }

  function working(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { value } of due()) counts[value.function] = (counts[value.function] ?? 0) + 1;
    return counts;
  }
  return { accept, tick, working };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
function failureRecord(
  id: string,
  { function: name, event, failures }: StoredEvent,
  condition: string,
  { errorType, errorMessage }: InvocationError,
  at: number,
) {
  return {
    version: '1.0',
    timestamp: new Date(at).toISOString(),
    requestContext: {
      requestId: id,
      functionArn: `${arn('lambda', `function:${name}`)}:$LATEST`,
      condition,
      approximateInvokeCount: failures,
    },
    requestPayload: event,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorType, errorMessage },
  };
}
