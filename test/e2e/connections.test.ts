import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localClient } from '../../local/aws/tables.ts';
import { loadKeyRing, open } from '../../shared/aws/key-ring.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { create, eventually, finalPost, media, traffic, lastSeq } from '../support/e2e.ts';
import { startStack, type Json, type TestStack } from '../support/stack.ts';

/*
 * Accounts come and go, and their tokens are renewed, over the whole stack. At last everything that the stack wrote in
 * this run is searched for every secret that it had.
 */

const TEST_MS = 280_000;
/** Longer than a state lives. */
const LATER_S = 601;
/** Longer than any platform keeps callers away without saying for how long. */
const QUARTER_S = 1000;
/** Of the developer's own machine: the one place that needs no setting. */
const PAGE = 'http://localhost:8080/done?tab=1';

const data = mkdtempSync(join(tmpdir(), 'connections-'));
let stack: TestStack;
/** Bodies and headers of everything that the API answered but what shows a secret once. */
const answers: string[] = [];
/** Secrets by what they are. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  stack = await startStack({ data });
  const { api } = stack;
  stack.api = async (...request) => {
    const answer = await api<never>(...request);
    answers.push(JSON.stringify([...answer.headers, answer.body]));
    return answer;
  };
  await learnSecrets('at the start');
});
afterAll(async () => {
  await stack.close();
  rmSync(data, { recursive: true, force: true });
});

/** Opens the vault as only the stack's own key ring can, and remembers what is in it. */
async function learnSecrets(when: string): Promise<void> {
  const { aws_endpoint, table, parameter_prefix } = JSON.parse(
    readFileSync(join(data, 'stack.json'), 'utf8'),
  );
  const dynamo = new DynamoDBClient(localClient(aws_endpoint));
  const ssm = new SSMClient(localClient(aws_endpoint));
  try {
    const ring = await loadKeyRing(ssm, parameter_prefix);
    const client = DynamoDBDocumentClient.from(dynamo);
    const accounts = await listConnections({ name: table, client }, stack.workspace_id);
    for (const { id, platform, sealed } of accounts) {
      const credentials: Record<string, string | null> = JSON.parse(open(ring, id, sealed));
      for (const [name, value] of Object.entries(credentials)) {
        if (value) secrets.set(`${name} of ${platform} ${when}`, value);
      }
    }
  } finally {
    dynamo.destroy();
    ssm.destroy();
  }
}

async function tableText(): Promise<string> {
  const { aws_endpoint, table } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'));
  const dynamo = new DynamoDBClient(localClient(aws_endpoint));
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

/** What the user's browser is told at the consent page: where to go back to. */
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
  answers.push(JSON.stringify([...answer.headers, text]));
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    body: text === '' ? null : JSON.parse(text),
  };
}

const accountOf = async (platform: string): Promise<Json> =>
  (await stack.api('GET', '/integrations')).body.accounts.find((each: Json) => each.platform === platform);

describe('an account of a platform with a consent page', () => {
  test('is connected when the user allows it, and the user is back where the caller said', async () => {
    const before = await accountOf('x');
    const back = await follow(await consent(await begin({ redirect_url: PAGE }), 'allow'));
    expect([back.status, back.location]).toEqual([302, `${PAGE}&status=connected&platform=x`]);
    // The same account keeps its id.
    expect(await accountOf('x')).toMatchObject({ id: before.id, active: true, username: before.username });
    await learnSecrets('connected again');
  });

  test('sends nobody to a page that the operator did not allow', async () => {
    expect(await begin({ redirect_url: 'https://app.example.com/done' })).toMatchObject({
      details: [{ field: 'redirect_url' }],
    });
  });

  test('without a page to go back to is told in the answer', async () => {
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

  test('takes a state once, of its own platform, for ten minutes, and none that was made up', async () => {
    const used = await consent(await begin(), 'allow');
    expect((await follow(used)).status).toBe(200);
    const foreign = (await consent(await begin(), 'allow')).replace('/x/callback', '/bluesky/callback');
    const forged = (await consent(await begin(), 'allow')).replace(/state=[^&.]{4}/, 'state=AAAA');
    const late = await consent(await begin(), 'allow');
    await stack.advance(LATER_S);
    for (const url of [used, foreign, forged, late, `${stack.base_url}/integrations/x/callback`]) {
      expect(await follow(url)).toMatchObject({ status: 400, body: { code: 'BAD_STATE' } });
    }
  });

  test('is not connected with a code that the platform does not know', async () => {
    const url = (await consent(await begin({ redirect_url: PAGE }), 'allow')).replace(
      /code=[^&]+/,
      'code=no',
    );
    const back = await follow(url);
    expect(back.status).toBe(302);
    expect(back.location).toMatch(/status=failed&platform=x&reason=\w+$/);
  });

  test(
    'keeps its refresh token when a new consent gives none',
    async () => {
      const grant = { token_type: 'bearer', expires_in: 7200, access_token: 'fresh-but-unknown', scope: '' };
      secrets.set('access token of x from a grant without refresh token', grant.access_token);
      const url = await consent(await begin(), 'allow');
      await stack.control('POST', '/_control/faults', {
        platform: 'x',
        path: '/2/oauth2/token',
        respond: { status: 200, body: grant },
      });
      await stack.control('POST', '/_control/faults', {
        platform: 'x',
        path: '/2/users/me',
        respond: {
          status: 200,
          body: { data: { id: (await accountOf('x')).platform_user_id, name: 'Demo', username: 'demo' } },
        },
      });
      expect((await follow(url)).status).toBe(200);
      // X does not know that access token: the refresh token that was there before gets the next one.
      const id = await create(stack, {
        platforms: ['x'],
        description: 'After a consent without refresh token',
      });
      expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
      await learnSecrets('renewed after a bare grant');
    },
    TEST_MS,
  );
});

describe('a profile that is named in a query', () => {
  const NAME = '@A&B + C/Ñ #1 100%';

  test('is found whatever signs its name has', async () => {
    await stack.api('POST', '/agency/profiles', { username: 'signs', profile_name: NAME });
    const asked = encodeURIComponent(NAME);
    for (const query of [asked, asked.replaceAll('%20', '+')]) {
      const targets = await stack.api('GET', `/integrations/telegram/targets?profile_name=${query}`);
      expect([targets.status, targets.body]).toEqual([200, { targets: [], total: 0 }]);
    }
    // A plus that is none stays one.
    const other = await stack.api(
      'GET',
      `/integrations/telegram/targets?profile_name=${asked.replaceAll('%2B', '+')}`,
    );
    expect(other.status).toBe(404);
  });
});

describe('the answer to a renewal', () => {
  const REFRESH = { x: '/2/oauth2/token', bluesky: 'com\\.atproto\\.server\\.refreshSession' };

  /** Publishes with a token that has ended, under a fault at its renewal; then it is time for the retry. */
  async function publishUnder(platform: 'x' | 'bluesky', fault: Json, text: string): Promise<Json> {
    await stack.control('POST', '/_control/tokens', { platform, action: 'expire' });
    await stack.control('POST', '/_control/faults', { platform, path: REFRESH[platform], ...fault });
    const id = await create(stack, { platforms: [platform], description: text });
    await eventually('the renewal was tried', 90_000, async () => {
      const post = (await stack.api('GET', `/posts/${id}`)).body;
      return ['retrying', 'published', 'failed'].includes(post.destinations[0].status) ? true : null;
    });
    await stack.advance(QUARTER_S);
    return finalPost(stack, id);
  }

  test.each([
    ['bluesky', 'lost on its way back', { drop: 'after' }],
    ['x', 'lost on the way there', { drop: 'before' }],
    ['x', 'that the platform is busy', { respond: { status: 429, body: {} } }],
    ['x', 'that the platform is down', { respond: { status: 503, body: {} } }],
  ] as const)(
    'of %s, %s, costs neither the account nor the post',
    async (platform, _, fault) => {
      const since = await lastSeq(stack);
      const post = await publishUnder(platform, fault, `${platform} ${_}`);
      expect(post).toMatchObject({ status: 'published' });
      expect(await accountOf(platform)).toMatchObject({ active: true, needs_reconnect: false });
      const asked = (await traffic(stack, since)).filter(({ url }) =>
        new RegExp(REFRESH[platform]).test(url),
      );
      expect(asked.length).toBeGreaterThan(1);
      await learnSecrets(`after an answer ${_}`);
    },
    TEST_MS,
  );
});

describe('the answer to a renewal that X gave and nobody heard', () => {
  test(
    'costs the connection, since X takes a refresh token once; a new consent heals account and post',
    async () => {
      await stack.control('POST', '/_control/tokens', { platform: 'x', action: 'expire' });
      await stack.control('POST', '/_control/faults', {
        platform: 'x',
        path: '/2/oauth2/token',
        drop: 'after',
      });
      const id = await create(stack, { platforms: ['x'], description: 'Rotated, and nobody heard of it' });
      await eventually('the renewal was tried', 90_000, async () => {
        const post = (await stack.api('GET', `/posts/${id}`)).body;
        return ['retrying', 'failed'].includes(post.destinations[0].status) ? true : null;
      });
      await stack.advance(QUARTER_S);
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
      await eventually('the post is live', 90_000, async () =>
        (await stack.api('GET', `/posts/${id}`)).body.status === 'published' ? true : null,
      );
      await learnSecrets('after a lost renewal');
    },
    TEST_MS,
  );
});

describe('fifty posts of one moment', () => {
  const DAY_S = 25 * 3600;

  test(
    'that meet a token which has ended cause one renewal, and are published',
    async () => {
      const renewals = async (since: number) =>
        (await traffic(stack, since)).filter(({ url }) => url.endsWith('/2/oauth2/token'));
      const before = await lastSeq(stack);
      // As many as X takes of an account in a day.
      await stack.advance(DAY_S);
      // The token ended within that day, and is renewed for no post: not among the fifty.
      await eventually('the account is renewed', 90_000, async () =>
        (await renewals(before)).length > 0 && (await accountOf('x')).active ? true : null,
      );
      await stack.control('POST', '/_control/tokens', { platform: 'x', action: 'expire' });
      const since = await lastSeq(stack);
      const texts = Array.from({ length: 50 }, (_, index) => `All of one moment, number ${index}`);
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

describe('everything that the stack wrote', () => {
  const WORDS = 'Words that may well be found';

  test(
    'holds no secret',
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
      // A wrong password, and a post to every platform whose events go out.
      const wrong = { profile_name: 'Demo', identifier: 'demo.test', app_password: 'abcd-efgh-ijkl-mnop' };
      secrets.set('wrong password', wrong.app_password);
      expect((await stack.api('POST', '/integrations/bluesky/connect', wrong)).status).toBe(400);
      const platforms = ['x', 'bluesky', 'telegram'];
      const id = await create(stack, {
        post_type: 'image',
        media_urls: [media(stack, 'photo.jpg')],
        platforms,
        description: WORDS,
      });
      expect(await finalPost(stack, id)).toMatchObject({ status: 'published' });
      await eventually('the events have come', 90_000, async () => {
        const { body } = await stack.control('GET', '/_control/receiver/searched');
        return body.deliveries.length >= platforms.length ? true : null;
      });
      const bluesky = await accountOf('bluesky');
      expect((await stack.api('DELETE', `/integrations/${bluesky.id}`)).status).toBe(204);

      const written: Record<string, string> = {
        'API answers': answers.join('\n'),
        'function logs': JSON.stringify((await stack.local('GET', '/_local/logs')).body),
        schedules: JSON.stringify((await stack.local('GET', '/_local/schedules')).body),
        traces: await (await fetch(`${stack.sandbox_url}/_control/traffic`)).text(),
        'received events': JSON.stringify((await stack.control('GET', '/_control/receiver/searched')).body),
        'table items': await tableText(),
        ...filesOf(data),
      };
      expect(secrets.size).toBeGreaterThan(15);
      expect(found(written)).toEqual([]);
      // The search finds what is there.
      for (const place of ['API answers', 'traces', 'table items']) expect(written[place]).toContain(WORDS);
      for (const place of ['function logs', 'table items', 'API answers']) {
        expect(written[place]).toContain(stack.workspace_id);
      }
      expect(Object.keys(written).filter(name => name.includes('.log')).length).toBeGreaterThan(5);
      expect(Object.values(filesOf(data)).join('')).toContain(id);
      secrets.set('no secret', id);
      expect(found(written)).toContain('no secret in table items');
    },
    TEST_MS,
  );

  function found(written: Record<string, string>): string[] {
    return Object.entries(written).flatMap(([place, text]) =>
      [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => `${name} in ${place}`),
    );
  }
});

/** Files that hold by their purpose what no other may: the owner's key for tools, and the operator's parameters. */
const KEYS_FOR_TOOLS = /^(local\.json|stack\.json|local\.sqlite.*)$/;

/** Files of the stack byte by byte: logs, queues with their messages, the database. */
function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && !KEYS_FOR_TOOLS.test(entry.name),
  );
  return Object.fromEntries(
    files.map(entry => [
      `file ${entry.name}`,
      readFileSync(join(entry.parentPath, entry.name)).toString('latin1'),
    ]),
  );
}
