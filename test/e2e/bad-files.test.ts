import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { localClientConfig } from '../../local/aws/tables.ts';
import { MOST_CONCURRENT } from '../../local/lambda/event-sources.ts';
import { FILE_OF_FORMAT, type MediaFormat } from '../../shared/model/media.ts';
import { badFiles } from '../support/bad-files.ts';
import { closeStack, create, eventually, finalPost, isFinal, read } from '../support/e2e.ts';
import { filesOfFormats } from '../support/formats.ts';
import { testOrigin, type TestOrigin } from '../support/origin.ts';
import { sharedStack } from '../support/shared-stack.ts';
import type { Answer, Json, TestStack } from '../support/stack.ts';

/* Invalid files through every upload method: each is refused with a 400 that names the problem, and leaves no object behind. */

const files = await filesOfFormats();
const FORMATS = Object.keys(FILE_OF_FORMAT) as MediaFormat[];

let stack: TestStack;
let s3: S3Client;
/** Keys of other files that use the stack. */
let earlier: ReadonlySet<string> = new Set();
let origin: TestOrigin;
/** How the origin responds; set by each test. */
let respond: RequestListener;
beforeAll(async () => {
  [stack, origin] = await Promise.all([
    sharedStack(['x', 'bluesky', 'telegram']),
    testOrigin((request, response) => respond(request, response)),
  ]);
  s3 = new S3Client(localClientConfig(stack.aws.endpoint));
  earlier = new Set(await keys());
});
afterAll(async () => {
  s3.destroy();
  await closeStack(stack);
  await origin.close();
});

/** Keys of the objects that this file has stored. */
async function keys(): Promise<string[]> {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: stack.aws.bucket }));
  return Contents.map(({ Key }) => Key!)
    .filter(key => !earlier.has(key))
    .sort();
}

const post = (path: string, body: unknown): Promise<Answer<Json>> => stack.api('POST', path, body);

/** The upload methods. */
const METHODS = {
  form: (bytes: Buffer, name: string) => {
    const fields = new FormData();
    fields.set('profile_name', 'Demo');
    fields.set('file', new File([Uint8Array.from(bytes)], name));
    return post('/upload-media', fields);
  },
  url: (bytes: Buffer, name: string, type: string) => {
    respond = (_, response) =>
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
type Method = keyof typeof METHODS;
const FIELD: Readonly<Record<Method, string>> = { form: 'file', url: 'url', direct: 'upload_id' };

async function expectRefused(method: Method, request: Promise<Answer<Json>>, message: RegExp): Promise<void> {
  const { status, body } = await request;
  expect([status, body]).toEqual([
    400,
    {
      error: 'Validation failed',
      details: [{ field: FIELD[method], message: expect.stringMatching(message), platform: null }],
    },
  ]);
}

describe.each(['form', 'url', 'direct'] as const)('an upload by %s', method => {
  test.each(badFiles(files).map(file => [file.name, file] as const))(
    'is refused without leaving an object when the file is %s',
    async (_, { bytes, message }) => {
      const before = await keys();
      await expectRefused(method, METHODS[method](bytes, 'photo.png', 'image/png'), message);
      expect(await keys()).toEqual(before);
    },
  );
});

describe('a file with a wrong name and type', () => {
  test.each(FORMATS)('is stored with its real type: %s', async format => {
    const other = format === 'PNG' ? 'application/pdf' : 'image/png';
    for (const method of ['form', 'url'] as const) {
      const { status, body } = await METHODS[method](files[format], 'setup.exe', other);
      expect([status, body]).toMatchObject([
        201,
        { file_type: FILE_OF_FORMAT[format].type, file_name: 'setup.exe', size: files[format].length },
      ]);
      expect(body.public_url).toMatch(new RegExp(`\\.${FILE_OF_FORMAT[format].extension}$`));
    }
    const before = await keys();
    await expectRefused('direct', METHODS.direct(files[format], 'setup.exe', other), /was announced/);
    expect(await keys()).toEqual(before);
  });
});

describe('a file name', () => {
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
  ])('%j is cleaned and does not become part of the object key', async name => {
    for (const method of ['form', 'url', 'direct'] as const) {
      if (method !== 'form' && name === '') continue;
      const { status, body } = await METHODS[method](files.PNG, name.slice(0, 1500), 'image/png');
      expect([method, status]).toEqual([method, method === 'direct' ? 200 : 201]);
      expect(body.file_name.length).toBeLessThanOrEqual(255);
      expect(body.file_name).not.toMatch(/[/\\\p{Cc}\u202E]|^\.*$/u);
      expect(new URL(body.public_url).pathname).toMatch(/\/media\/[\w-]{32}\.png$/);
    }
    expect((await keys()).filter(key => !/^public\/media\/[\w-]{32}\.\w+$/.test(key))).toEqual([]);
  });
});

describe('an import', () => {
  const GIB_6 = 6 * 1024 ** 3;
  const long = Buffer.concat([files.JPG, Buffer.alloc(100_000)]);
  const redirectTo =
    (location: string): RequestListener =>
    (_, response) =>
      void response.writeHead(302, { location }).end();

  test.each<[string, RequestListener, RegExp]>([
    [
      'the response announces a 6 GB image',
      (_, response) => void response.writeHead(200, { 'content-length': GIB_6 }).write(long),
      /larger than/,
    ],
    [
      'the response announces a 6 GB video and breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': GIB_6 });
        response.write(files.MP4.subarray(0, 30_000), () => response.destroy());
      },
      /could not be downloaded/,
    ],
    [
      'it redirects to an unknown host',
      redirectTo('http://nowhere.invalid/a.png'),
      /could not be downloaded/,
    ],
    ['it redirects to a private address', redirectTo('http://10.1.2.3/a.png'), /not public/],
    [
      'it redirects to the metadata service',
      redirectTo('http://169.254.169.254/latest/meta-data/'),
      /not public/,
    ],
    ['it redirects to a local file', redirectTo('file:///etc/passwd'), /url must be an http or https URL/],
    ['it redirects in a loop', redirectTo('/again'), /redirects more than/],
    ['the connection is closed', request => void request.socket.destroy(), /could not be downloaded/],
    ['the response is 404', (_, response) => void response.writeHead(404).end(), /answered 404/],
  ])('is refused without leaving an object when %s', async (_, listener, message) => {
    respond = listener;
    const before = await keys();
    const request = post('/upload-media', { profile_name: 'Demo', url: `${origin.url}/a.png` });
    await expectRefused('url', request, message);
    expect(await keys()).toEqual(before);
  });

  test('of an endless response fails in the background without leaving an object', async () => {
    const block = Buffer.alloc(1024 ** 2);
    respond = (_, response) => {
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
    const after = await eventually('the import has failed', 300_000, async () => {
      const { body: now } = await stack.api('GET', `/upload-media/${body.upload_id}`);
      return now.status === 'failed' ? now : null;
    });
    expect(after).toMatchObject({ error: expect.stringMatching(/larger than/), public_url: null });
    expect(await keys()).toEqual(before);
  });
});

/** Twice as many as a platform's publishers take at a time: one picture each. */
const SLOW_POSTS = 2 * MOST_CONCURRENT;

describe('hosts that send a byte a second', () => {
  test('delay their own posts only', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': 100_000 });
      const timer = setInterval(() => response.write('x'), 1000);
      response.on('close', () => clearInterval(timer));
    };
    const slow = await Promise.all(
      Array.from({ length: SLOW_POSTS }, (_, index) =>
        create(stack, {
          post_type: 'image',
          platforms: ['bluesky'],
          description: `Slow ${index}`,
          media_urls: [`${origin.url}/${index}.jpg`],
        }),
      ),
    );
    const text = await create(stack, { platforms: ['bluesky'], description: 'Not slow' });
    expect(await finalPost(stack, text)).toMatchObject({ status: 'published' });
    // It was not their end that let the text post pass.
    const posts = await Promise.all(slow.map(id => read(stack, id)));
    expect(posts.filter(post => !post.destinations.some(isFinal))).toHaveLength(SLOW_POSTS);
  });
});
