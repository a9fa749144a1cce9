import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { drive } from '../../test/support/drive.ts';
import type { AnyGrant } from '../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../test/support/sandbox-host.ts';
import { createTestTable, type TestTable } from '../../test/support/table.ts';
import { connect, fakeVideo, jobOf, optionsOf } from '../../test/support/x.ts';
import { openQuota } from './quota.ts';
import { MINUTE } from '../time/instant.ts';
import type { PublishJob } from '../platforms/contract/publisher.ts';
import { publisher } from '../platforms/x/publish.ts';
import { sandbox } from '../platforms/x/sandbox/server.ts';

let host: TestSandbox;
let table: TestTable;
let grant: AnyGrant;
let posts = 0;
beforeAll(async () => {
  [host, table] = await Promise.all([startSandboxHost(sandbox), createTestTable()]);
});
afterAll(() => Promise.all([host.close(), table.close()]));
beforeEach(async () => void (grant = await connect(host)));

const NO_CREDITS = { status: 402, body: '{"title":"CreditsDepleted","detail":"no credits"}' };

/** Publishes for an account of an app. */
function publishAs(client_id: string, account_id: string, more: Partial<PublishJob> = {}) {
  const quota = openQuota({ table, now: host.now }, { app: { client_id }, account_id }, 'x');
  const job = jobOf(host, grant, { description: `Post ${(posts += 1)} of ${account_id}`, ...more });
  return drive(publisher, job, { ...optionsOf(host, grant), quota });
}

test('402 pauses every account of the app for 15 minutes, and no other app', async () => {
  host.failNext({ match: /\/2\/tweets$/, respond: NO_CREDITS });
  const rejected = { kind: 'rejected', code: 'QUOTA_EXHAUSTED' };
  await expect(publishAs('poor', 'a')).rejects.toMatchObject(rejected);
  const sent = host.traffic.length;
  const waits = { kind: 'rate_limited', code: 'QUOTA_EXHAUSTED', retryAfterMs: 15 * MINUTE };
  const clip = host.addMedia('clip', fakeVideo(1_000_000));
  await expect(publishAs('poor', 'b')).rejects.toMatchObject(waits);
  await expect(publishAs('poor', 'c', { post_type: 'video', media_urls: [clip] })).rejects.toMatchObject(
    waits,
  );
  expect(host.traffic).toHaveLength(sent);
  await publishAs('rich', 'd');
  host.advance(15 * MINUTE);
  await publishAs('poor', 'b');
});

test('a refusal that concerns one post pauses nothing', async () => {
  host.failNext({ match: /\/2\/tweets$/, respond: { status: 403, body: '{"detail":"Not permitted."}' } });
  await expect(publishAs('app', 'a')).rejects.toMatchObject({ code: 'CONTENT_REJECTED' });
  await publishAs('app', 'b');
});
