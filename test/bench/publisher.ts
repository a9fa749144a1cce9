import type { Context, SQSRecord } from 'aws-lambda';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDynamoDb } from '../../local/aws/dynamodb.ts';
import { publishConsumer } from '../../shared/delivery/consumer.ts';
import { CAPACITY } from '../../shared/delivery/load.ts';
import type { Post } from '../../shared/model/post.ts';
import { deliveryWorld, type DeliveryWorld } from '../support/delivery-world.ts';
import { fakePublisher } from '../support/fake-platform.ts';
import { inParallel } from '../support/parallel.ts';
import type { Bench, Results } from './bench.ts';
import { less } from './value.ts';

const POSTS = 1000;
const ENVIRONMENTS = 10;
/** How long the platform takes for a request. */
const ANSWER_MS = 300;
/** Posts that are published before, so that clients are connected and code is compiled. */
const WARM = 200;
const CONTEXT = { getRemainingTimeInMillis: () => 300_000 } as Context;

/** The publisher without Lambda and queues: batches of texts side by side, against a platform that takes its time. */
export const publisher: Bench = {
  name: 'publisher',
  summary: 'deliveries of the publisher alone, in one process',
  run: async () => {
    const database = await startDynamoDb({ only: null });
    process.env['DYNAMODB_ENDPOINT'] = database.endpoint;
    const world = await deliveryWorld();
    try {
      await world.connect('x');
      await deliverAll(world, WARM, 0);
      const idle = await deliverAll(world, POSTS, 0);
      const waiting = await deliverAll(world, POSTS, ANSWER_MS);
      return [resultsOf(idle, 0), resultsOf(waiting, ANSWER_MS)];
    } finally {
      await world.close();
      await database.close();
    }
  },
};

interface Spent {
  seconds: number;
  cpuMs: number;
}

const resultsOf = ({ seconds, cpuMs }: Spent, answerMs: number): Results => ({
  title: `${POSTS} deliveries, ${ENVIRONMENTS} environments in one process, ${answerMs} ms for an answer`,
  values: {
    duration: less(seconds, 's', 1),
    'CPU time of a delivery': less(cpuMs / POSTS, 'ms', 1),
  },
});

/** Publishes texts that are due now, a batch at a time in each environment. */
async function deliverAll(world: DeliveryWorld, count: number, answerMs: number): Promise<Spent> {
  world.clock.now = Date.now();
  const posts: Post[] = [];
  await inParallel(CAPACITY, Array.from({ length: count }), async () => {
    posts.push(await world.store({ due_at: world.clock.now }));
  });
  const handler = publishConsumer({
    services: { ...world.services, now: Date.now },
    publishers: { x: fakePublisher(world.platform, answerAfter(answerMs), Date.now) },
  });
  const records = posts.map(recordOf);
  const batches = Array.from({ length: Math.ceil(count / CAPACITY) }, (_, index) =>
    records.slice(index * CAPACITY, (index + 1) * CAPACITY),
  );
  const begun = performance.now();
  const cpu = process.cpuUsage();
  await inParallel(ENVIRONMENTS, batches, async Records => {
    const { batchItemFailures } = await handler({ Records }, CONTEXT);
    if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} deliveries failed`);
  });
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - begun) / 1000, cpuMs: (user + system) / 1000 };
}

const answerAfter =
  (ms: number) =>
  async <T>(answer: () => Promise<T> | T): Promise<T> => {
    if (ms > 0) await sleep(ms);
    return answer();
  };

function recordOf({ workspace_id, post_id, version }: Post): SQSRecord {
  const body = JSON.stringify({ workspace_id, post_id, version, platform: 'x', weight: 1 });
  return { messageId: post_id, body } as SQSRecord;
}
