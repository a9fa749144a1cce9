import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import { PUBLISHERS, RULES } from '../../shared/platforms/registry.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { less, type Measure } from './value.ts';
import { createPosts, settled, textPost } from './posts.ts';
import { PRICES } from './prices.ts';

const SAMPLE = 5;
const HOUR_S = 3600;

/** Memory and duration of a function run: high estimates, printed with the result. */
const RUN_GB = 0.5;
const RUN_S = 0.15;

interface Call {
  service: string;
  operation: string;
  function: string;
  count: number;
  read_units: number;
  write_units: number;
}

/** Functions that run on a schedule, regardless of posts. */
const SCHEDULED_FUNCTIONS = /sweeper|housekeeper|insights/;

/** Platforms that accept text posts. Without a publisher, the delivery fails early. */
const withText = PLATFORM_IDS.filter(platform => RULES[platform].post_types.text);
const deliverable = withText.filter(platform => PUBLISHERS[platform]);

/** AWS calls and capacity units of a text post, as counted by the local stack, and the price of a thousand such posts. */
export const cost: Bench = {
  name: 'cost',
  summary: 'AWS calls and price of a post',
  run: () =>
    onStack(async stack => {
      const results: Results[] = [];
      for (const platforms of [deliverable.slice(0, 1), deliverable.slice(0, 3), withText]) {
        for (const when of ['now', 'scheduled'] as const) {
          results.push(await measure(stack, platforms, when));
        }
      }
      return results;
    }),
};

async function measure(
  stack: TestStack,
  platforms: readonly string[],
  when: 'now' | 'scheduled',
): Promise<Results> {
  const due =
    when === 'now' ? {} : { scheduled_date: new Date((await stack.now()) + HOUR_S * 1000).toISOString() };
  const bodies = Array.from({ length: SAMPLE }, (_, i) => ({ ...textPost(i, 'Demo', platforms), ...due }));
  await callsSince(stack);
  const ids = await createPosts(stack, bodies);
  const creating = await callsSince(stack);
  if (when === 'scheduled') {
    // To the schedule at T - 90 s, then to T.
    await stack.advance(HOUR_S - 85);
    await stack.advance(85);
  }
  await settled(stack, ids);
  // The API calls since then are polls of this benchmark.
  const delivering = (await callsSince(stack)).filter(call => !/posts$/.test(call.function));
  const title = `A text post to ${platforms.length} platform(s), ${when} (${platforms.join(', ')})`;
  return { title, values: priced([...creating, ...delivering], when === 'scheduled' ? 1 : 0) };
}

/** Returns the calls of one post in the units that AWS bills, and their price. */
function priced(calls: readonly Call[], schedules: number): Record<string, Measure> {
  const sum = (pick: (call: Call) => number) => calls.reduce((total, call) => total + pick(call), 0) / SAMPLE;
  const reads = sum(call => call.read_units);
  const writes = sum(call => call.write_units);
  const messages = schedules + sum(call => (call.service === 'sqs' ? call.count : 0));
  // A message is sent, received, deleted, and invokes a function; the API request invokes one, too.
  const runs = 1 + messages;
  const dollars =
    reads * PRICES.read_unit +
    writes * PRICES.write_unit +
    3 * messages * PRICES.sqs_request +
    schedules * PRICES.schedule +
    PRICES.http_api_request +
    runs * (PRICES.lambda_request + RUN_GB * RUN_S * PRICES.lambda_gb_second);
  return {
    'AWS calls of functions': less(
      sum(call => call.count),
      '',
      1,
    ),
    'read units': less(reads, '', 1),
    'write units': less(writes, '', 1),
    'queue messages': less(messages, '', 1),
    [`1,000 posts (${RUN_GB * 1000} MB and ${RUN_S * 1000} ms a run)`]: less(dollars * 1000, 'dollars', 4),
  };
}

/** Returns the AWS calls of functions since the last call, and resets the counter. */
async function callsSince(stack: TestStack): Promise<Call[]> {
  const { body } = await stack.local<{ calls: Call[] }>('GET', '/_local/calls?reset=1');
  return body.calls.filter(call => !SCHEDULED_FUNCTIONS.test(call.function));
}
