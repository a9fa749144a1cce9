import { describe, expect, test } from '@jest/globals';
import type { HttpClient, HttpRequest } from '../../net/http.ts';
import { HttpFailure } from '../../net/http.ts';
import { PlatformError } from '../contract/error.ts';
import { telegramClient } from './client.ts';
import { ChatMigrated } from './errors.ts';

const TOKEN = '123456789:AAabcdefghijklmnopqrstuvwxyz0123456';

interface Scripted {
  status?: number;
  headers?: Record<string, string>;
  body: string;
}

function httpWith(answer: Scripted | Error, seen: HttpRequest[] = []): HttpClient {
  return {
    send: request => {
      seen.push(request);
      if (answer instanceof Error) return Promise.reject(answer);
      const { status = 200, headers = {}, body } = answer;
      return Promise.resolve({ status, headers, body: Buffer.from(body) });
    },
    open: () => Promise.reject(new Error('not used')),
    close: () => undefined,
  };
}

const refusal = (error_code: number, description: string, parameters?: object): Scripted => ({
  status: error_code,
  body: JSON.stringify({ ok: false, error_code, description, parameters }),
});

async function failureOf(answer: Scripted | Error): Promise<unknown> {
  const client = telegramClient(httpWith(answer), TOKEN);
  return client.sendMessage({ chat_id: '-1001', text: 'Hi' }).then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

describe('what an answer means', () => {
  test.each([
    [401, 'Unauthorized', 'token_expired', 'TOKEN_EXPIRED'],
    [404, 'Not Found', 'token_expired', 'TOKEN_EXPIRED'],
    [404, 'Not Found: method not found', 'rejected', 'INTERNAL'],
    [400, 'Bad Request: chat not found', 'token_expired', 'TOKEN_EXPIRED'],
    [400, 'Bad Request: chat_id is empty', 'token_expired', 'TOKEN_EXPIRED'],
    [403, 'Forbidden: bot was kicked from the channel chat', 'token_expired', 'TOKEN_EXPIRED'],
    [403, 'Forbidden: bot is not a member of the supergroup chat', 'token_expired', 'TOKEN_EXPIRED'],
    [403, 'Forbidden: the group chat was deleted', 'token_expired', 'TOKEN_EXPIRED'],
    [403, 'Forbidden: user is deactivated', 'token_expired', 'TOKEN_EXPIRED'],
    [
      400,
      'Bad Request: need administrator rights in the channel chat',
      'token_expired',
      'PERMISSION_MISSING',
    ],
    [400, 'Bad Request: not enough rights to send photos to the chat', 'token_expired', 'PERMISSION_MISSING'],
    [400, 'Bad Request: CHAT_WRITE_FORBIDDEN', 'token_expired', 'PERMISSION_MISSING'],
    [400, 'Bad Request: have no rights to send a message', 'token_expired', 'PERMISSION_MISSING'],
    [400, 'Bad Request: message text is empty', 'rejected', 'CONTENT_REJECTED'],
    [400, 'Bad Request: message caption is too long', 'rejected', 'CONTENT_REJECTED'],
    [400, "Bad Request: can't parse entities: unsupported", 'rejected', 'CONTENT_REJECTED'],
    [400, 'Bad Request: PHOTO_INVALID_DIMENSIONS', 'rejected', 'MEDIA_REJECTED'],
    [400, 'Bad Request: Photo_invalid_dimensions', 'rejected', 'MEDIA_REJECTED'],
    [400, 'Bad Request: IMAGE_PROCESS_FAILED', 'rejected', 'MEDIA_REJECTED'],
    [400, 'Bad Request: file must be non-empty', 'rejected', 'MEDIA_REJECTED'],
    [400, 'Bad Request: wrong file identifier/HTTP URL specified', 'rejected', 'MEDIA_REJECTED'],
    [
      400,
      'Bad Request: failed to send message #2 with the error message "PHOTO_INVALID_DIMENSIONS"',
      'rejected',
      'MEDIA_REJECTED',
    ],
    [400, 'Bad Request: group send failed', 'transient', 'PLATFORM_UNAVAILABLE'],
    [400, "Bad Request: document can't be mixed with other media types", 'rejected', 'CONTENT_REJECTED'],
    [413, 'Request Entity Too Large', 'rejected', 'MEDIA_REJECTED'],
    [421, 'Misdirected Request: unallowed token specified', 'rejected', 'INTERNAL'],
    [500, 'Internal Server Error: restart', 'transient', 'PLATFORM_UNAVAILABLE'],
  ])('%i %s: %s, %s; and nothing was sent', async (status, description, kind, code) => {
    const failure = await failureOf(refusal(status, description));
    expect(failure).toBeInstanceOf(PlatformError);
    expect(failure).toMatchObject({ kind, code, message: description, outcomeUnknown: false });
  });

  test('a flood wait ends a second after the time that Telegram names', async () => {
    const answer = refusal(429, 'Too Many Requests: retry after 37', { retry_after: 37 });
    expect(await failureOf(answer)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 38_000 });
  });

  test('a flood wait may stand in the header alone', async () => {
    const answer = { ...refusal(429, 'Too Many Requests'), headers: { 'retry-after': '5' } };
    expect(await failureOf(answer)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 6_000 });
  });

  test('an upgraded group tells its new id', async () => {
    const text = 'Bad Request: group chat was upgraded to a supergroup chat';
    const failure = await failureOf(refusal(400, text, { migrate_to_chat_id: -1001557912345 }));
    expect(failure).toBeInstanceOf(ChatMigrated);
    expect(failure).toMatchObject({ chatId: '-1001557912345' });
  });

  test("a proxy's page for a large body is a refused file", async () => {
    const answer = { status: 413, body: '<html>413 Request Entity Too Large</html>' };
    expect(await failureOf(answer)).toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test.each([
    ['a gateway page', { status: 502, body: '<html>502 Bad Gateway</html>' }],
    ['an empty gateway time-out', { status: 504, body: '' }],
    ['a success that cannot be read', { status: 200, body: '{"ok":true,"result":{}}' }],
    ['a success that is no JSON', { status: 200, body: 'OK' }],
    ['a time-out after sending', new HttpFailure('timeout', 'timed out', true)],
    ['a connection cut after sending', new HttpFailure('network', 'socket hang up', true)],
  ])('after %s the message may be live', async (_, answer) => {
    expect(await failureOf(answer)).toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });

  test('a refused connection sent nothing', async () => {
    const refused = new HttpFailure('network', 'connect ECONNREFUSED', false);
    expect(await failureOf(refused)).toMatchObject({ kind: 'transient', outcomeUnknown: false });
  });
});

describe('the token', () => {
  test('goes into the URL and nowhere else', async () => {
    const seen: HttpRequest[] = [];
    const http = httpWith(refusal(401, 'Unauthorized'), seen);
    await expect(telegramClient(http, TOKEN).getMe()).rejects.toThrow('Unauthorized');
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe(`https://api.telegram.org/bot${TOKEN}/getMe`);
    expect(JSON.stringify([seen[0]?.headers, seen[0]?.body])).not.toContain(TOKEN);
  });

  test.each([
    ['an answer that repeats it', refusal(400, `Bad Request: /bot${TOKEN}/sendMessage is wrong`)],
    ['a flood answer that repeats it', refusal(429, `Too many for ${TOKEN}`)],
    ['a page that repeats it', { status: 502, body: `<p>/bot${TOKEN}/</p>` }],
    [
      'a failed request',
      new HttpFailure('network', `GET https://api.telegram.org/bot${TOKEN}/x failed`, true),
    ],
    ['a fault of another kind', new TypeError(`bad url bot${TOKEN}`)],
  ])('never gets out through %s', async (_, answer) => {
    const failure = await failureOf(answer);
    expect(failure).toBeInstanceOf(PlatformError);
    const { message, stack, cause } = failure as Error;
    const shown = [message, stack, String(cause), JSON.stringify(failure), String(failure)].join('\n');
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain(TOKEN.split(':')[1]);
  });
});
