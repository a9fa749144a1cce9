import { readdirSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { startStack, type TestStack } from '../support/stack.ts';
import { PRICES } from './prices.ts';

/*
 * `npm run bench`: what the service costs and how fast it is, measured on the local stack of this machine. Numbers
 * depend on the machine; the calls and units behind the prices do not.
 */

const COST_SAMPLE = 20;
const THROUGHPUT_SAMPLE = 200;
const LATENESS_SAMPLE = 200;

interface Call {
  service: string;
  operation: string;
  count: number;
  read_units: number;
  write_units: number;
}

async function main(): Promise<void> {
  const started = performance.now();
  const stack = await startStack();
  print('Start', { 'npm start until ready': `${seconds(performance.now() - started)} s` });
  print('Bundles (minified, gzipped)', bundleSizes());
  try {
    for (const platforms of [['x'], ['x', 'bluesky', 'telegram']]) await cost(stack, platforms);
    await throughput(stack);
    await lateness(stack);
  } finally {
    await stack.close();
  }
}

function bundleSizes(): Record<string, string> {
  const dist = new URL('../../dist/', import.meta.url);
  const names = readdirSync(dist).filter(
    name => name !== 'maps' && statSync(new URL(name, dist)).isDirectory(),
  );
  return Object.fromEntries(
    names.map(name => {
      const bytes = readFileSync(new URL(`${name}/index.js`, dist));
      return [name, `${kilobytes(bytes.length)} kB, ${kilobytes(gzipSync(bytes).length)} kB`];
    }),
  );
}

/** Calls and units of a post, as the stack's own counter sees them, and their price for a thousand posts. */
async function cost(stack: TestStack, platforms: readonly string[]): Promise<void> {
  await stack.local('GET', '/_local/calls?reset=1');
  await publishAll(stack, COST_SAMPLE, platforms);
  const { body } = await stack.local<{ calls: Call[] }>('GET', '/_local/calls');
  const sum = (pick: (call: Call) => number) =>
    body.calls.reduce((total, call) => total + pick(call), 0) / COST_SAMPLE;
  const reads = sum(call => call.read_units);
  const writes = sum(call => call.write_units);
  const sends = sum(call => (call.service === 'sqs' ? call.count : 0));
  // Each message is sent, received and deleted; one Lambda runs for each, and one for the request.
  const invocations = 1 + sends;
  const gbSeconds = invocations * 0.5 * 0.15;
  const dollars =
    reads * PRICES.read_unit +
    writes * PRICES.write_unit +
    3 * sends * PRICES.sqs_request +
    PRICES.http_api_request +
    invocations * PRICES.lambda_request +
    gbSeconds * PRICES.lambda_gb_second;
  print(`A text post to ${platforms.length} platform(s)`, {
    'AWS calls': sum(call => call.count).toFixed(1),
    'read units': reads.toFixed(1),
    'write units': writes.toFixed(1),
    'queue messages': sends.toFixed(1),
    'dollars for 1,000 posts (512 MB, 150 ms a run)': (dollars * 1000).toFixed(4),
  });
}

async function throughput(stack: TestStack): Promise<void> {
  const begun = performance.now();
  await publishAll(stack, THROUGHPUT_SAMPLE, ['bluesky']);
  const rate = THROUGHPUT_SAMPLE / ((performance.now() - begun) / 1000);
  print('Throughput', { 'posts a second, request to published': rate.toFixed(1) });
}

/** Posts due over half a minute: how late each went live. */
async function lateness(stack: TestStack): Promise<void> {
  const first = Date.now() + 10_000;
  const ids = await createAll(stack, LATENESS_SAMPLE, ['bluesky'], index =>
    new Date(first + index * 150).toISOString(),
  );
  await sleep(10_000 + LATENESS_SAMPLE * 150);
  const posts = await finished(stack, ids);
  const late = posts
    .map(post => Date.parse(post.published_at!) - Date.parse(post.scheduled_date!))
    .sort((a, b) => a - b);
  const at = (share: number) => `${late[Math.min(late.length - 1, Math.floor(share * late.length))]} ms`;
  print(`Lateness of ${LATENESS_SAMPLE} posts over ${(LATENESS_SAMPLE * 150) / 1000} s`, {
    earliest: at(0),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
  });
}

interface PostView {
  post_id: string;
  status: string;
  published_at: string | null;
  scheduled_date: string | null;
}

async function publishAll(stack: TestStack, count: number, platforms: readonly string[]): Promise<void> {
  await finished(stack, await createAll(stack, count, platforms));
}

async function createAll(
  stack: TestStack,
  count: number,
  platforms: readonly string[],
  due?: (index: number) => string,
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { body } = await stack.api<{ post_id: string }>('POST', '/posts', {
      profile_name: 'Demo',
      post_type: 'text',
      platforms,
      description: `Measured ${index} ${Math.random()}`,
      ...(due ? { scheduled_date: due(index) } : {}),
    });
    ids.push(body.post_id);
  }
  return ids;
}

async function finished(stack: TestStack, ids: readonly string[]): Promise<PostView[]> {
  const posts: PostView[] = [];
  for (const id of ids) {
    posts.push(
      await stack.until(
        'the post is published',
        async () => {
          const { body } = await stack.api<PostView>('GET', `/posts/${id}`);
          return body.status === 'published' ? body : null;
        },
        120_000,
      ),
    );
  }
  return posts;
}

function print(title: string, values: Record<string, string>): void {
  const width = Math.max(...Object.keys(values).map(name => name.length));
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(values)) console.log(`  ${name.padEnd(width)}  ${value}`);
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);
const kilobytes = (bytes: number) => Math.round(bytes / 1000);

await main();
