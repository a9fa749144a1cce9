import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { localClient } from '../../local/aws/tables.ts';
import { FILE_OF_FORMAT, type MediaFormat } from '../../shared/model/media.ts';
import { badFiles } from '../support/bad-files.ts';
import { closeStack, eventually } from '../support/e2e.ts';
import { filesOfFormats } from '../support/formats.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { startStack, type Answer, type Json, type TestStack } from '../support/stack.ts';

/** Files that no upload may bring in, by every way that there is: each is a clear 400, and nothing of it is left. */

const files = await filesOfFormats();
const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];

let stack: TestStack;
let s3: S3Client;
let origin: TestOrigin;
/** What the origin answers; set by each test. */
let answer: RequestListener;
beforeAll(async () => {
  [stack, origin] = await Promise.all([
    startStack(),
    testOrigin((request, response) => answer(request, response)),
  ]);
  s3 = new S3Client(localClient(stack.aws.endpoint));
});
afterAll(async () => {
  s3.destroy();
  await closeStack(stack);
  await origin.close();
});

async function keys(): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: stack.aws.bucket }));
  return Contents.map(({ Key }) => Key!).sort();
}

const post = (path: string, body: unknown): Promise<Answer<Json>> => stack.api('POST', path, body);

/** The ways in; a file is called what it is not. */
const WAYS = {
  form: (bytes: Buffer, name: string) => {
    const fields = new FormData();
    fields.set('profile_name', 'Demo');
    fields.set('file', new File([Uint8Array.from(bytes)], name));
    return post('/upload-media', fields);
  },
  url: (bytes: Buffer, name: string, type: string) => {
    answer = (_, response) =>
      void response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    return post('/upload-media', { profile_name: 'Demo', url: `${origin.url}/${encodeURIComponent(name)}` });
  },
  direct: async (bytes: Buffer, name: string, type: string) => {
    const request = { profile_name: 'Demo', file_name: name, file_type: type };
    const { body } = await post('/upload-media/presign', request);
    const put = { method: 'PUT', body: Uint8Array.from(bytes), headers: body.headers };
    expect((await fetch(body.presigned_url, put)).status).toBe(200);
    return post('/upload-media/confirm', { upload_id: body.upload_id });
  },
} as const;
type Way = keyof typeof WAYS;
const FIELD: Readonly<Record<Way, string>> = { form: 'file', url: 'url', direct: 'upload_id' };

async function expectRefused(way: Way, refusing: Promise<Answer<Json>>, words: RegExp): Promise<void> {
  const { status, body } = await refusing;
  expect([status, body]).toEqual([
    400,
    {
      error: 'Validation failed',
      details: [{ field: FIELD[way], message: expect.stringMatching(words), platform: null }],
    },
  ]);
}

describe.each(['form', 'url', 'direct'] as const)('by %s', way => {
  test.each(badFiles(files).map(file => [file.name, file] as const))(
    '%s is refused, and nothing is left',
    async (_, { bytes, words }) => {
      const before = await keys();
      await expectRefused(way, WAYS[way](bytes, 'photo.png', 'image/png'), words);
      expect(await keys()).toEqual(before);
    },
  );
});

describe('a file under another name', () => {
  test.each(FORMATS)('and another type, a %s, is taken for what it is', async format => {
    const other = format === 'PNG' ? 'application/pdf' : 'image/png';
    for (const way of ['form', 'url'] as const) {
      const { status, body } = await WAYS[way](files[format], 'setup.exe', other);
      expect([status, body]).toMatchObject([
        201,
        { file_type: FILE_OF_FORMAT[format].type, file_name: 'setup.exe', size: files[format].length },
      ]);
      expect(body.public_url).toMatch(new RegExp(`\\.${FILE_OF_FORMAT[format].extension}$`));
    }
    const before = await keys();
    await expectRefused('direct', WAYS.direct(files[format], 'setup.exe', other), /was announced/);
    expect(await keys()).toEqual(before);
  });
});

describe('a name', () => {
  test.each([
    '../../../etc/passwd',
    '..\\..\\windows\\system32\\a.png',
    '..%2f..%2fa.png',
    '/public/media/a.png',
    'a.png\u0000.exe',
    'a\r\nContent-Type: text/html\r\n\r\n.png',
    'evil\u202Egnp.exe',
    '<img src=x onerror=alert(1)>.png',
    '"; DROP TABLE posts; --.png',
    'CON',
    '.',
    '',
    '写真 фото صورة 📷👩‍👩‍👧‍👦.png',
    'Z\u0351\u036B\u0343\u036A\u0302A\u0354.png',
    'x'.repeat(2000),
  ])('%j leads nowhere: the key is the service’s own', async name => {
    for (const way of ['form', 'url', 'direct'] as const) {
      if (way !== 'form' && name === '') continue;
      const { status, body } = await WAYS[way](files.PNG, name.slice(0, 1500), 'image/png');
      expect([way, status]).toEqual([way, way === 'direct' ? 200 : 201]);
      expect(body.file_name.length).toBeLessThanOrEqual(255);
      expect(body.file_name).not.toMatch(/[/\\\p{Cc}\u202E]|^\.*$/u);
      expect(new URL(body.public_url).pathname).toMatch(/\/media\/[\w-]{32}\.png$/);
    }
    expect((await keys()).filter(key => !/^public\/media\/[\w-]{32}\.\w+$/.test(key))).toEqual([]);
  });
});

describe('a URL', () => {
  const GIB_6 = 6 * 1024 ** 3;
  const long = Buffer.concat([files.JPG, Buffer.alloc(100_000)]);
  const to =
    (location: string): RequestListener =>
    (_, response) =>
      void response.writeHead(302, { location }).end();

  test.each<[string, RequestListener, RegExp]>([
    [
      'that announces a picture of 6 GB',
      (_, response) => void response.writeHead(200, { 'content-length': GIB_6 }).write(long),
      /larger than/,
    ],
    [
      'that announces a clip of 6 GB, and breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': GIB_6 });
        response.write(files.MP4.subarray(0, 30_000), () => response.destroy());
      },
      /cannot be read/,
    ],
    ['that sends nobody knows where', to('http://nowhere.invalid/a.png'), /cannot be read/],
    ['that sends to a private address', to('http://10.1.2.3/a.png'), /not public/],
    ['that sends to the metadata', to('http://169.254.169.254/latest/meta-data/'), /not public/],
    ['that sends to a file', to('file:///etc/passwd'), /Only http and https/],
    ['that sends round in circles', to('/again'), /redirects more than/],
    ['that hangs up', request => void request.socket.destroy(), /cannot be read/],
    ['that knows nothing', (_, response) => void response.writeHead(404).end(), /answers 404/],
  ])('%s is refused, and nothing is left', async (_, listener, words) => {
    answer = listener;
    const before = await keys();
    const refusing = post('/upload-media', { profile_name: 'Demo', url: `${origin.url}/a.png` });
    await expectRefused('url', refusing, words);
    expect(await keys()).toEqual(before);
  });

  test('that never ends is left to the importer, which gives it up; nothing is left', async () => {
    const block = Buffer.alloc(1024 ** 2);
    answer = (_, response) => {
      response.writeHead(200).write(files.JPG);
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', more);
      more();
    };
    const before = await keys();
    const { status, body } = await post('/upload-media', {
      profile_name: 'Demo',
      url: `${origin.url}/a.jpg`,
    });
    expect([status, body.status]).toEqual([202, 'processing']);
    const after = await eventually('it is given up', 90_000, async () => {
      const { body: now } = await stack.api('GET', `/upload-media/${body.upload_id}`);
      return now.status === 'failed' ? now : null;
    });
    expect(after).toMatchObject({ error: expect.stringMatching(/larger than/), public_url: null });
    expect(await keys()).toEqual(before);
  });
});
