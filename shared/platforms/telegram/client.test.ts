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

function httpWith(response: Scripted | Error, seen: HttpRequest[] = []): HttpClient {
  return {
    send: request => {
      seen.push(request);
      if (response instanceof Error) return Promise.reject(response);
      const { status = 200, headers = {}, body } = response;
      return Promise.resolve({ status, headers, body: Buffer.from(body) });
    },
    open: () => Promise.reject(new Error('not used')),
    close: () => undefined,
  };
}

const apiError = (error_code: number, description: string, parameters?: object): Scripted => ({
  status: error_code,
  body: JSON.stringify({ ok: false, error_code, description, parameters }),
});

async function errorOf(response: Scripted | Error): Promise<unknown> {
  const client = telegramClient(httpWith(response), TOKEN);
  return client.sendMessage({ chat_id: '-1001', text: 'Hi' }).then(
    () => 'no error',
    (error: unknown) => error,
  );
}

describe('classifying error responses', () => {
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
    [400, 'Bad Request: have no write access to the chat', 'token_expired', 'PERMISSION_MISSING'],
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
    [
      400,
      'Bad Request: failed to send message #1 with the error message "message caption is too long"',
      'rejected',
      'CONTENT_REJECTED',
    ],
    [
      400,
      'Bad Request: failed to send message #2 with the error message "not enough rights to send photos to the chat"',
      'token_expired',
      'PERMISSION_MISSING',
    ],
    [
      400,
      'Bad Request: failed to send message #3 with the error message "something new"',
      'rejected',
      'MEDIA_REJECTED',
    ],
    [400, 'Bad Request: text must be non-empty', 'rejected', 'CONTENT_REJECTED'],
    [400, 'Bad Request: text is too long', 'rejected', 'CONTENT_REJECTED'],
    [400, 'Bad Request: too many messages to send as an album', 'rejected', 'CONTENT_REJECTED'],
    [400, 'Bad Request: group send failed', 'transient', 'PLATFORM_UNAVAILABLE'],
    [401, 'Unauthorized: invalid token specified', 'token_expired', 'TOKEN_EXPIRED'],
    [403, 'Forbidden: bot was blocked by the user', 'token_expired', 'TOKEN_EXPIRED'],
    [400, "Bad Request: document can't be mixed with other media types", 'rejected', 'CONTENT_REJECTED'],
    [413, 'Request Entity Too Large', 'rejected', 'MEDIA_REJECTED'],
    [421, 'Misdirected Request: unallowed token specified', 'token_expired', 'TOKEN_EXPIRED'],
  ])('maps %i %s to %s, %s, with a known outcome', async (status, description, kind, code) => {
    const thrown = await errorOf(apiError(status, description));
    expect(thrown).toBeInstanceOf(PlatformError);
    expect(thrown).toMatchObject({ kind, code, message: description, outcomeUnknown: false });
  });

  test.each([
    [500, 'Internal Server Error: restart'],
    [502, 'Bad Gateway'],
    [504, 'Gateway Timeout'],
  ])('maps a JSON %i %s to transient, with an unknown outcome', async (status, description) => {
    expect(await errorOf(apiError(status, description))).toMatchObject({
      kind: 'transient',
      code: 'PLATFORM_UNAVAILABLE',
      outcomeUnknown: true,
    });
  });

  test('retries an album that failed without a reason once', async () => {
    expect(await errorOf(apiError(400, 'Bad Request: group send failed'))).toMatchObject({ retries: 1 });
  });

  test('waits a second longer than retry_after', async () => {
    const response = apiError(429, 'Too Many Requests: retry after 37', { retry_after: 37 });
    expect(await errorOf(response)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 38_000 });
  });

  test('falls back to the Retry-After header', async () => {
    const response = { ...apiError(429, 'Too Many Requests'), headers: { 'retry-after': '5' } };
    expect(await errorOf(response)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 6_000 });
  });

  test('throws ChatMigrated with the new id of an upgraded group', async () => {
    const text = 'Bad Request: group chat was upgraded to a supergroup chat';
    const thrown = await errorOf(apiError(400, text, { migrate_to_chat_id: -1001557912345 }));
    expect(thrown).toBeInstanceOf(ChatMigrated);
    expect(thrown).toMatchObject({ chatId: '-1001557912345' });
  });

  test("treats a proxy's 413 page as a rejected file", async () => {
    const response = { status: 413, body: '<html>413 Request Entity Too Large</html>' };
    expect(await errorOf(response)).toMatchObject({ kind: 'rejected', code: 'MEDIA_REJECTED' });
  });

  test.each([
    ['a gateway error page', { status: 502, body: '<html>502 Bad Gateway</html>' }],
    ['an empty 504', { status: 504, body: '' }],
    ['a success with an unexpected body', { status: 200, body: '{"ok":true,"result":{}}' }],
    ['a success that is not JSON', { status: 200, body: 'OK' }],
    ['a timeout after the request was sent', new HttpFailure('timeout', 'timed out', true)],
    ['a broken connection after the request was sent', new HttpFailure('network', 'socket hang up', true)],
  ])('reports an unknown outcome after %s', async (_, response) => {
    expect(await errorOf(response)).toMatchObject({ kind: 'transient', outcomeUnknown: true });
  });

  test('reports a known outcome for a refused connection', async () => {
    const refused = new HttpFailure('network', 'connect ECONNREFUSED', false);
    expect(await errorOf(refused)).toMatchObject({ kind: 'transient', outcomeUnknown: false });
  });
});

describe('the token', () => {
  test('is part of the URL and nothing else', async () => {
    const seen: HttpRequest[] = [];
    const http = httpWith(apiError(401, 'Unauthorized'), seen);
    await expect(telegramClient(http, TOKEN).getMe()).rejects.toThrow('Unauthorized');
    expect(seen).toHaveLength(1);
    expect(seen[0]?.url).toBe(`https://api.telegram.org/bot${TOKEN}/getMe`);
    expect(JSON.stringify([seen[0]?.headers, seen[0]?.body])).not.toContain(TOKEN);
  });

  test.each([
    ['an error message that contains it', apiError(400, `Bad Request: /bot${TOKEN}/sendMessage is wrong`)],
    ['a 429 that contains it', apiError(429, `Too many for ${TOKEN}`)],
    ['an HTML page that contains it', { status: 502, body: `<p>/bot${TOKEN}/</p>` }],
    [
      'a failed request',
      new HttpFailure('network', `GET https://api.telegram.org/bot${TOKEN}/x failed`, true),
    ],
    ['another error', new TypeError(`bad url bot${TOKEN}`)],
  ])('does not leak through %s', async (_, response) => {
    const thrown = await errorOf(response);
    expect(thrown).toBeInstanceOf(PlatformError);
    const { message, stack, cause } = thrown as Error;
    const shown = [message, stack, String(cause), JSON.stringify(thrown), String(thrown)].join('\n');
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain(TOKEN.split(':')[1]);
  });
});
