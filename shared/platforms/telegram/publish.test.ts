import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { drive, reconcile, type DriveOptions, type Driven } from '../../../test/support/drive.ts';
import { sampleFiles } from '../../../test/support/media.ts';
import { animatedWebp } from '../../../test/support/moving-files.ts';
import { startSandboxHost, type TestSandbox } from '../../../test/support/sandbox-host.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { UPLOAD_TIMEOUT_MS } from './client.ts';
import { linkTo, publisher, RESERVE_MS } from './publish.ts';
import { rules } from './rules.ts';
import { DEMO_TOKEN } from './sandbox/chats.ts';
import { sandbox as telegramSandbox } from './sandbox/server.ts';

const CHANNEL = '-1001000000001';

let sample: (name: string) => Buffer;
let sandbox: TestSandbox;

beforeAll(async () => {
  sample = await sampleFiles();
});
beforeEach(async () => {
  sandbox = await startSandboxHost(telegramSandbox);
});
afterEach(() => sandbox.close());

const host = (name: string) => sandbox.addMedia(name, sample(name));

function jobFor(change: Partial<PublishJob>, chatId = CHANNEL): PublishJob {
  return {
    post_id: 'post-1',
    platform: 'telegram',
    post_type: 'text',
    title: null,
    description: null,
    text: '',
    media_urls: [],
    first_comment: null,
    auto_truncate: false,
    options: {},
    account: {
      connection_id: 'connection-1',
      platform_user_id: `7000000001:${chatId}`,
      username: null,
      attributes: { chat_id: chatId },
    },
    due_at: sandbox.now(),
    created_at: sandbox.now(),
    ...change,
  };
}

const options = (): DriveOptions => ({
  credentials: { bot_token: DEMO_TOKEN },
  http: sandbox.http,
  media: sandbox.media,
  now: sandbox.now,
  advance: sandbox.advance,
});

const publish = (change: Partial<PublishJob>, chatId?: string): Promise<Driven> =>
  drive(publisher, jobFor(change, chatId), options());

const images = (...media_urls: string[]) => ({ post_type: 'image', media_urls, text: 'Look' }) as const;

const methods = () => sandbox.traffic.map(({ url }) => url.split('/').at(-1));

function lastMessage(): Record<string, unknown> {
  const { response } = sandbox.traffic.at(-1)!;
  return (JSON.parse(response) as { result: Record<string, unknown> }).result;
}

describe('a post', () => {
  test('of type text is sent as plain text', async () => {
    const { post, ran, checkpoints } = await publish({ text: '<p>5 < 6 & 7 > 2</p> _a_' });
    expect(post).toEqual({
      platform_post_id: `${CHANNEL}:1`,
      platform_post_url: 'https://t.me/sandbox_demo/1',
      published_at: sandbox.now(),
    });
    expect(ran).toEqual(['send']);
    expect(checkpoints.at(-1)?.state).toMatchObject({ chat_id: CHANNEL, message_ids: [1] });
    expect(sandbox.posts()).toMatchObject([{ kind: 'text', text: '<p>5 < 6 & 7 > 2</p> _a_' }]);
    expect(sandbox.posts()[0]?.fields).not.toHaveProperty('parse_mode');
  });

  test('with one photo is sent with a caption', async () => {
    const { post, ran } = await publish(images(host('photo.jpg')));
    expect(ran).toEqual(['inspect', 'send']);
    expect(methods()).toEqual(['sendPhoto']);
    expect(post.platform_post_id).toBe(`${CHANNEL}:1`);
    expect(sandbox.posts()).toMatchObject([
      { kind: 'image', text: 'Look', media: [{ type: 'image/jpeg', size: sample('photo.jpg').length }] },
    ]);
    expect(sandbox.posts()[0]?.fields['files']).toMatchObject([
      { file_name: 'photo.jpg', content_type: 'image/jpeg' },
    ]);
  });

  test('without a text has no caption', async () => {
    await publish({ ...images(host('photo.png')), text: '' });
    expect(lastMessage()).not.toHaveProperty('caption');
  });

  test('with several photos is an album whose first item has the caption and whose first message represents it', async () => {
    const { post, checkpoints } = await publish(
      images(host('photo.jpg'), host('photo.png'), host('photo.webp')),
    );
    expect(methods()).toEqual(['sendMediaGroup']);
    expect(post).toMatchObject({
      platform_post_id: `${CHANNEL}:1`,
      platform_post_url: 'https://t.me/sandbox_demo/1',
    });
    expect(checkpoints.at(-1)?.state).toMatchObject({ chat_id: CHANNEL, message_ids: [1, 2, 3] });
    const [live] = sandbox.posts();
    expect(live).toMatchObject({ kind: 'album', text: 'Look' });
    expect(live?.media.map(({ type }) => type)).toEqual(['image/jpeg', 'image/png', 'image/jpeg']);
    expect(JSON.parse(live?.fields['media'] as string)).toEqual([
      { type: 'photo', media: 'attach://file0', caption: 'Look' },
      { type: 'photo', media: 'attach://file1' },
      { type: 'photo', media: 'attach://file2' },
    ]);
  });

  test('with an animated GIF is sent as an animation', async () => {
    await publish(images(host('anim.gif')));
    expect(methods()).toEqual(['sendAnimation']);
    expect(lastMessage()).toHaveProperty('animation');
  });

  test('with a GIF among photos is an album', async () => {
    await publish(images(host('anim.gif'), host('photo.jpg')));
    expect(sandbox.posts()).toMatchObject([{ kind: 'album' }]);
  });

  test('with an animated image that is no GIF is a photo of its first frame', async () => {
    await publish(images(sandbox.addMedia('moving.webp', await animatedWebp())));
    expect(methods()).toEqual(['sendPhoto']);
    expect(sandbox.posts()[0]?.media).toMatchObject([{ type: 'image/jpeg' }]);
  });

  test('with a video names its size and duration, so that Telegram shows its shape', async () => {
    await publish({ post_type: 'video', media_urls: [host('clip.mp4')], text: 'Film' });
    expect(methods()).toEqual(['sendVideo']);
    const { fields, media } = sandbox.posts()[0]!;
    expect(fields).toMatchObject({
      width: String(media[0]?.width),
      height: String(media[0]?.height),
      duration: String(Math.round(media[0]?.duration ?? 0)),
      supports_streaming: 'true',
      caption: 'Film',
    });
  });

  test.each(['clip.mov', 'clip.webm'])(
    'with %s is sent as a file, because only MP4 plays inside a chat',
    async name => {
      await publish({ post_type: 'video', media_urls: [host(name)] });
      expect(methods()).toEqual(['sendDocument']);
    },
  );

  test('with a document keeps the file name', async () => {
    const url = sandbox.addMedia('Bericht%20%22Q1%22', sample('doc.pdf'));
    await publish({ post_type: 'document', media_urls: [url], text: 'Read' });
    expect(methods()).toEqual(['sendDocument']);
    expect(sandbox.posts()[0]?.fields['files']).toMatchObject([
      { file_name: 'Bericht "Q1".pdf', content_type: 'application/pdf' },
    ]);
    expect(lastMessage()).toMatchObject({ caption: 'Read', document: { mime_type: 'application/pdf' } });
  });
});

describe('a picture that Telegram would reject as a photo', () => {
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'teal' } });

  test('is scaled down when it has too many pixels', async () => {
    const wide = await flat(9000, 4000).png().toBuffer();
    await publish(images(sandbox.addMedia('wide.png', wide)));
    expect(methods()).toEqual(['sendPhoto']);
    const { width = 0, height = 0 } = sandbox.posts()[0]?.media[0] ?? {};
    expect(width + height).toBeLessThanOrEqual(10_000);
    expect(width / height).toBeCloseTo(9000 / 4000, 1);
  });

  test('is compressed when it has too many bytes', async () => {
    const noise = Buffer.from(
      Uint32Array.from({ length: 1_000_000 }, (_, i) => Math.imul(i, 2654435761)).buffer,
    );
    const heavy = await sharp(noise, { raw: { width: 2000, height: 2000, channels: 1 } })
      .toColourspace('srgb')
      .png({ compressionLevel: 0 })
      .toBuffer();
    expect(heavy.length).toBeGreaterThan(10_485_760);
    await publish(images(sandbox.addMedia('heavy.png', heavy)));
    expect(methods()).toEqual(['sendPhoto']);
  });

  test('is sent as a file when its sides differ too much', async () => {
    const strip = await flat(2100, 100).png().toBuffer();
    await publish(images(sandbox.addMedia('strip.png', strip)));
    expect(methods()).toEqual(['sendDocument']);
  });

  test('makes all items of an album files, because Telegram does not mix them', async () => {
    const strip = await flat(2100, 100).png().toBuffer();
    await publish(images(host('photo.jpg'), sandbox.addMedia('strip.png', strip)));
    const media = JSON.parse(sandbox.posts()[0]?.fields['media'] as string) as { type: string }[];
    expect(media.map(({ type }) => type)).toEqual(['document', 'document']);
  });
});

describe('a picture that Telegram refuses', () => {
  const refuse = (method: RegExp, description: string, times = 1) =>
    sandbox.failNext({
      match: method,
      times,
      respond: { status: 400, body: JSON.stringify({ ok: false, error_code: 400, description }) },
    });

  test.each([
    'Bad Request: PHOTO_INVALID_DIMENSIONS',
    'Bad Request: PHOTO_SAVE_FILE_INVALID',
    'Bad Request: IMAGE_PROCESS_FAILED',
  ])('as a photo with %s is sent as a file', async description => {
    refuse(/sendPhoto$/, description);
    const { checkpoints } = await publish(images(host('photo.jpg')));
    expect(methods()).toEqual(['sendPhoto', 'sendDocument']);
    expect(lastMessage()).toMatchObject({ caption: 'Look', document: { mime_type: 'image/jpeg' } });
    expect(sandbox.posts()).toHaveLength(1);
    expect(checkpoints.at(-1)?.state).toMatchObject({ as_files: true });
  });

  test('in an album makes all its items files', async () => {
    const inner = 'failed to send message #2 with the error message "PHOTO_INVALID_DIMENSIONS"';
    refuse(/sendMediaGroup$/, `Bad Request: ${inner}`);
    await publish(images(host('photo.jpg'), host('photo.jpg')));
    const media = JSON.parse(sandbox.posts()[0]?.fields['media'] as string) as { type: string }[];
    expect(media.map(({ type }) => type)).toEqual(['document', 'document']);
  });

  test('as a file too fails', async () => {
    refuse(/sendPhoto$/, 'Bad Request: IMAGE_PROCESS_FAILED');
    refuse(/sendDocument$/, 'Bad Request: wrong file identifier/HTTP URL specified');
    await expect(publish(images(host('photo.jpg')))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
    });
    expect(methods()).toEqual(['sendPhoto', 'sendDocument']);
  });

  test('as an animation, in a group that forbids them, is sent as a file', async () => {
    sandbox.platform.change!('-1001000000003', { lacks: 'can_send_other_messages' });
    await publish(images(host('anim.gif')), '-1001000000003');
    expect(methods()).toEqual(['sendAnimation', 'sendDocument']);
    expect(lastMessage()).toMatchObject({ document: { mime_type: 'image/gif' } });
  });
});

describe('media fail before anything is sent', () => {
  test.each([
    ['a web page', 'image', 'page.html'],
    ['a document as a photo', 'image', 'doc.pdf'],
    ['a document as a video', 'video', 'doc.pdf'],
    ['a web page as a document', 'document', 'page.html'],
  ] as const)('when the file is %s', async (_, post_type, name) => {
    await expect(publish({ post_type, media_urls: [host(name)] })).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
      outcomeUnknown: false,
    });
    expect(sandbox.traffic).toEqual([]);
  });

  test('when the file does not exist', async () => {
    await expect(publish(images(`${sandbox.url}/_media/none.jpg`))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
    });
  });

  test('when the file is over 50 MB', async () => {
    const url = sandbox.addMedia(
      'big.pdf',
      Buffer.concat([sample('doc.pdf'), Buffer.alloc(50_000_000), Buffer.from('\n%%EOF\n')]),
    );
    await expect(publish({ post_type: 'document', media_urls: [url] })).rejects.toMatchObject({
      code: 'MEDIA_REJECTED',
      message: expect.stringMatching(/size is \d+ bytes; at most 50000000 bytes/),
    });
  });

  test('when the address is private', async () => {
    await expect(publish(images('http://169.254.169.254/a.jpg'))).rejects.toMatchObject({
      kind: 'rejected',
      code: 'MEDIA_REJECTED',
    });
  });

  test('transiently and with a known outcome when the media server does not respond', async () => {
    await expect(publish(images('http://127.0.0.1:9/a.jpg'))).rejects.toMatchObject({
      kind: 'transient',
      outcomeUnknown: false,
    });
  });

  test('never in the middle of an upload, which has the time that it may need', () => {
    expect(UPLOAD_TIMEOUT_MS + RESERVE_MS).toBeLessThanOrEqual(rules.worker.request_s * 1000);
  });

  test('transiently when too little time is left for an upload', async () => {
    const short = { ...options(), remainingMs: () => 19_000 };
    await expect(drive(publisher, jobFor(images(host('photo.jpg'))), short)).rejects.toMatchObject({
      kind: 'transient',
      outcomeUnknown: false,
    });
    expect(sandbox.traffic).toEqual([]);
  });
});

describe('a response of Telegram', () => {
  test('that the group became a supergroup leads to the new chat at once, and its id is stored', async () => {
    const stored: object[] = [];
    const { post, checkpoints } = await drive(publisher, jobFor({ text: 'Moved' }, '-4000000005'), {
      ...options(),
      onAttributes: changed => stored.push(changed),
    });
    expect(stored).toEqual([{ chat_id: '-1001000000003' }]);
    expect(methods()).toEqual(['sendMessage', 'sendMessage']);
    expect(post.platform_post_id).toBe('-1001000000003:1');
    expect(checkpoints.at(-1)?.state).toEqual({
      chat_id: '-1001000000003',
      message_ids: [1],
      as_files: false,
    });
    expect(sandbox.posts()).toHaveLength(1);
  });

  test('that the group became a supergroup leads an upload to the new chat too', async () => {
    const { post } = await publish(images(host('photo.jpg')), '-4000000005');
    expect(post.platform_post_id).toBe('-1001000000003:1');
    expect(sandbox.posts()).toMatchObject([{ media: [{ size: sample('photo.jpg').length }] }]);
  });

  test('with flood control is retried after its delay', async () => {
    sandbox.setLimit({ retry_after: 37 });
    await expect(publish({ text: 'Hi' })).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'PLATFORM_RATE_LIMIT',
      retryAfterMs: 38_000,
    });
  });

  test.each([
    ['that the bot was removed from the channel', '-1001000000006', 'TOKEN_EXPIRED'],
    ['that the bot is not a member', '-1001000000007', 'TOKEN_EXPIRED'],
    ['that the bot may not post', '-1001000000008', 'PERMISSION_MISSING'],
    ['that the group was deleted', '-4000000009', 'TOKEN_EXPIRED'],
    ['that the chat does not exist', '-1009999999999', 'TOKEN_EXPIRED'],
  ])('%s requires a reconnect', async (_, chatId, code) => {
    await expect(publish({ text: 'Hi' }, chatId)).rejects.toMatchObject({ kind: 'token_expired', code });
  });

  test('that the token was revoked requires a reconnect', async () => {
    sandbox.platform.tokens('revoke', null);
    await expect(publish({ text: 'Hi' })).rejects.toMatchObject({
      kind: 'token_expired',
      code: 'TOKEN_EXPIRED',
    });
  });
});

describe('a lost response', () => {
  test.each([
    ['text', () => ({ text: 'Hi' })],
    ['photo', () => images(host('photo.jpg'))],
  ])('of a %s leaves the outcome unknown', async (_, change) => {
    sandbox.failNext({ match: /\/send/, drop: 'after' });
    await expect(publish(change())).rejects.toMatchObject({ kind: 'transient', outcomeUnknown: true });
    expect(sandbox.posts()).toHaveLength(1);
  });

  test('cannot be reconciled, because a bot cannot read a chat', async () => {
    const job = jobFor({ text: 'Hi' });
    const finding = await reconcile(publisher, job, publisher.start(job), sandbox.now(), options());
    expect(finding).toEqual({ type: 'unknown' });
    expect(sandbox.traffic).toEqual([]);
  });

  test('does not reveal the token', async () => {
    sandbox.failNext({ drop: 'after' });
    const failure: unknown = await publish({ text: 'Hi' }).catch((error: unknown) => error);
    expect(String(failure)).not.toContain(DEMO_TOKEN.split(':')[1]);
  });
});

describe('the link of a message', () => {
  test.each([
    ['public channel', { id: -1001, type: 'channel', username: 'news' }, 'https://t.me/news/7'],
    ['private channel', { id: -1001001001002, type: 'channel' }, 'https://t.me/c/1001001002/7'],
    ['public group', { id: -1005, type: 'supergroup', username: 'talk' }, 'https://t.me/talk/7'],
    ['private supergroup', { id: -1001557912345, type: 'supergroup' }, 'https://t.me/c/1557912345/7'],
    ['basic group', { id: -4000000004, type: 'group' }, null],
    ['private chat', { id: 4000000010, type: 'private', username: 'ann' }, null],
  ] as const)('in a %s', (_, chat, link) => {
    expect(linkTo(chat, 7)).toBe(link);
  });

  test.each(['-1001001001002', '-4000000004', '4000000010'])(
    'in chat %s is the link that the sandbox shows',
    async chatId => {
      const { post } = await publish({ text: 'Hi' }, chatId);
      expect(post.platform_post_url).toBe(sandbox.posts()[0]?.platform_post_url);
    },
  );
});
