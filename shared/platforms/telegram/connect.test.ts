import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connectContext, connectDirectly } from '../../../test/support/connectors.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { ConnectContext } from '../contract/connector.ts';
import { connector } from './connect.ts';
import { DEMO_CHAT, DEMO_TOKEN } from './sandbox/chats.ts';
import { sandbox as telegramSandbox } from './sandbox/server.ts';

let sandbox: TestSandbox;
let context: ConnectContext;

beforeAll(async () => {
  sandbox = await startSandboxHost(telegramSandbox);
  context = connectContext(sandbox);
});
beforeEach(() => sandbox.platform.reset());
afterAll(() => sandbox.close());

const connect = (chat_id: unknown, bot_token: unknown = DEMO_TOKEN) =>
  connectDirectly(connector, { chat_id, bot_token }, context);

test('connects a public channel under its numeric id', async () => {
  expect(await connect(DEMO_CHAT)).toEqual({
    account: {
      platform_user_id: '7000000001:-1001000000001',
      display_name: 'Demo channel',
      username: 'sandbox_demo',
      avatar_url: null,
    },
    credentials: { bot_token: DEMO_TOKEN },
    scopes: [],
    attributes: { chat_id: '-1001000000001', chat_type: 'channel', bot_username: 'sandbox_demo_bot' },
    renew_at: null,
    expires_at: null,
  });
});

test.each([
  ['a private channel by number', -1001001001002, 'Private channel', null],
  ['a group whose members may send', '@sandbox_group', 'Public group', 'sandbox_group'],
  ['a basic group where the bot is administrator', '-4000000004', 'Basic group', null],
  ['a private chat', '4000000010', 'Ann', 'sandbox_ann'],
])('connects %s', async (_, chatId, display_name, username) => {
  expect((await connect(chatId)).account).toMatchObject({ display_name, username });
});

test('returns the token in the credentials only', async () => {
  const { credentials, ...rest } = await connect(DEMO_CHAT);
  expect(credentials['bot_token']).toBe(DEMO_TOKEN);
  expect(JSON.stringify(rest)).not.toContain(DEMO_TOKEN);
});

describe('rejects with a message for the user', () => {
  test.each([
    ['an unknown chat', '@nowhere_at_all', 'TOKEN_EXPIRED', /chat not found/],
    ['a channel that removed the bot', '@sandbox_kicked', 'TOKEN_EXPIRED', /kicked/],
    ['a channel that the bot never joined', '@sandbox_left', 'PERMISSION_MISSING', /add it/],
    ['a channel where the bot may not post', '@sandbox_norights', 'PERMISSION_MISSING', /right to post/],
    ['a group that restricts the bot', '@sandbox_restricted', 'PERMISSION_MISSING', /Allow the bot/],
    ['a group whose members may not send', '@sandbox_silent', 'PERMISSION_MISSING', /Allow the bot/],
    ['a group that was deleted', '-4000000009', 'TOKEN_EXPIRED', /deleted/],
    ['a group that has a new id', '-4000000005', 'CONTENT_REJECTED', /-1001000000003/],
  ])('%s', async (_, chatId, code, message) => {
    await expect(connect(chatId)).rejects.toMatchObject({
      name: 'PlatformError',
      kind: 'rejected',
      code,
      message: expect.stringMatching(message),
    });
  });

  test('a token that Telegram does not know', async () => {
    const wrong = '123456789:AAabcdefghijklmnopqrstuvwxyz0123456';
    await expect(connect(DEMO_CHAT, wrong)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'TOKEN_EXPIRED',
    });
  });

  test('a revoked token', async () => {
    sandbox.platform.tokens('revoke', null);
    await expect(connect(DEMO_CHAT)).rejects.toMatchObject({ kind: 'rejected', code: 'TOKEN_EXPIRED' });
  });

  test.each([
    ['no token', DEMO_CHAT, undefined],
    ['a token of the wrong form', DEMO_CHAT, 'hunter2'],
    ['a token that would change the path', DEMO_CHAT, '123456789:../../../../../../../../../../../x'],
    ['an empty chat id', '', DEMO_TOKEN],
    ['a link instead of a name', 'https://t.me/news', DEMO_TOKEN],
  ])('%s, without calling Telegram', async (_, chatId, token) => {
    const before = sandbox.traffic.length;
    await expect(connect(chatId, token ?? null)).rejects.toMatchObject({
      kind: 'rejected',
    });
    expect(sandbox.traffic).toHaveLength(before);
  });
});

test('throws a transient error when Telegram does not answer', async () => {
  sandbox.failNext({ respond: { status: 502, body: '<html>' } });
  await expect(connect(DEMO_CHAT)).rejects.toMatchObject({ kind: 'transient' });
});

test('has no renewal', () => {
  expect(connector.renew).toBeNull();
});
