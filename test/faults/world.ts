import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localClientConfig } from '../../local/aws/tables.ts';
import { isDone, type Work } from '../../local/work.ts';
import { postOfKey } from '../../shared/store/post-item.ts';
import { deliveryOfKey } from '../../shared/store/webhook-deliveries.ts';
import type { Json, TestStack } from '../support/stack.ts';
import { dueKeys } from '../support/due-items.ts';

/** The stack as a campaign observes and controls it. */
export interface World {
  /** The stack's time in epoch milliseconds. */
  now: () => Promise<number>;
  /** Waits until no function is running, advances the clock, then waits again. */
  pass: (seconds: number) => Promise<void>;
  /** Descriptions of everything that is in flight: messages, schedules, overdue items. */
  inFlight: () => Promise<string[]>;
  close: () => void;
}

/** For one request. */
const WAIT_S = 30;
const LIMIT_MS = 420_000;
const FAR = Number.MAX_SAFE_INTEGER;

export function openWorld(stack: TestStack): World {
  const client = new DynamoDBClient(localClientConfig(stack.aws.endpoint));
  const table = { client: DynamoDBDocumentClient.from(client), name: stack.aws.table };
  const queues = async (): Promise<Json[]> => (await stack.local('GET', '/_local/queues')).body.queues;

  async function idle(): Promise<void> {
    const limit = performance.now() + LIMIT_MS;
    for (;;) {
      const work = (await stack.local<Work>('GET', `/_local/working?wait_s=${WAIT_S}`)).body;
      if (isDone(work)) return;
      if (performance.now() > limit)
        throw new Error(`The stack does not become idle: ${JSON.stringify(work)}`);
    }
  }

  async function pass(seconds: number): Promise<void> {
    await idle();
    await stack.local('POST', '/_local/clock', { advance_seconds: seconds, between_runs: true });
    await idle();
  }

  async function waking(): Promise<string[]> {
    return (await dueKeys(table, FAR))
      .filter(key => postOfKey(key) ?? deliveryOfKey(key))
      .map(({ SK }) => `in the wake index: ${SK}`);
  }

  async function inFlight(): Promise<string[]> {
    const waiting = (await queues())
      .filter(
        ({ depth, delayed, in_flight, dead_letters }) =>
          depth + delayed + in_flight + (dead_letters ?? 0) > 0,
      )
      .map(queue => `queue ${JSON.stringify(queue)}`);
    const { schedules } = (await stack.local('GET', '/_local/schedules')).body;
    return [...waiting, ...schedules.map(({ name }: Json) => `schedule ${name}`), ...(await waking())];
  }

  return {
    now: stack.now,
    pass,
    inFlight,
    close: () => client.destroy(),
  };
}
