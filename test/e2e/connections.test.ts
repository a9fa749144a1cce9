import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localClientConfig } from '../../local/aws/tables.ts';
import { loadKeyRing, unseal } from '../../shared/aws/key-ring.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { create, eventually, finalPost, media, traffic, lastSeq } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/*
 * Connects, renews and disconnects accounts through the whole stack. The last test searches everything that the stack
 * wrote in this run for every secret that it had.
 */

const TEST_MS = 600_000;
/** Longer than a state is valid. */
const STATE_EXPIRED_S = 601;
/** Longer than the rate-limit window of any platform that sends no reset time. */
const RATE_WINDOW_S = 1000;
/** Loopback pages are allowed as redirect without a setting. */
const PAGE = 'http://localhost:8080/done?tab=1';

const data = mkdtempSync(join(tmpdir(), 'connections-'));
let stack: TestStack;
/** Bodies and headers of all responses of the API, except those that show a secret once. */
const responses: string[] = [];
/** Fields of credentials that are no secret. */
const PUBLIC_FIELDS = new Set(['login']);
/** Secrets by name. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  stack = await startStack({ data });
  const { api } = stack;
  stack.api = async (...request) => {
    const answer = await api<never>(...request);
    responses.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };
  await collectSecrets('at the start');
});
afterAll(async () => {
  await stack.close();
  rmSync(data, { recursive: true, force: true });
});

/** Opens all stored credentials with the stack's key ring and collects their secrets. */
async function collectSecrets(when: string): Promise<void> {
  const { aws_endpoint, table, parameter_prefix } = JSON.parse(
    readFileSync(join(data, 'stack.json'), 'utf8'),
  );
  const dynamo = new DynamoDBClient(localClientConfig(aws_endpoint));
  const ssm = new SSMClient(localClientConfig(aws_endpoint));
  try {
    const ring = await loadKeyRing(ssm, parameter_prefix);
    const client = DynamoDBDocumentClient.from(dynamo);
    const accounts = await listConnections({ name: table, client }, stack.workspace_id);
    for (const { id, platform, sealed } of accounts) {
      const credentials: Record<string, unknown> = JSON.parse(unseal(ring, id, sealed));
      for (const [name, value] of Object.entries(credentials)) {
        if (typeof value === 'string' && !PUBLIC_FIELDS.has(name))
          secrets.set(`${name} of ${platform} ${when}`, value);
      }
    }
  } finally {
    dynamo.destroy();
    ssm.destroy();
  }
}

async function tableText(): Promise<string> {
  const { aws_endpoint, table } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'));
  const dynamo = new DynamoDBClient(localClientConfig(aws_endpoint));
  try {
    const client = DynamoDBDocumentClient.from(dynamo);
    let text = '';
    let start: Record<string, unknown> | undefined;
    do {
      const page = await client.send(new ScanCommand({ TableName: table, ExclusiveStartKey: start }));
      text += JSON.stringify(page.Items);
      start = page.LastEvaluatedKey;
    } while (start);
    return text;
  } finally {
    dynamo.destroy();
  }
}

const begin = async (body: Json = {}): Promise<Json> =>
  (await stack.api('POST', '/integrations/x/connect', { profile_name: 'Demo', ...body })).body;

/** Answers the consent page as a user and returns the callback URL to which the platform redirects. */
async function consent({ authorize_url }: Json, choice: 'allow' | 'deny'): Promise<string> {
  const answer = await fetch(`${authorize_url}&auto=${choice}`, { redirect: 'manual' });
  const back = answer.headers.get('location')!;
  const code = new URL(back).searchParams.get('code');
  if (code !== null) secrets.set(`code ${code.slice(0, 4)}`, code);
  return back;
}

async function follow(url: string): Promise<{ status: number; location: string | null; body: Json }> {
  const answer = await fetch(url, { redirect: 'manual' });
  const text = await answer.text();
  responses.push(JSON.stringify([...answer.headers, text]));
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    body: text === '' ? null : JSON.parse(text),
  };
}

const accountOf = async (platform: string): Promise<Json> =>
  (await stack.api('GET', '/integrations')).body.accounts.find((each: Json) => each.platform === platform);

describe('an account of a platform with a consent page', () => {
  test('is connected when the user allows it, and redirects to redirect_url', async () => {
    const before = await accountOf('x');
    const back = await follow(await consent(await begin({ redirect_url: PAGE }), 'allow'));
    expect([back.status, back.location]).toEqual([302, `${PAGE}&status=connected&platform=x`]);
    // The same account keeps its id.
    expect(await accountOf('x')).toMatchObject({ id: before.id, active: true, username: before.username });
    await collectSecrets('connected again');
  });

  test('refuses a redirect_url that is not on the allowlist', async () => {
    expect(await begin({ redirect_url: 'https://app.example.com/done' })).toMatchObject({
      details: [{ field: 'redirect_url' }],
    });
  });

  test('responds with JSON when no redirect_url was given', async () => {
    const back = await follow(await consent(await begin(), 'allow'));
    expect(back).toMatchObject({ status: 200, body: { status: 'connected', account: { platform: 'x' } } });
    const refused = await follow(await consent(await begin(), 'deny'));
    expect(refused).toMatchObject({ status: 400, body: { status: 'failed', reason: 'access_denied' } });
  });

  test('is not connected when the user denies it', async () => {
    const before = await accountOf('x');
    const back = await follow(await consent(await begin({ redirect_url: PAGE }), 'deny'));
    expect([back.status, back.location]).toEqual([
      302,
      `${PAGE}&status=failed&platform=x&reason=access_denied`,
    ]);
    expect(await accountOf('x')).toEqual(before);
  });

  test('refuses a state that was used, has expired, is forged or belongs to another platform', async () => {
    const used = await consent(await begin(), 'allow');
    expect((await follow(used)).status).toBe(200);
    const foreign = (await consent(await begin(), 'allow')).replace('/x/callback', '/bluesky/callback');
    const forged = (await consent(await begin(), 'allow')).replace(/state=[^&.]{4}/, 'state=AAAA');
    const late = await consent(await begin(), 'allow');
    await stack.advance(STATE_EXPIRED_S);
    for (const url of [used, foreign, forged, late, `${stack.base_url}/integrations/x/callback`]) {
      expect(await follow(url)).toMatchObject({ status: 400, body: { code: 'BAD_STATE' } });
    }
  });

  test('is not connected with an invalid code', async () => {
    const url = (await consent(await begin({ redirect_url: PAGE }), 'allow')).replace(
      /code=[^&]+/,
      'code=no',
    );
    const back = await follow(url);
    expect(back.status).toBe(302);
    expect(back.location).toMatch(
      /status=failed&platform=x&reason=token_expired&message=X\+refused\+the\+grant/,
    );
  });

  test(
    'is kept as it is when a new consent returns no refresh token',
    async () => {
      const grant = { token_type: 'bearer', expires_in: 7200, access_token: 'fresh-but-unknown', scope: '' };
      secrets.set('access token of x from a grant without refresh token', grant.access_token);
      const before = await accountOf('x');
      const url = await consent(await begin(), 'allow');
      await stack.control('POST', '/_control/faults', {
        platform: 'x',
        path: '/2/oauth2/token',
        respond: { status: 200, body: grant },
      });
      expect(await follow(url)).toMatchObject({
        status: 400,
        body: { status: 'failed', reason: 'permission_missing' },
      });
      expect(await accountOf('x')).toEqual(before);
      const id = await create(stack, {
        platforms: ['x'],
        description: 'After a consent without refresh token',
      });
      expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
    },
    TEST_MS,
  );
});

describe('a profile name in a query', () => {
  const NAME = '@A&B + C/Ñ #1 100%';

  test('may contain any character', async () => {
    await stack.api('POST', '/agency/profiles', { username: 'signs', profile_name: NAME });
    const encoded = encodeURIComponent(NAME);
    for (const query of [encoded, encoded.replaceAll('%20', '+')]) {
      const targets = await stack.api('GET', `/integrations/telegram/targets?profile_name=${query}`);
      expect([targets.status, targets.body]).toEqual([200, { targets: [], total: 0 }]);
    }
    // An unencoded plus is a space, so the name does not match.
    const other = await stack.api(
      'GET',
      `/integrations/telegram/targets?profile_name=${encoded.replaceAll('%2B', '+')}`,
    );
    expect(other.status).toBe(404);
  });
});

describe('a renewal', () => {
  const REFRESH = { x: '/2/oauth2/token', bluesky: 'com\\.atproto\\.server\\.refreshSession' };

  /** Publishes with an expired token and a fault at its renewal, then advances the clock to the retry. */
  async function publishUnder(platform: 'x' | 'bluesky', fault: Json, text: string): Promise<Json> {
    await stack.control('POST', '/_control/tokens', { platform, action: 'expire' });
    await stack.control('POST', '/_control/faults', { platform, path: REFRESH[platform], ...fault });
    const id = await create(stack, { platforms: [platform], description: text });
    await eventually('the renewal was tried', 300_000, async () => {
      const post = (await stack.api('GET', `/posts/${id}`)).body;
      return ['retrying', 'published', 'failed'].includes(post.destinations[0].status) ? true : null;
    });
    await stack.advance(RATE_WINDOW_S);
    return finalPost(stack, id);
  }

  test.each([
    ['bluesky', 'whose response is lost', { drop: 'after' }],
    ['x', 'whose request is lost', { drop: 'before' }],
    ['x', 'that fails with 429', { respond: { status: 429, body: {} } }],
    ['x', 'that fails with 503', { respond: { status: 503, body: {} } }],
  ] as const)(
    'at %s %s loses neither the account nor the post',
    async (platform, name, fault) => {
      const since = await lastSeq(stack);
      const post = await publishUnder(platform, fault, `${platform} ${name}`);
      expect(post).toMatchObject({ status: 'published' });
      expect(await accountOf(platform)).toMatchObject({ active: true, needs_reconnect: false });
      const renewals = (await traffic(stack, since)).filter(({ url }) =>
        new RegExp(REFRESH[platform]).test(url),
      );
      expect(renewals.length).toBeGreaterThan(1);
      await collectSecrets(`after a renewal ${name}`);
    },
    TEST_MS,
  );
});

describe('a renewal at X whose response is lost', () => {
  test(
    'disconnects the account, whose refresh token is used up; after a new consent the post can be retried',
    async () => {
      await stack.control('POST', '/_control/tokens', { platform: 'x', action: 'expire' });
      await stack.control('POST', '/_control/faults', {
        platform: 'x',
        path: '/2/oauth2/token',
        drop: 'after',
      });
      const id = await create(stack, { platforms: ['x'], description: 'Rotated, and the response was lost' });
      await eventually('the renewal was tried', 300_000, async () => {
        const post = (await stack.api('GET', `/posts/${id}`)).body;
        return ['retrying', 'failed'].includes(post.destinations[0].status) ? true : null;
      });
      await stack.advance(RATE_WINDOW_S);
      expect((await finalPost(stack, id)).destinations).toMatchObject([
        {
          status: 'failed',
          error: {
            code: 'TOKEN_EXPIRED',
            category: 'token',
            message: expect.stringContaining('X refused the grant'),
            remedy: 'Reconnect the account, then retry the post.',
          },
        },
      ]);
      expect(await accountOf('x')).toMatchObject({ active: false, needs_reconnect: true });

      expect((await follow(await consent(await begin(), 'allow'))).status).toBe(200);
      expect(await accountOf('x')).toMatchObject({ active: true, needs_reconnect: false });
      expect((await stack.api('POST', `/posts/${id}/retry`)).status).toBe(202);
      await eventually('the post is live', 300_000, async () =>
        (await stack.api('GET', `/posts/${id}`)).body.status === 'published' ? true : null,
      );
      await collectSecrets('after a lost renewal');
    },
    TEST_MS,
  );
});

describe('fifty simultaneous posts', () => {
  const DAY_S = 25 * 3600;

  test(
    'with an expired token cause one renewal and are published',
    async () => {
      const renewals = async (since: number) =>
        (await traffic(stack, since)).filter(({ url }) => url.endsWith('/2/oauth2/token'));
      const before = await lastSeq(stack);
      // Start a new 24-hour window: fifty posts are X's daily cap.
      await stack.advance(DAY_S);
      // The token expired within that day; wait for its scheduled renewal, so that it is not counted.
      await eventually('the account is renewed', 300_000, async () =>
        (await renewals(before)).length > 0 && (await accountOf('x')).active ? true : null,
      );
      await stack.control('POST', '/_control/tokens', { platform: 'x', action: 'expire' });
      const since = await lastSeq(stack);
      const texts = Array.from({ length: 50 }, (_, index) => `Simultaneous, number ${index}`);
      const ids = await Promise.all(
        texts.map(description => create(stack, { platforms: ['x'], description })),
      );
      for (const id of ids) expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
      expect(await renewals(since)).toHaveLength(1);
      await stack.advance(DAY_S);
    },
    2 * TEST_MS,
  );
});

describe('the output of the stack', () => {
  const PUBLIC_TEXT = 'Public text that the search must find';

  test(
    'contains no secret',
    async () => {
      const key = await fetch(`${stack.base_url}/api-keys`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stack.api_key}`,
          'content-type': 'application/json',
          'idempotency-key': 'a key that is shown once',
        },
        body: '{"name":"Searched"}',
      });
      secrets.set('API key', ((await key.json()) as Json).key);
      secrets.set('API key of the owner', stack.api_key);
      const hook = await fetch(`${stack.base_url}/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secrets.get('API key')!}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `${stack.sandbox_url}/_receiver/searched` }),
      });
      secrets.set('signing secret', ((await hook.json()) as Json).signing_secret);
      const demo = (await stack.control('GET', '/_control/demo')).body;
      for (const [platform, login] of Object.entries<Json>(demo)) {
        for (const name of ['bot_token', 'app_password']) {
          if (login[name]) secrets.set(`${name} of ${platform}`, login[name]);
        }
      }
      // A wrong password, and a post to every platform whose events are sent.
      const wrong = { profile_name: 'Demo', identifier: 'demo.test', app_password: 'abcd-efgh-ijkl-mnop' };
      secrets.set('wrong password', wrong.app_password);
      expect((await stack.api('POST', '/integrations/bluesky/connect', wrong)).status).toBe(400);
      const platforms = ['x', 'bluesky', 'telegram'];
      const id = await create(stack, {
        post_type: 'image',
        media_urls: [media(stack, 'photo.jpg')],
        platforms,
        description: PUBLIC_TEXT,
      });
      expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
      await eventually('the events have arrived', 300_000, async () => {
        const { body } = await stack.control('GET', '/_control/receiver/searched');
        return body.deliveries.length >= platforms.length ? true : null;
      });
      const bluesky = await accountOf('bluesky');
      expect((await stack.api('DELETE', `/integrations/${bluesky.id}`)).status).toBe(204);

      const written: Record<string, string> = {
        'API responses': responses.join('\n'),
        'function logs': JSON.stringify((await stack.local('GET', '/_local/logs')).body),
        schedules: JSON.stringify((await stack.local('GET', '/_local/schedules')).body),
        traffic: await (await fetch(`${stack.sandbox_url}/_control/traffic`)).text(),
        'received events': JSON.stringify((await stack.control('GET', '/_control/receiver/searched')).body),
        'table items': await tableText(),
        ...filesOf(data),
      };
      expect(secrets.size).toBeGreaterThan(15);
      expect(secretsIn(written)).toEqual([]);
      // Make sure that the search works.
      for (const source of ['API responses', 'traffic', 'table items'])
        expect(written[source]).toContain(PUBLIC_TEXT);
      for (const source of ['function logs', 'table items', 'API responses']) {
        expect(written[source]).toContain(stack.workspace_id);
      }
      expect(Object.keys(written).filter(name => name.includes('.log')).length).toBeGreaterThan(5);
      expect(Object.values(filesOf(data)).join('')).toContain(id);
      secrets.set('no secret', id);
      expect(secretsIn(written)).toContain('no secret in table items');
    },
    TEST_MS,
  );

  function secretsIn(written: Record<string, string>): string[] {
    return Object.entries(written).flatMap(([source, text]) =>
      [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => `${name} in ${source}`),
    );
  }
});

/** Files that contain secrets by design: the owner's key for tools, and the SSM parameters. */
const SECRET_FILES = /^(local\.json|stack\.json|local\.sqlite.*)$/;

/** Returns all files of the stack by name: logs, queues with their messages, the database. */
function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !SECRET_FILES.test(entry.name),
  );
  return Object.fromEntries(
    files.map(entry => [
      `file ${entry.name}`,
      readFileSync(join(entry.parentPath, entry.name)).toString('latin1'),
    ]),
  );
}
