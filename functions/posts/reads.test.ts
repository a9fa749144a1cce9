import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../shared/model/id.ts';
import { putConnection } from '../../shared/store/connections.ts';
import { createProfile } from '../../shared/store/profiles.ts';
import { fakeQueues } from '../../test/support/queue-messages.ts';
import { servedApi, type ApiAnswer, type ServedApi } from '../../test/support/served-api.ts';
import { routes } from './routes.ts';

let api: ServedApi;
beforeAll(async () => {
  const scheduler = { send: () => Promise.resolve({}) } as unknown as SchedulerClient;
  api = await servedApi(routes, { plan: 'starter', services: { ...fakeQueues(), scheduler } });
  const profile = {
    id: newId(),
    workspace_id: api.workspace.workspace_id,
    profile_name: 'Acme',
    username: 'acme',
    created_by: null,
    created_at: 1,
  };
  await createProfile(api.services.table, profile);
  await putConnection(api.services.table, {
    id: newId(),
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform: 'facebook',
    way: 'default',
    platform_user_id: 'u1',
    display_name: 'Acme',
    username: 'acme',
    avatar_url: null,
    scopes: [],
    attributes: {},
    sealed: 'nobody opens this',
    revision: 1,
    renew_at: null,
    token_expires_at: null,
    needs_reconnect: false,
    needs_target: false,
    renewal_lease_until: null,
    connected_at: 1,
  });
});
afterAll(() => api.close());

/** Sends a request as a well-behaved client does: after a 429 of the rate limit, again after `Retry-After`. */
async function withRetries(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const answer = await send();
  if (answer.body.code !== 'RATE_LIMITED') return answer;
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe(String(answer.body.retry_after));
  api.clock.now += answer.body.retry_after * 1000;
  return withRetries(send);
}

const publish = () =>
  withRetries(() =>
    api.call('POST', '/posts', {
      profile_name: 'Acme',
      post_type: 'text',
      platforms: ['facebook'],
      description: `Post ${crypto.randomUUID()}`,
    }),
  );

test('300 reads do not count against the daily cap, only posts do', async () => {
  const begun = api.clock.now;
  for (let read = 0; read < 300; read += 1) {
    expect((await withRetries(() => api.call('GET', '/posts'))).status).toBe(200);
  }
  // A Starter key may send 60 requests at once, and then one a second.
  expect(api.clock.now - begun).toBeGreaterThanOrEqual(230_000);

  for (let post = 0; post < 25; post += 1) expect((await publish()).status).toBe(201);
  const beyond = await publish();
  expect(beyond).toMatchObject({
    status: 429,
    body: { violations: [{ platform: 'facebook', type: 'hard_cap', used_last_24h: 25, cap: 25 }] },
  });
  expect(beyond.body.code).toBeUndefined();
});
