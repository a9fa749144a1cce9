import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import * as v from 'valibot';
import { eventSchema } from '../../lib/openapi/webhooks.ts';
import { closeStack, create, eventually, read } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/** Webhooks through the whole local stack, from their creation to what their receivers get. */

const START_MS = 600_000;
const TEST_MS = 600_000;

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack();
}, START_MS);
afterAll(() => closeStack(stack), TEST_MS);

interface Hook {
  id: string;
  secret: string;
  /** Received requests with the body's bytes as text. */
  received: () => Promise<{ headers: Record<string, string>; body: string }[]>;
  /** Deliveries, newest first. */
  deliveries: () => Promise<Json[]>;
  state: () => Promise<Json>;
}

/** Creates a webhook whose receiver answers with these statuses in turn; the last one repeats. */
async function register(name: string, statuses = [200], events?: string[]): Promise<Hook> {
  await stack.control('PUT', `/_control/receiver/${name}`, { script: statuses.map(status => ({ status })) });
  const url = `${stack.sandbox_url}/_receiver/${name}`;
  const { body } = await stack.api('POST', '/webhooks', { url, ...(events && { events }) });
  const { id }: { id: string } = body.webhook;
  return {
    id,
    secret: body.signing_secret,
    received: async () => {
      const { deliveries: requests } = (await stack.control('GET', `/_control/receiver/${name}`)).body;
      return requests.map(({ headers, body_base64 }: Json) => ({
        headers,
        body: Buffer.from(body_base64, 'base64').toString(),
      }));
    },
    deliveries: async () => (await stack.api('GET', `/webhooks/${id}/deliveries`)).body.data,
    state: async () => (await stack.api('GET', `/webhooks/${id}`)).body.webhook,
  };
}

async function sendTest({ id }: Hook): Promise<string> {
  const { status, body } = await stack.api('POST', `/webhooks/${id}/test`);
  expect(status).toBe(202);
  return body.delivery.id;
}

const requestsOf = ({ received }: Hook, count: number) =>
  eventually(`${count} requests`, 300_000, async () => {
    const all = await received();
    return all.length >= count ? all : null;
  });

/** Waits until a delivery has this many attempts. */
const attempted = ({ deliveries }: Hook, deliveryId: string, count: number): Promise<Json> =>
  eventually(`${count} attempts of ${deliveryId}`, 300_000, async () => {
    const delivery = (await deliveries()).find(({ id }) => id === deliveryId);
    return delivery?.attempts.length >= count ? delivery : null;
  });

/** Waits until no message is in flight: it would be redelivered when the clock jumps past its visibility timeout. */
const settled = () =>
  eventually('no message is in flight', 300_000, async () => {
    const { queues } = (await stack.local('GET', '/_local/queues')).body;
    return queues.every(({ in_flight }: Json) => in_flight === 0) ? true : null;
  });

test(
  'signs with both secrets after a rotation and redelivers the same id and bytes',
  async () => {
    const hook = await register('rotates');
    const delivery = await sendTest(hook);
    const [before] = await requestsOf(hook, 1);
    new Verifier(hook.secret).verify(before!.body, before!.headers);
    await attempted(hook, delivery, 1);

    const rotated = (await stack.api('POST', `/webhooks/${hook.id}/rotate-secret`)).body;
    const redelivery = await stack.api('POST', `/webhooks/${hook.id}/deliveries/${delivery}/redeliver`);
    expect(redelivery.body.delivery).toMatchObject({ redelivery_of: delivery, status: 'pending' });
    const [, after] = await requestsOf(hook, 2);
    expect(after!.body).toBe(before!.body);
    expect(after!.headers['webhook-id']).toBe(before!.headers['webhook-id']);
    for (const secret of [hook.secret, rotated.signing_secret]) {
      new Verifier(secret).verify(after!.body, after!.headers);
    }
    expect(after!.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
  },
  TEST_MS,
);

test(
  'disables a webhook after 410; after enabling it, redelivers the missed event',
  async () => {
    const hook = await register('gone', [410, 200]);
    const delivery = await sendTest(hook);
    expect(await attempted(hook, delivery, 1)).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(await hook.state()).toMatchObject({ active: false, disabled_reason: 'gone' });
    expect((await stack.api('POST', `/webhooks/${hook.id}/test`)).status).toBe(409);

    await stack.api('PATCH', `/webhooks/${hook.id}`, { active: true });
    expect(await hook.state()).toMatchObject({ active: true, disabled_reason: null });
    const redelivery = await stack.api('POST', `/webhooks/${hook.id}/deliveries/${delivery}/redeliver`);
    expect(await attempted(hook, redelivery.body.delivery.id, 1)).toMatchObject({ status: 'delivered' });
    const [missed, redelivered] = await hook.received();
    expect(redelivered!.body).toBe(missed!.body);
  },
  TEST_MS,
);

test(
  'sends the data of the post record to the webhooks subscribed to the event',
  async () => {
    const all = await register('all');
    const failures = await register('failures', [200], ['post.failed']);
    const eventsOf = async (hook: Hook, count: number): Promise<Json[]> =>
      (await requestsOf(hook, count)).map(({ body }) => JSON.parse(body));
    const record = async (id: string) => {
      const post = await read(stack, id);
      return { post, x: post.destinations[0] };
    };
    const failNextPost = (status: number) =>
      stack.control('POST', '/_control/faults', {
        platform: 'x',
        method: 'POST',
        path: '/2/tweets',
        respond: { status, body: {} },
        times: 1,
      });
    const errorFields = ({ code, message }: Json) => ({ code, message });

    await failNextPost(429);
    const id = await create(stack, { platforms: ['x'], description: 'Rate limited once, then published' });
    const common = { post_id: id, profile_name: 'Demo', platform: 'x' };
    const [retry] = await eventsOf(all, 1);
    const before = await record(id);
    expect(retry).toMatchObject({ event: 'post.retry', id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(retry.data).toEqual({
      ...common,
      scheduled_at: before.post.created_at,
      attempt: 1,
      next_attempt_at: before.x.next_attempt_at,
      error: errorFields(before.x.error),
    });

    await settled();
    await stack.advance((Date.parse(before.x.next_attempt_at) - Date.parse(retry.timestamp)) / 1000 + 1);
    const [, published] = await eventsOf(all, 2);
    const { post, x } = await record(id);
    expect(published.data).toEqual({
      ...common,
      platform_post_id: x.platform_post_id,
      platform_post_url: x.platform_post_url,
      scheduled_at: post.created_at,
      published_at: x.published_at,
    });
    expect(post.published_at).toBe(x.published_at);

    await failNextPost(400);
    const rejected = await create(stack, { platforms: ['x'], description: 'Rejected for good' });
    const [failed] = await eventsOf(failures, 1);
    const { x: dead } = await record(rejected);
    expect(failed.data).toEqual({
      ...common,
      post_id: rejected,
      scheduled_at: expect.any(String),
      failed_at: failed.timestamp,
      attempts: 1,
      error: errorFields(dead.error),
    });
    expect((await eventsOf(all, 3)).map(({ event }) => event)).toEqual([
      'post.retry',
      'post.published',
      'post.failed',
    ]);
    for (const event of await eventsOf(all, 3)) v.parse(eventSchema(event.event), event);
    expect((await failures.received()).map(({ headers }) => headers['x-service-event'])).toEqual([
      'post.failed',
    ]);
    for (const { id: hook } of [all, failures]) await stack.api('DELETE', `/webhooks/${hook}`);
  },
  TEST_MS,
);

test(
  'retries after 5 s and 5 min through the queue and after 30 min through a schedule, which is deleted',
  async () => {
    const hook = await register('fails', [500, 503, 429, 200]);
    const delivery = await sendTest(hook);
    const schedules = async (): Promise<Json[]> =>
      (await stack.local('GET', '/_local/schedules')).body.schedules;
    /** Seconds from an attempt to the next, which may already have been made. */
    const delayAfter = async (failed: number) => {
      const { next_attempt_at, attempts } = await attempted(hook, delivery, failed);
      const [last, next] = attempts.slice(failed - 1);
      return (Date.parse(next?.at ?? next_attempt_at) - Date.parse(last.at)) / 1000;
    };
    const MARGIN_S = 2;
    for (const [failed, seconds] of [5, 300].entries()) {
      const delay = await delayAfter(failed + 1);
      expect(delay).toBeGreaterThanOrEqual(seconds);
      // On a busy machine the duration of the attempt adds up.
      expect(delay).toBeLessThan(1.2 * seconds + 60);
      expect(await schedules()).toEqual([]);
      await settled();
      await stack.advance(1.2 * seconds + MARGIN_S);
    }
    expect(await delayAfter(3)).toBeGreaterThanOrEqual(1800);
    await eventually('the schedule exists', 300_000, async () =>
      (await schedules()).length === 1 ? true : null,
    );
    await stack.advance(1.2 * 1800 + MARGIN_S);
    expect(await attempted(hook, delivery, 4)).toMatchObject({
      status: 'delivered',
      attempts: [{ status_code: 500 }, { status_code: 503 }, { status_code: 429 }, { status_code: 200 }],
    });
    const all = await hook.received();
    expect(new Set(all.map(({ body }) => body)).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await schedules()).toEqual([]);
  },
  TEST_MS,
);

test(
  'delivers 20 events of posts published by cold functions',
  async () => {
    const hook = await register('cold', [200], ['post.published']);
    const posts: string[] = [];
    while (posts.length < 20) {
      posts.push(
        await create(stack, { platforms: ['telegram'], description: `Cold start ${posts.length + 1}` }),
      );
      if (posts.length % 4 !== 0) continue;
      await requestsOf(hook, posts.length);
      // Work that a function did not await would be frozen with it and lost here.
      await stack.local('DELETE', '/_local/environments');
    }
    const ids = (await hook.received()).map(({ body }) => JSON.parse(body).data.post_id);
    expect(ids.toSorted()).toEqual(posts.toSorted());
  },
  TEST_MS,
);
