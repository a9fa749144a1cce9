import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import { PUBLISHED_PLATFORMS } from '../../shared/platforms/registry/published.ts';
import { RULES } from '../../shared/platforms/registry/rules.ts';
import { connectedProfiles } from '../support/profiles.ts';
import type { TestStack } from '../support/stack.ts';
import { onStack, type Bench, type Results } from './bench.ts';
import { costsOf, publisherMb, type Use } from './post-cost.ts';
import { less, type Measure } from './value.ts';
import { createPosts, settled, textPost } from './posts.ts';

/** A function keeps what it has read for a while, and takes tokens of the rate limit for several requests at once. */
const SAMPLE = 12;
const HOUR_S = 3600;

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
const deliverable = withText.filter(platform => PUBLISHED_PLATFORMS.includes(platform));

/** AWS calls and capacity units of a text post, as counted by the local stack, and the price of a thousand such posts. */
export const cost: Bench = {
  name: 'cost',
  summary: 'AWS calls and price of a post, without webhooks and with one',
  run: () =>
    onStack(async stack => {
      const results: Results[] = [];
      for (const platforms of [deliverable.slice(0, 1), deliverable.slice(0, 3)]) {
        for (const when of ['now', 'scheduled'] as const) {
          results.push(await measure(stack, platforms, when));
        }
      }
      for (const when of ['now', 'scheduled'] as const) {
        const webhook = await addWebhook(stack);
        results.push(await measure(stack, deliverable.slice(0, 3), when, webhook));
        await stack.api('DELETE', `/webhooks/${webhook}`);
      }
      // Last, since some of these platforms are asked again later whether they have published a post.
      for (const when of ['now', 'scheduled'] as const) results.push(await measure(stack, withText, when));
      return results;
    }),
};

async function measure(
  stack: TestStack,
  platforms: readonly PlatformId[],
  when: 'now' | 'scheduled',
  webhook: string | null = null,
): Promise<Results> {
  const due =
    when === 'now' ? {} : { scheduled_date: new Date((await stack.now()) + HOUR_S * 1000).toISOString() };
  const hasWebhook = webhook !== null;
  const profile = `Cost ${platforms.length} ${when} ${hasWebhook}`;
  await connectedProfiles(stack, [profile], platforms);
  const bodies = Array.from({ length: SAMPLE }, (_, i) => ({ ...textPost(i, profile, platforms), ...due }));
  await callsSince(stack);
  const calls: Call[] = [];
  /** Adds the calls so far, without those of this benchmark's polls. */
  const count = async (polled: RegExp | null) => {
    calls.push(...(await callsSince(stack)).filter(call => polled?.test(call.function) !== true));
  };
  const ids: string[] = [];
  // Posts of the same time are delivered together and cost less, so those for now follow each other.
  for (const body of bodies) {
    const created = await createPosts(stack, [body]);
    ids.push(...created);
    if (when === 'scheduled') continue;
    await count(null);
    await settled(stack, created);
    await count(/posts$/);
  }
  if (when === 'scheduled') {
    await count(null);
    // To the schedule at T - 90 s, then to T.
    await stack.advance(HOUR_S - 85);
    await stack.advance(85);
    await settled(stack, ids);
  }
  if (webhook !== null) await delivered(stack, webhook, SAMPLE * platforms.length);
  await count(/(posts|webhooks)$/);
  const title = `A text post to ${platforms.length} platform(s), ${when}, ${hasWebhook ? 'with a webhook' : 'without webhooks'} (${platforms.join(', ')})`;
  return { title, values: priced(platforms, calls, when === 'scheduled' ? 1 : 0, hasWebhook) };
}

/** Registers a receiver for the default events. Returns the webhook's id. */
async function addWebhook(stack: TestStack): Promise<string> {
  const url = `${stack.sandbox_url}/_receiver/cost`;
  const { body } = await stack.api<{ webhook: { id: string } }>('POST', '/webhooks', { url });
  return body.webhook.id;
}

/** Waits until so many deliveries of a webhook have succeeded. */
async function delivered(stack: TestStack, webhook: string, count: number): Promise<void> {
  const path = `/webhooks/${webhook}/deliveries?limit=100`;
  await stack.until('all events are delivered', async () => {
    const { body } = await stack.api<{ data: { status: string }[] }>('GET', path);
    return body.data.filter(({ status }) => status === 'delivered').length === count;
  });
}

/** Returns what one post uses, and its price. */
function priced(
  platforms: readonly PlatformId[],
  calls: readonly Call[],
  schedules: number,
  hasWebhook: boolean,
): Record<string, Measure> {
  const sum = (pick: (call: Call) => number) => calls.reduce((total, call) => total + pick(call), 0) / SAMPLE;
  const sqs = (by: RegExp, wanted: string) =>
    sum(({ service, operation, function: name, count }) =>
      service === 'sqs' && operation === wanted && by.test(name) ? count : 0,
    );
  // What publishers send is events, and without a webhook what they still have to do.
  const byPublishers = sqs(/publisher/, 'SendMessage');
  const use: Use = {
    read_units: sum(call => call.read_units),
    write_units: sum(call => call.write_units),
    schedules,
    dispatch: schedules,
    publish: sqs(/posts$|(?<!webhook-)dispatcher$/, 'SendMessage') + (hasWebhook ? 0 : byPublishers),
    publisher_mb: publisherMb(platforms),
    events: hasWebhook ? byPublishers : 0,
    // What it receives and deletes itself, Lambda does not.
    further_receives:
      sqs(/webhook-dispatcher$/, 'ReceiveMessage') - sqs(/webhook-dispatcher$/, 'DeleteMessage'),
  };
  const costs = costsOf(use);
  const together = Object.values(costs).reduce((total, dollars) => total + dollars, 0);
  return {
    'AWS calls of functions': less(
      sum(call => call.count),
      '',
      1,
    ),
    'read units': less(use.read_units, '', 1),
    'write units': less(use.write_units, '', 1),
    'messages to publishers': less(use.publish, '', 1),
    'messages with events': less(use.events, '', 1),
    ...Object.fromEntries(
      Object.entries(costs).map(([what, dollars]) => [what, less(dollars, 'dollars', 4)]),
    ),
    '1,000 posts together': less(together, 'dollars', 4),
  };
}

/** Returns the AWS calls of functions since the last call, and resets the counter. */
async function callsSince(stack: TestStack): Promise<Call[]> {
  const { body } = await stack.local<{ calls: Call[] }>('GET', '/_local/calls?reset=1');
  return body.calls.filter(call => !SCHEDULED_FUNCTIONS.test(call.function));
}
