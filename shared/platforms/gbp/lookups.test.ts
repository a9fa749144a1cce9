import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectedAccount, type AnyGrant } from '../../../test/support/connectors.ts';
import { connect, targetsOf } from '../../../test/support/gbp.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import { unlimitedQuota } from '../../../test/support/unlimited-quota.ts';
import type { Target } from '../contract/connector.ts';
import { lookups } from './lookups.ts';
import { sandbox } from './sandbox/server.ts';
import { APP } from './sandbox/state.ts';

let host: TestSandbox;
let grant: AnyGrant;
let target: Target;
beforeAll(async () => {
  host = await startSandboxHost(sandbox);
  grant = await connect(host);
  target = (await targetsOf(host, grant))[0]!;
});
afterAll(() => host.close());

const insights = (input: object, more: { target?: Target | null } = {}) =>
  lookups[0]!.run({ ...connectedAccount(grant, { app: APP }), target, ...more }, input, {
    http: host.http,
    now: host.now,
    quota: unlimitedQuota(),
  });

test('returns the metrics of the default location by day, and their sums', async () => {
  const counts = { call_clicks: 1, website_clicks: 1, direction_requests: 1, menu_clicks: 1, bookings: 0 };
  expect(await insights({ start_date: '2026-01-31', end_date: '2026-02-02' })).toMatchObject({
    location_id: '12341542785316514841',
    start_date: '2026-01-31',
    end_date: '2026-02-02',
    total: { impressions_maps: 6, impressions_search: 6, website_clicks: 3, bookings: 0 },
    days: [
      { date: '2026-01-31', impressions_maps: 0, website_clicks: 0 },
      { date: '2026-02-01', impressions_maps: 2, impressions_search: 2, ...counts },
      { date: '2026-02-02', impressions_maps: 4 },
    ],
  });
});

test('reads the last 30 days that Google has figures of', async () => {
  expect(await insights({})).toMatchObject({ start_date: '2026-01-29', end_date: '2026-02-27' });
});

test('takes a location by any of its names, and requires one', async () => {
  const id = '12341542785316514841';
  for (const location_id of [id, `locations/${id}`, `accounts/1/locations/${id}`]) {
    expect(await insights({ location_id }, { target: null })).toMatchObject({ location_id: id });
  }
  await expect(insights({}, { target: null })).rejects.toMatchObject({ kind: 'rejected' });
});

test.each([
  ['an end before the start', { start_date: '2026-02-02', end_date: '2026-02-01' }, 'CONTENT_REJECTED'],
  ['too many days', { start_date: '2020-02-02', end_date: '2026-02-01' }, 'CONTENT_REJECTED'],
  ['an unknown location', { location_id: '1' }, 'CONTENT_REJECTED'],
])('rejects %s', async (_, input, code) => {
  await expect(insights(input)).rejects.toMatchObject({ kind: 'rejected', code });
});
