import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sampleFiles } from '../../../../test/support/media.ts';
import { startSandboxHost, type TestSandbox } from '../../../../test/support/sandbox-host.ts';
import { DEMO_BOT, DEMO_CHAT, DEMO_TOKEN } from './chats.ts';
import { sandbox as telegramSandbox } from './server.ts';

interface Answer {
  ok: boolean;
  error_code?: number;
  description?: string;
  parameters?: Record<string, unknown>;
  result?: unknown;
}

let sample: (name: string) => Buffer;
let sandbox: TestSandbox;

beforeAll(async () => {
  sample = await sampleFiles();
  sandbox = await startSandboxHost(telegramSandbox);
});
beforeEach(() => {
  sandbox.platform.reset();
  sandbox.setLimit(null);
  sandbox.advance(120_000);
});
afterAll(() => sandbox.close());

/** Sends a request with `fetch`, independently of the service's client. */
async function request(path: string, init: RequestInit = {}): Promise<Answer & { status: number }> {
  const response = await fetch(`${sandbox.url}/telegram/api.telegram.org${path}`, init);
  return { status: response.status, ...((await response.json()) as Answer) };
}

function call(method: string, fields: Record<string, unknown>, files: Record<string, Buffer> = {}) {
  if (Object.keys(files).length === 0) {
    const headers = { 'content-type': 'application/json' };
    return request(`/bot${DEMO_TOKEN}/${method}`, { method: 'POST', headers, body: JSON.stringify(fields) });
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([new Uint8Array(bytes)]), name);
  return request(`/bot${DEMO_TOKEN}/${method}`, { method: 'POST', body: form });
}

const send = (fields: Record<string, unknown>) => call('sendMessage', { chat_id: DEMO_CHAT, ...fields });

const photo = (bytes: Buffer) => call('sendPhoto', { chat_id: DEMO_CHAT }, { photo: bytes });

describe('paths and tokens', () => {
  test.each([
    ['/botnonsense/getMe', 401, 'Unauthorized: invalid token specified'],
    ['/bot0123:AAabcdefghijklmnopqrstuvwxyz0123456/getMe', 401, 'Unauthorized: invalid token specified'],
    [
      '/botabc:AAabcdefghijklmnopqrstuvwxyz0123456/getMe',
      421,
      'Misdirected Request: unallowed token specified',
    ],
    ['/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/getMe', 401, 'Unauthorized'],
    [`/bot${DEMO_TOKEN}/getNothing`, 404, 'Not Found: method not found'],
    [`/bot${DEMO_TOKEN}`, 404, 'Not Found'],
    ['/elsewhere', 404, 'Not Found'],
  ])('%s is answered with %d', async (path, status, description) => {
    expect(await request(path)).toEqual({ status, ok: false, error_code: status, description });
  });

  test('accept method names in any case and parameters in query and form', async () => {
    expect(await request(`/bot${DEMO_TOKEN}/GETME`)).toMatchObject({ ok: true, result: { is_bot: true } });
    const text = await request(`/bot${DEMO_TOKEN}/sendmessage?chat_id=${DEMO_CHAT}&text=Hi`);
    expect(text).toMatchObject({ status: 200, result: { text: 'Hi' } });
    const body = new URLSearchParams({ chat_id: DEMO_CHAT, text: 'Form' });
    const form = await request(`/bot${DEMO_TOKEN}/sendMessage`, { method: 'POST', body });
    expect(form).toMatchObject({ result: { text: 'Form' } });
  });
});

describe('messages', () => {
  test('have consecutive ids per chat and the channel or the bot as sender', async () => {
    const first = await send({ text: 'One' });
    const second = await send({ text: 'Two' });
    expect(first.result).toMatchObject({ message_id: 1, sender_chat: { username: 'sandbox_demo' } });
    expect(second.result).toMatchObject({ message_id: 2 });
    const group = await send({ chat_id: '@sandbox_group', text: 'Hi' });
    expect(group.result).toMatchObject({ message_id: 1, from: { is_bot: true } });
  });

  test('have entities for links, hashtags and mentions with UTF-16 offsets', async () => {
    const { result } = await send({ text: '😀 https://example.com #café @someone' });
    expect(result).toMatchObject({
      entities: [
        { type: 'url', offset: 3, length: 19 },
        { type: 'hashtag', offset: 23, length: 5 },
        { type: 'mention', offset: 29, length: 8 },
      ],
    });
  });

  test.each([
    ['an empty text', { text: '' }, 'message text is empty'],
    ['only white space', { text: ' \n ' }, 'text must be non-empty'],
    ['a long text', { text: 'a'.repeat(4097) }, 'message is too long'],
    ['far too many bytes', { text: 'a'.repeat(32_769) }, 'text is too long'],
    ['no chat', { chat_id: '', text: 'a' }, 'chat_id is empty'],
    ['an unknown chat', { chat_id: '@nobody_here', text: 'a' }, 'chat not found'],
    ['an unknown markup', { text: 'a', parse_mode: 'BBCode' }, 'unsupported parse_mode'],
    ['an open tag', { text: '<b>a', parse_mode: 'HTML' }, /can't parse entities/],
    ['an unknown tag', { text: '<p>a</p>', parse_mode: 'HTML' }, /can't parse entities/],
    ['an unescaped dot', { text: 'a.b', parse_mode: 'MarkdownV2' }, /Character '\.' is reserved/],
    ['an open star', { text: 'a*b', parse_mode: 'MarkdownV2' }, /can't parse entities/],
  ])('with %s are refused', async (_, fields, words) => {
    const answer = await send(fields);
    expect(answer).toMatchObject({ status: 400, ok: false, error_code: 400 });
    expect(answer.description).toMatch(words);
    expect(answer.description).toMatch(/^Bad Request: /);
  });

  test('accept valid markup', async () => {
    expect(await send({ text: '<b>a</b> &lt;', parse_mode: 'HTML' })).toMatchObject({
      result: { text: 'a <' },
    });
    const markdown = await send({ text: '*a* b\\.c', parse_mode: 'MarkdownV2' });
    expect(markdown).toMatchObject({ result: { text: 'a b.c' } });
  });

  test('can be deleted for 48 hours', async () => {
    await send({ text: 'Gone soon' });
    expect(await call('deleteMessage', { chat_id: DEMO_CHAT, message_id: 9 })).toMatchObject({ status: 400 });
    expect(await call('deleteMessage', { chat_id: '-1001000000001', message_id: 1 })).toMatchObject({
      ok: true,
    });
    await send({ text: 'Stays' });
    sandbox.advance(49 * 3_600_000);
    const late = await call('deleteMessage', { chat_id: DEMO_CHAT, message_id: 2 });
    expect(late).toMatchObject({ status: 400, description: "Bad Request: message can't be deleted" });
  });
});

describe('access to a chat', () => {
  test.each([
    ['@sandbox_kicked', 403, 'Forbidden: bot was kicked from the channel chat'],
    ['@sandbox_left', 403, 'Forbidden: bot is not a member of the channel chat'],
    ['@sandbox_norights', 400, 'Bad Request: need administrator rights in the channel chat'],
    ['@sandbox_silent', 400, 'Bad Request: not enough rights to send text messages to the chat'],
    ['-4000000009', 403, 'Forbidden: the group chat was deleted'],
  ])('%s refuses messages with %d', async (chat_id, status, description) => {
    expect(await send({ chat_id, text: 'Hi' })).toMatchObject({ status, error_code: status, description });
  });

  test.each([
    ['-4000000005', 200],
    ['-4000000009', 200],
    ['@sandbox_left', 200],
    ['@sandbox_kicked', 403],
  ])('getChat of %s returns %d', async (chat_id, status) => {
    expect((await call('getChat', { chat_id })).status).toBe(status);
  });

  test('getChat refuses a private channel that the bot is not in', async () => {
    sandbox.platform.change!('-1001001001002', { status: 'left' });
    expect(await call('getChat', { chat_id: '-1001001001002' })).toMatchObject({
      status: 403,
      description: 'Forbidden: bot is not a member of the channel chat',
    });
  });

  test('getChat returns a photo that can be downloaded', async () => {
    const { result } = await call('getChat', { chat_id: DEMO_CHAT });
    const { photo } = result as { photo: { big_file_id: string } };
    expect(await call('getFile', { file_id: photo.big_file_id })).toMatchObject({ ok: true });
  });

  test('getChatMember refuses upgraded and deleted groups', async () => {
    const user_id = DEMO_BOT.id;
    expect((await call('getChatMember', { chat_id: '-4000000005', user_id })).status).toBe(400);
    expect((await call('getChatMember', { chat_id: '-4000000009', user_id })).status).toBe(403);
  });

  test('can be changed', async () => {
    sandbox.platform.change!(DEMO_CHAT, { lacks: 'can_post_messages' });
    expect((await send({ text: 'Hi' })).description).toMatch(/need administrator rights/);
    sandbox.platform.change!(DEMO_CHAT, { lacks: null });
    expect((await send({ text: 'Hi' })).ok).toBe(true);
    expect(sandbox.platform.change!('@nobody', {})).toBe(false);
  });

  test('an upgraded group returns its new id', async () => {
    expect(await send({ chat_id: -4000000005, text: 'Hi' })).toMatchObject({
      status: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1001000000003 },
    });
  });

  test('requires the right for the kind of message', async () => {
    const answer = await call(
      'sendPhoto',
      { chat_id: '@sandbox_restricted' },
      { photo: sample('photo.jpg') },
    );
    expect(answer.description).toBe('Bad Request: not enough rights to send photos to the chat');
  });

  test('requires the right for each kind of item in an album', async () => {
    const send = (type: string, name: string) => {
      const media = ['a', 'b'].map(part => ({ type, media: `attach://${part}` }));
      const fields = { chat_id: '@sandbox_restricted', media: JSON.stringify(media) };
      return call('sendMediaGroup', fields, { a: sample(name), b: sample(name) });
    };
    expect((await send('photo', 'photo.jpg')).description).toBe(
      'Bad Request: not enough rights to send photos to the chat',
    );
    expect(await send('document', 'doc.pdf')).toMatchObject({ ok: true });
  });

  test('refuses everything to a bot that may not write', async () => {
    const chat_id = '@sandbox_restricted';
    sandbox.platform.change!(chat_id, { lacks: 'can_send_messages' });
    const description = 'Bad Request: have no write access to the chat';
    expect(await send({ chat_id, text: 'Hi' })).toMatchObject({ status: 400, description });
    expect(await call('sendPhoto', { chat_id }, { photo: sample('photo.jpg') })).toMatchObject({
      status: 400,
      description,
    });
  });
});

describe('files', () => {
  test('can be downloaded and sent again by their id', async () => {
    const { result } = await photo(sample('photo.jpg'));
    const file_id = (result as { photo: { file_id: string }[] }).photo.at(-1)?.file_id;
    const { file_path } = (await call('getFile', { file_id })).result as { file_path: string };
    const url = `${sandbox.url}/telegram/api.telegram.org/file/bot${DEMO_TOKEN}/${file_path}`;
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(sample('photo.jpg'));
    expect(await call('sendPhoto', { chat_id: DEMO_CHAT, photo: file_id })).toMatchObject({ ok: true });
  });

  test.each([
    ['a photo that is not an image', () => sample('doc.pdf'), 'IMAGE_PROCESS_FAILED'],
    ['an empty file', () => Buffer.alloc(0), 'file must be non-empty'],
    [
      'a photo over 10 MB',
      () => Buffer.concat([sample('photo.jpg'), Buffer.alloc(10_485_760)]),
      /too big for a photo/,
    ],
    ['11 000 pixels in width and height', () => header(10_900, 100), 'PHOTO_INVALID_DIMENSIONS'],
    ['a ratio of 21', () => header(2100, 100), 'PHOTO_INVALID_DIMENSIONS'],
  ])('are refused: %s', async (_, bytes, words) => {
    const answer = await photo(bytes());
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.description).toMatch(words);
  });

  test('are refused as photo if their extension is webp', async () => {
    const form = new FormData();
    form.set('chat_id', DEMO_CHAT);
    form.set('photo', new Blob([new Uint8Array(sample('photo.webp'))]), 'photo.webp');
    const answer = await request(`/bot${DEMO_TOKEN}/sendPhoto`, { method: 'POST', body: form });
    expect(answer.description).toMatch(/photo has unsupported extension webp/);
  });

  test('are shown as sticker without caption if they are WebP documents', async () => {
    const files = { document: sample('photo.webp') };
    const fields = { chat_id: DEMO_CHAT, caption: 'Hi' };
    const { result } = await call('sendDocument', fields, files);
    expect(result).toHaveProperty('sticker');
    expect(result).not.toHaveProperty('caption');
    const plain = await call('sendDocument', { ...fields, disable_content_type_detection: 'true' }, files);
    expect(plain.result).toMatchObject({ caption: 'Hi', document: { mime_type: 'image/webp' } });
  });

  test('are refused above 50 MB', async () => {
    const document = Buffer.concat([sample('doc.pdf'), Buffer.alloc(52_428_800)]);
    const answer = await call('sendDocument', { chat_id: DEMO_CHAT }, { document });
    expect(answer).toMatchObject({ status: 413, description: 'Request Entity Too Large' });
  });

  test('are refused if they are missing or their caption is too long', async () => {
    expect((await call('sendPhoto', { chat_id: DEMO_CHAT })).description).toMatch(/there is no photo/);
    const caption = 'a'.repeat(1025);
    const answer = await call('sendPhoto', { chat_id: DEMO_CHAT, caption }, { photo: sample('photo.jpg') });
    expect(answer.description).toBe('Bad Request: message caption is too long');
  });

  test('are shown as animation if they are GIFs', async () => {
    const answer = await call('sendDocument', { chat_id: DEMO_CHAT }, { document: sample('anim.gif') });
    expect(answer.result).toHaveProperty('animation');
  });

  test('are fetched from URLs with smaller limits and a check of the type', async () => {
    const url = sandbox.addMedia('photo.jpg', sample('photo.jpg'));
    expect(await call('sendPhoto', { chat_id: DEMO_CHAT, photo: url })).toMatchObject({ ok: true });
    const big = Buffer.concat([sample('photo.jpg'), Buffer.alloc(5_300_000)]);
    const wrong: [string, string][] = [
      [sandbox.addMedia('doc.pdf', sample('doc.pdf')), 'wrong type of the web page content'],
      [`${sandbox.url}/_media/none`, 'failed to get HTTP URL content'],
      [sandbox.addMedia('big.jpg', big), 'failed to get HTTP URL content'],
      ['C:\\photo.jpg', 'wrong file identifier/HTTP URL specified'],
    ];
    for (const [value, words] of wrong) {
      expect((await call('sendPhoto', { chat_id: DEMO_CHAT, photo: value })).description).toBe(
        `Bad Request: ${words}`,
      );
    }
  });
});

describe('albums', () => {
  const album = (media: unknown, files: Record<string, Buffer> = {}) =>
    call('sendMediaGroup', { chat_id: DEMO_CHAT, media }, files);
  const item = (name: string, type = 'photo') => ({ type, media: `attach://${name}` });

  test('show WebP documents as documents with their caption', async () => {
    const { result } = await album([{ ...item('a', 'document'), caption: 'Both' }, item('b', 'document')], {
      a: sample('photo.webp'),
      b: sample('photo.webp'),
    });
    const document = expect.objectContaining({ mime_type: 'image/webp' });
    expect(result).toMatchObject([{ document, caption: 'Both' }, { document }]);
  });

  test('are messages of one group with consecutive ids', async () => {
    const answer = await album([{ ...item('a'), caption: 'Both' }, item('b')], {
      a: sample('photo.jpg'),
      b: sample('photo.png'),
    });
    const messages = answer.result as { message_id: number; media_group_id: string; caption?: string }[];
    expect(messages.map(({ message_id }) => message_id)).toEqual([1, 2]);
    expect(messages.map(({ caption }) => caption)).toEqual(['Both', undefined]);
    expect(new Set(messages.map(message => message.media_group_id)).size).toBe(1);
    expect(messages[0]?.media_group_id).toMatch(/^\d+$/);
  });

  test('fail as a whole if one item is invalid', async () => {
    const before = sandbox.posts().length;
    const answer = await album([item('a'), item('b')], { a: sample('photo.jpg'), b: sample('doc.pdf') });
    expect(answer.description).toBe(
      'Bad Request: failed to send message #2 with the error message "IMAGE_PROCESS_FAILED"',
    );
    expect(sandbox.posts()).toHaveLength(before);
  });

  test.each([
    ['no items', [], /no messages to send/],
    ['one item', [item('a')], /at least 2/],
    ['eleven items', Array.from({ length: 11 }, () => item('a')), /too many messages/],
    ['document and photo', [item('a'), item('a', 'document')], /can't be mixed/],
    ['an animation', [item('a'), item('a', 'animation')], /can't use the media/],
    ['a missing part', [item('a'), item('z')], /failed to send message #2/],
    ['invalid JSON', 'photo', /can't parse media/],
  ])('of %s are refused', async (_, media, words) => {
    const answer = await album(media, { a: sample('photo.jpg') });
    expect(answer.status).toBe(400);
    expect(answer.description).toMatch(words);
  });

  test('count each item for flood control', async () => {
    sandbox.setLimit({ per_minute: 3 });
    const files = { a: sample('photo.jpg'), b: sample('photo.jpg') };
    expect(await album([item('a'), item('b')], files)).toMatchObject({ ok: true });
    expect(await album([item('a'), item('b')], files)).toMatchObject({
      status: 429,
      description: 'Too Many Requests: retry after 60',
      parameters: { retry_after: 60 },
    });
    sandbox.advance(61_000);
    expect(await album([item('a'), item('b')], files)).toMatchObject({ ok: true });
  });
});

test('flood control also sets the Retry-After header', async () => {
  sandbox.setLimit({ retry_after: 12 });
  const url = `${sandbox.url}/telegram/api.telegram.org/bot${DEMO_TOKEN}/sendMessage?chat_id=${DEMO_CHAT}&text=a`;
  expect((await fetch(url)).headers.get('retry-after')).toBe('12');
});

/** The beginning of a PNG, which contains its dimensions. */
function header(width: number, height: number): Buffer {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([png, size, Buffer.from('0802000000', 'hex'), Buffer.alloc(8), Buffer.from('IDAT')]);
}
