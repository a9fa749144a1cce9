import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { blueskyJob, noisyJpeg } from '../../../test/support/bluesky.ts';
import type { AnyGrant } from '../../../test/support/connectors.ts';
import { contextOf } from '../../../test/support/drive.ts';
import { testOrigin, type TestOrigin } from '../../../test/support/origin.ts';
import { createHttpClient } from '../../net/http.ts';
import { readLinkCard } from '../kit/link-card.ts';
import { THUMB } from './rules.ts';

const MIB = 1024 * 1024;
const FILLER = `<p>${'text '.repeat(20_000)}</p>`;

let origin: TestOrigin;
let picture: Buffer;
let pages: Record<string, RequestListener>;
/** Paths in the order of their requests. */
let requested: string[];

beforeAll(async () => {
  picture = await noisyJpeg(60, 40);
  origin = await testOrigin((request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    const page = pages[path];
    if (page) page(request, response);
    else response.writeHead(404).end();
  });
});
afterAll(() => origin.close());
beforeEach(() => {
  pages = { '/good.jpg': serve('image/jpeg', picture) };
  requested = [];
});

const serve =
  (type: string, body: string | Buffer): RequestListener =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': type }).end(body);

const html = (head: string, body = '') =>
  serve('text/html; charset=utf-8', `<!doctype html><html><head>${head}</head><body>${body}</body></html>`);

const meta = (name: string, content: string) => `<meta property="${name}" content="${content}">`;

const grant: AnyGrant = {
  account: { platform_user_id: 'did:plc:a', display_name: 'A', username: 'a.test', avatar_url: null },
  credentials: {},
  scopes: [],
  attributes: {},
  renew_at: null,
  expires_at: null,
};

function card(page: RequestListener) {
  pages['/page'] = page;
  const http = createHttpClient({ sandboxUrl: null, allowLoopback: true });
  const options = { credentials: {}, http, media: http, now: Date.now, advance: () => undefined };
  return readLinkCard(contextOf(blueskyJob(grant), options), `${origin.url}/page`, THUMB);
}

describe('title and description', () => {
  test.each([
    ['of a Twitter card', meta('twitter:title', 'A') + meta('twitter:description', 'B'), 'A', 'B'],
    [
      'of Open Graph, although a Twitter card comes first',
      meta('twitter:title', 'no') +
        meta('twitter:description', 'no') +
        meta('og:title', 'A') +
        meta('og:description', 'B'),
      'A',
      'B',
    ],
    [
      'of both, where each has one',
      `${meta('og:title', 'A')}${meta('twitter:description', 'B')}<meta name="description" content="no">`,
      'A',
      'B',
    ],
    [
      'with name instead of property',
      '<meta name="twitter:title" content="A"><meta name="description" content="B">',
      'A',
      'B',
    ],
    ['of the title element', '<title>A</title>', 'A', ''],
    ['that an empty tag leaves out', `${meta('og:title', ' ')}<title>A</title>`, 'A', ''],
    [
      'with > within quotes',
      meta('og:title', 'A > B: how 5 > 3') + meta('og:description', '1 > 0'),
      'A > B: how 5 > 3',
      '1 > 0',
    ],
    [
      'after a tag that is commented out',
      `<!-- ${meta('og:title', 'old')} -->${meta('og:title', 'A')}`,
      'A',
      '',
    ],
    [
      'with entities',
      meta('og:title', 'Fish &amp; Chips &#8211; &eacute;&#x1F98B;'),
      'Fish & Chips – é🦋',
      '',
    ],
    ['on several lines', '<title>\n  A\n  B\n</title>', 'A B', ''],
    [
      'of a page, not of its inline image',
      '<svg><title>Icon</title></svg><title>A</title><svg><title>no</title></svg>',
      'A',
      '',
    ],
    ['of two title elements', '<title>A</title><title>no</title>', 'A', ''],
  ])('are those %s', async (_, head, title, description) => {
    expect(await card(html(head))).toMatchObject({ title, description, thumb: null });
  });

  test('are at most 300 and 1000 characters, without half a character', async () => {
    const found = await card(
      html(meta('og:title', `${'a'.repeat(299)}🦋`) + meta('og:description', 'b'.repeat(1001))),
    );
    expect(found).toMatchObject({ title: 'a'.repeat(299), description: 'b'.repeat(1000) });
  });

  test('are read in the declared encoding', async () => {
    const body = Buffer.from('<meta charset="iso-8859-1"><title>Café</title>', 'latin1');
    expect(await card(serve('text/html', body))).toMatchObject({ title: 'Café' });
    expect(await card(serve('application/xhtml+xml', '<title>A</title>'))).toMatchObject({ title: 'A' });
  });

  test.each<[string, RequestListener]>([
    ['has neither title nor card', html('<meta name="description" content="B">')],
    ['is no HTML', serve('application/pdf', '<title>A</title>')],
    [
      'does not exist',
      (_, response) =>
        void response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title>'),
    ],
    ['is empty', serve('text/html', '')],
  ])('make no card where the page %s', async (_, page) => {
    expect(await card(page)).toBeNull();
  });
});

describe('a heavy page', () => {
  test('of 4 MB is described by its head', async () => {
    const body = FILLER.repeat(45);
    expect(body.length).toBeGreaterThan(4 * MIB);
    expect(await card(html(meta('og:title', 'A'), body))).toMatchObject({ title: 'A' });
  });

  test('that never ends is read to a limit', async () => {
    let sent = 0;
    const endless: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<title>A</title>');
      const more = () => {
        while (!response.destroyed && response.write(FILLER)) sent += FILLER.length;
      };
      response.on('drain', more);
      more();
    };
    expect(await card(endless)).toMatchObject({ title: 'A' });
    // The rest is in the buffers of the connection.
    expect(sent).toBeLessThan(20 * MIB);
  });

  test('that breaks off is described by what arrived', async () => {
    const broken: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000000' });
      response.write(`${meta('og:title', 'A')}</head>`, () => void response.destroy());
    };
    expect(await card(broken)).toMatchObject({ title: 'A' });
  });
});

describe('the picture', () => {
  const title = meta('og:title', 'A');

  test.each([
    ['og:image', meta('og:image', '/good.jpg')],
    ['og:image:url', meta('og:image:url', '/good.jpg')],
    ['og:image:secure_url', meta('og:image:secure_url', '/good.jpg')],
    ['twitter:image', meta('twitter:image', '/good.jpg')],
    ['twitter:image:src', meta('twitter:image:src', '/good.jpg')],
    [
      'a second og:image, where the first has another format',
      meta('og:image', '/new.avif') + meta('og:image', '/good.jpg'),
    ],
    [
      'twitter:image, where og:image does not exist',
      meta('og:image', '/none.jpg') + meta('twitter:image', '/good.jpg'),
    ],
    ['og:image, where another is no URL', meta('og:image', 'https://') + meta('og:image', '/good.jpg')],
  ])('is that of %s', async (_, head) => {
    pages['/new.avif'] = serve('image/avif', Buffer.from('0000001c66747970617669660000000061766966', 'hex'));
    const found = await card(html(title + head));
    expect(found?.thumb).toMatchObject({ type: 'image/jpeg', width: 60, height: 40 });
  });

  test('is looked for at most four times, each address once', async () => {
    const addresses = ['/1', '/1', '/2', '/3', '/4', '/good.jpg'];
    const found = await card(html(title + addresses.map(address => meta('og:image', address)).join('')));
    expect(found?.thumb).toBeNull();
    expect(requested).toEqual(['/page', '/1', '/2', '/3', '/4']);
  });
});
