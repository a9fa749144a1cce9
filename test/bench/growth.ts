import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localClientConfig } from '../../local/aws/tables.ts';
import { newId } from '../../shared/model/id.ts';
import type { Table } from '../../shared/store/table.ts';
import { DAY } from '../../shared/time/instant.ts';
import { fillWithPosts } from '../support/many-posts.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { createPosts, textPost } from './posts.ts';

const SIZES = [10, 1000, 100_000];
/** Page size: the number of posts of the smallest workspace. */
const PAGE = 10;
/** Number of measurements of each request. */
const SAMPLE = 6;

interface Report {
  calls: { service: string; function: string; read_units: number; write_units: number }[];
}

/** Capacity units of a request in a workspace with 10, 1,000 and 100,000 stored posts. Throws when they grow. */
export const growth: Bench = {
  name: 'growth',
  summary: 'cost of a request by number of stored posts',
  run: () =>
    onStack(async stack => {
      const results: Results[] = [];
      for (const [index, size] of SIZES.entries()) {
        await fill(stack, SIZES[index - 1] ?? 0, size);
        const title = `Capacity units of a request with ${size} stored posts`;
        results.push({ title, values: await measure(stack) });
      }
      const costs = new Set(results.map(({ values }) => JSON.stringify(values)));
      if (costs.size > 1) throw new Error('The cost of a request grows with the number of stored posts');
      return results;
    }),
};

/** Stores posts that are at least a day old, so that the posts of the measurement are newer. */
async function fill(stack: TestStack, from: number, to: number): Promise<void> {
  const { endpoint, table: name } = stack.aws;
  const raw = new DynamoDBClient(localClientConfig(endpoint));
  const table: Table = { client: DynamoDBDocumentClient.from(raw), name };
  const owner = { workspace_id: stack.workspace_id, profile_id: newId() };
  await fillWithPosts(table, owner, to - from, Date.now() - DAY - from * 1000);
  raw.destroy();
}

async function measure(stack: TestStack): Promise<Record<string, string>> {
  const ids: string[] = [];
  const due = new Date(Date.now() + 300 * DAY).toISOString();
  const create = await costOf(stack, async index => {
    const body = { ...textPost(index, 'Demo', ['x', 'bluesky', 'telegram']), scheduled_date: due };
    ids.push(...(await createPosts(stack, [body])));
  });
  const get = await costOf(stack, index => stack.api('GET', `/posts/${ids[index]}`));
  // Delete the new posts before the list is measured: they are larger than the stored ones.
  for (const id of ids) await stack.api('DELETE', `/posts/${id}`);
  const page = await costOf(stack, () => stack.api('GET', `/posts?limit=${PAGE}`));
  return { 'create, three platforms': create, get, [`list ${PAGE}`]: page };
}

/** Returns the minimum cost of a request: some also renew the rate limit's lease or read the API key. */
async function costOf(stack: TestStack, ask: (index: number) => Promise<unknown>): Promise<string> {
  const costs: { read: number; write: number }[] = [];
  for (let index = 0; index < SAMPLE; index += 1) {
    await stack.local('GET', '/_local/calls?reset=1');
    await ask(index);
    costs.push(await spent(stack));
  }
  const least = (pick: (cost: { read: number; write: number }) => number) => Math.min(...costs.map(pick));
  return `${least(cost => cost.read)} read, ${least(cost => cost.write)} write`;
}

async function spent(stack: TestStack): Promise<{ read: number; write: number }> {
  const { body } = await stack.local<Report>('GET', '/_local/calls');
  const own = body.calls.filter(call => /posts$/.test(call.function));
  const sum = (pick: (call: Report['calls'][number]) => number) =>
    own.reduce((total, call) => total + pick(call), 0);
  return { read: sum(call => call.read_units), write: sum(call => call.write_units) };
}
