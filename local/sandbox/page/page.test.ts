import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { SandboxPost } from '../../../shared/platforms/contract/sandbox.ts';
import { startFakeSandbox } from '../fake.ts';
import { SANDBOXES } from '../../../shared/platforms/registry/sandboxes.ts';
import { richText } from './rich-text.ts';

function post(platform: SandboxPost['platform'], text: string, fields: JsonObject = {}): SandboxPost {
  return {
    platform,
    account: 'demo',
    platform_post_id: '1',
    platform_post_url: null,
    kind: 'text',
    text,
    title: null,
    media: [],
    comments: [],
    fields,
    published_at: '2026-03-02T10:00:00.000Z',
  };
}

const linksOf = (of: SandboxPost) =>
  richText(SANDBOXES[of.platform]!, of, of.text ?? '').flatMap(({ text, href }) =>
    href === undefined ? [] : [[text, href]],
  );
const bytes = (text: string, part: string) => {
  const byteStart = Buffer.byteLength(text.slice(0, text.indexOf(part)));
  return { byteStart, byteEnd: byteStart + Buffer.byteLength(part) };
};

describe('links in texts', () => {
  test('are found in the text on X', () => {
    const text = '👋 @you: see example.com/a?b=1, https://example.com #café $ACME <b>&amp;';
    expect(linksOf(post('x', text))).toEqual([
      ['@you', 'https://x.com/you'],
      ['example.com/a?b=1', 'https://example.com/a?b=1'],
      ['https://example.com', 'https://example.com'],
      ['#café', 'https://x.com/hashtag/caf%C3%A9'],
      ['$ACME', 'https://x.com/search?q=%24ACME'],
    ]);
  });

  test('do not change the text', () => {
    const text = 'a #b c https://d.example/e 🎉 @f';
    const runs = richText(SANDBOXES.telegram!, post('telegram', text), text);
    expect(runs.map(run => run.text).join('')).toBe(text);
  });

  test('are taken from the facets on Bluesky, by UTF-8 offsets', () => {
    const text = 'Grüße 👋 @alice and here #tag #plain https://example.com';
    const facets = [
      { index: bytes(text, '#tag'), features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'tag' }] },
      {
        index: bytes(text, '@alice'),
        features: [{ $type: 'app.bsky.richtext.facet#mention', did: 'did:plc:a' }],
      },
      {
        index: bytes(text, 'here'),
        features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://e.example' }],
      },
    ];
    expect(linksOf(post('bluesky', text, { record: { text, facets } }))).toEqual([
      ['@alice', 'https://bsky.app/profile/did:plc:a'],
      ['here', 'https://e.example'],
      ['#tag', 'https://bsky.app/hashtag/tag'],
    ]);
  });

  test('ignore overlapping and invalid facets', () => {
    const text = 'one two';
    const facets = [
      { index: { byteStart: 0, byteEnd: 7 }, features: [{ tag: 'a' }] },
      { index: { byteStart: 4, byteEnd: 7 }, features: [{ tag: 'b' }] },
      { index: { byteStart: 'x' }, features: [] },
      null,
    ];
    expect(linksOf(post('bluesky', text, { facets }))).toEqual([['one two', 'https://bsky.app/hashtag/a']]);
  });
});

describe('the page', () => {
  let fake: Awaited<ReturnType<typeof startFakeSandbox>>;
  beforeEach(async () => void (fake = await startFakeSandbox()));
  afterEach(() => fake.sandbox.close());

  const get = (path: string) => fetch(`${fake.sandbox.url}${path}`);
  const posts = async (query = '') =>
    (await (await get(`/_page/posts${query}`)).json()) as {
      counts: object;
      total: number;
      groups: { destinations: { post: SandboxPost | null }[] }[];
    };
  const shownOf = async (query = '') =>
    (await posts(query)).groups.flatMap(({ destinations }) => destinations.map(({ post }) => post));

  test.each(['/', '/receivers', '/_page/app.js', '/_page/style.css', '/_page/badges.css'])(
    'serves %s without external resources',
    async path => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(await answer.text()).not.toMatch(/(src|href)="https?:|@import|url\(http/);
    },
  );

  test('lists the newest posts first, with links and without the raw request', async () => {
    await fake.tweet('first');
    await fake.tweet('second #tag');
    const { counts, total } = await posts();
    const shown = await shownOf();
    expect({ counts, total }).toEqual({ counts: { x: 2 }, total: 2 });
    expect(shown.map(post => post?.text)).toEqual([
      [{ text: 'second ' }, { text: '#tag', href: 'https://x.com/hashtag/tag' }],
      [{ text: 'first' }],
    ]);
    expect(shown[0]).not.toHaveProperty('fields');
    expect(await shownOf('?limit=1')).toHaveLength(1);
    expect(await shownOf('?platform=telegram')).toEqual([]);
  });

  test('embeds its initial data safely', async () => {
    await fake.tweet('</script><script>alert(1)</script> $& $1');
    const html = await (await get('/')).text();
    expect(html).not.toContain('<script>alert');
    const first: unknown = JSON.parse(/<script id="first"[^>]*>([^<]*)<\/script>/.exec(html)![1]!);
    expect(first).toEqual(await posts());
  });

  test('inserts content as text only', async () => {
    expect(await (await get('/_page/app.js')).text()).not.toMatch(
      /innerHTML|insertAdjacentHTML|document\.write|eval/,
    );
  });

  test('shows platforms by the names and colors of their definitions', async () => {
    const { platforms } = (await (await get('/_page/posts')).json()) as { platforms: object[] };
    expect(platforms).toEqual([{ id: 'x', name: 'Fake', letters: 'F' }]);
    expect(await (await get('/_page/badges.css')).text()).toBe(
      '.badge.x { background: light-dark(#123456, #654321); }\n',
    );
  });
});
