import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { drive } from '../../../test/support/drive.ts';
import {
  COMMUNITY_APP,
  connect,
  jobOf,
  optionsOf,
  PAGE,
  SELF_SERVE_APP,
} from '../../../test/support/linkedin.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { AppCredentials, Target } from '../contract/connector.ts';
import { insights } from './insights.ts';
import { publisher } from './publish.ts';
import { sandbox } from './sandbox/server.ts';

let host: TestSandbox;
let grant: AnyGrant;
beforeAll(async () => void (host = await startSandboxHost(sandbox)));
afterAll(() => host.close());
beforeEach(async () => {
  host.platform.reset();
  grant = await connect(host);
});

const publish = async (target: Target | null) =>
  (await drive(publisher, jobOf(host, grant), { ...optionsOf(host, grant), target })).post.platform_post_id;

const read = (ids: readonly string[], target: Target | null, app: AppCredentials = COMMUNITY_APP) =>
  insights.read(
    {
      http: host.http,
      account: { platform_user_id: '782bbtaQ', username: null, attributes: grant.attributes },
      authorize: () => Promise.resolve({ credentials: grant.credentials, app, target }),
      now: host.now,
    },
    ids,
  );

const COUNTS = { likes: 2, comments: 3, shares: 4, views: 50 };
const ZERO = { likes: 0, comments: 0, shares: 0, views: 0 };

describe('metrics of an organization', () => {
  test('are read for many posts of both types in one request; posts without activity have zeros', async () => {
    const share = await publish(PAGE);
    host.platform.change?.('app', { swapped_urns: true });
    const ugc = await publish(PAGE);
    const quiet = await publish(PAGE);
    host.setMetrics(share, COUNTS);
    host.setMetrics(ugc, { ...COUNTS, likes: 7 });
    const before = host.traffic.length;
    expect(await read([share, ugc, quiet], PAGE)).toEqual(
      new Map([
        [share, COUNTS],
        [ugc, { ...COUNTS, likes: 7 }],
        [quiet, ZERO],
      ]),
    );
    expect(host.traffic.length).toBe(before + 1);
    expect(host.traffic.at(-1)?.url).toContain(`&shares=List(${encodeURIComponent(share)})&ugcPosts=List(`);
  });

  test('are not read for other roles than the administrator, and missing where the role was taken away', async () => {
    const id = await publish(PAGE);
    const before = host.traffic.length;
    const editor = { ...PAGE, attributes: { role: 'CONTENT_ADMINISTRATOR' } };
    expect(await read([id], editor)).toEqual(new Map());
    expect(host.traffic.length).toBe(before);
    host.platform.change?.('demo', { roles: { 2414183: 'CONTENT_ADMINISTRATOR' } });
    expect(await read([id], PAGE)).toEqual(new Map());
  });

  test.each([
    [401, {}, { kind: 'token_expired' }],
    [429, { message: 'MEMBER DAY' }, { kind: 'rate_limited' }],
    [503, {}, { kind: 'transient' }],
    [200, { elements: [{ share: 'x' }] }, { kind: 'transient' }],
  ])('fail after the response %i %j with %j', async (status, body, error) => {
    host.failNext({ match: /ShareStatistics/, respond: { status, body: JSON.stringify(body) } });
    await expect(read(['urn:li:share:1'], PAGE)).rejects.toMatchObject(error);
  });
});

describe('metrics of a member', () => {
  test.each(['202609', '202604'])('are read one by one with version %s', async api_version => {
    const id = await publish(null);
    host.setMetrics(id, COUNTS);
    host.platform.change?.('app', { first_version: '202601' });
    const before = host.traffic.length;
    expect(await read([id], null, { ...COMMUNITY_APP, api_version })).toEqual(new Map([[id, COUNTS]]));
    expect(host.traffic.slice(before).map(({ url }) => new URL(url).searchParams.get('queryType'))).toEqual([
      'REACTION',
      'COMMENT',
      'RESHARE',
      'IMPRESSION',
    ]);
  });

  test('are zeros without activity', async () => {
    const id = await publish(null);
    expect(await read([id], null)).toEqual(new Map([[id, ZERO]]));
  });

  test('are missing without the permission, or with a self-serve app', async () => {
    const id = await publish(null);
    const app = { ...COMMUNITY_APP, extra_scopes: '' };
    for (const each of [app, SELF_SERVE_APP]) {
      grant = await connect(host, each);
      const before = host.traffic.length;
      expect(await read([id], null, each)).toEqual(new Map());
      expect(host.traffic.length).toBe(before);
    }
  });
});
