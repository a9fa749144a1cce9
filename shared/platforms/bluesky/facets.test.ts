import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rules } from './rules.ts';
import { detectFacets, firstLink, type Facet } from './facets.ts';

const DID = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
const anybody = (): Promise<string | null> => Promise.resolve(DID);
const nobody = (): Promise<string | null> => Promise.resolve(null);

/** Each facet as the words that it covers, by bytes, and what they stand for. */
async function found(text: string, resolve = anybody): Promise<[string, string][]> {
  const bytes = Buffer.from(text);
  const facets = await detectFacets(text, resolve);
  return facets.map(facet => [covered(bytes, facet), meaning(facet)]);
}

function covered(bytes: Buffer, { index }: Facet): string {
  return bytes.subarray(index.byteStart, index.byteEnd).toString();
}

function meaning({ features: [feature] }: Facet): string {
  switch (feature?.$type) {
    case 'app.bsky.richtext.facet#link':
      return feature.uri;
    case 'app.bsky.richtext.facet#mention':
      return feature.did;
    default:
      return `tag ${feature?.tag}`;
  }
}

describe('offsets', () => {
  test('are UTF-8 bytes, also after an emoji and with accents', async () => {
    expect(await detectFacets('🔗 https://example.com/a #café', anybody)).toEqual([
      {
        index: { byteStart: 5, byteEnd: 26 },
        features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/a' }],
      },
      {
        index: { byteStart: 27, byteEnd: 33 },
        features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'café' }],
      },
    ]);
  });

  test('agree with those of the official library', async () => {
    const text = 'Hallo 👋 @alice.test see example.com/a, … #tag #1 #a-b! $TSLA now';
    const facets = await detectFacets(text, anybody);
    expect(facets.map(({ index }) => [index.byteStart, index.byteEnd])).toEqual([
      [11, 22],
      [27, 40],
      [46, 50],
      [54, 58],
      [60, 65],
    ]);
    expect(facets.map(meaning)).toEqual([DID, 'https://example.com/a', 'tag tag', 'tag a-b', 'tag $TSLA']);
  });

  test('lie within the text that is really sent, after it was cut', async () => {
    const description = `${'word '.repeat(58)}see https://example.com/a/long/path #tag`;
    const text = rules.shape({
      post_type: 'text',
      title: null,
      description,
      media_urls: [],
      first_comment: null,
      auto_truncate: true,
      options: {},
      account: null,
    });
    expect(text).toMatch(/…$/);
    for (const { index } of await detectFacets(text, anybody)) {
      expect(index.byteEnd).toBeLessThanOrEqual(Buffer.byteLength(text));
    }
  });
});

describe('links', () => {
  test.each([
    ['see https://example.com.', 'https://example.com', 'https://example.com'],
    ['(https://example.com/a)', 'https://example.com/a', 'https://example.com/a'],
    ['https://e.com/a_(b)', 'https://e.com/a_(b)', 'https://e.com/a_(b)'],
    ['«https://example.com/»', 'https://example.com/', 'https://example.com/'],
    ['👉https://example.com', 'https://example.com', 'https://example.com'],
    ['HTTPS://Example.com/A', 'HTTPS://Example.com/A', 'HTTPS://Example.com/A'],
    ['read example.co.uk/a?b=c#d, now', 'example.co.uk/a?b=c#d', 'https://example.co.uk/a?b=c#d'],
    ['my-site.dev:8080 is up', 'my-site.dev:8080', 'https://my-site.dev:8080'],
    ['https://example.com/café', 'https://example.com/café', 'https://example.com/caf%C3%A9'],
    ['www.example.com!', 'www.example.com', 'https://www.example.com'],
  ])('%s', async (text, words, uri) => {
    expect(await found(text)).toEqual([[words, uri]]);
  });

  test.each([
    'mail me@example.com',
    'version 1.2.3',
    'end.Then',
    'foo.notatld',
    'https://',
    'ftp://example.com',
    'a.b',
  ])('%s has none', async text => {
    expect(await found(text)).toEqual([]);
  });

  test('the first one is what a card shows', async () => {
    const facets = await detectFacets('#a @b.test one.com https://two.com', anybody);
    expect(firstLink(facets)).toBe('https://one.com');
    expect(firstLink([])).toBeNull();
  });
});

describe('mentions', () => {
  test.each([
    ['@alice.test', '@alice.test'],
    ['hi (@Alice.bsky.social)', '@Alice.bsky.social'],
    ['@alice.bsky.social.', '@alice.bsky.social'],
    ["@alice.test's", '@alice.test'],
  ])('%s', async (text, words) => {
    expect(await found(text)).toEqual([[words, DID]]);
  });

  test.each(['@alice', 'a@alice.test', '@alice.notatld', '@-a.com', '@..com', '@'])(
    '%s is none',
    async text => {
      expect(await found(text)).toEqual([]);
    },
  );

  test('each name is looked up once, in lower case', async () => {
    const asked: string[] = [];
    const resolve = (handle: string) => {
      asked.push(handle);
      return Promise.resolve(DID);
    };
    await detectFacets('@Alice.test @alice.test @bob.test', resolve);
    expect(asked).toEqual(['alice.test', 'bob.test']);
  });

  test('one that nobody has stays text, and harms no other facet', async () => {
    expect(await found('@alice.test #tag', nobody)).toEqual([['#tag', 'tag tag']]);
  });
});

describe('tags', () => {
  test.each([
    ['#tag', '#tag', 'tag'],
    ['＃全角', '＃全角', '全角'],
    ['#2026a', '#2026a', '2026a'],
    ['#🦋', '#🦋', '🦋'],
    ['#a_b…', '#a_b', 'a_b'],
    ['$tsla?', '$tsla', '$TSLA'],
  ])('%s', async (text, words, tag) => {
    expect(await found(text)).toEqual([[words, `tag ${tag}`]]);
  });

  test.each(['#1', '#', 'a#b', '#️⃣', '#!!', '$5', '$TOOLONG', `#${'a'.repeat(65)}`])(
    '%s is none',
    async text => {
      expect(await found(text)).toEqual([]);
    },
  );
});

test('every facet covers whole characters of the text, in order and apart from the others', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '🔗',
      'é',
      '#café',
      '@alice.test',
      'https://e.com/#a',
      'example.com',
      '$ABC',
      ' ',
      '\n',
      '(',
      ').',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async pieces => {
      const text = pieces.join('').toWellFormed();
      const bytes = Buffer.from(text);
      let end = 0;
      for (const facet of await detectFacets(text, anybody)) {
        const { byteStart, byteEnd } = facet.index;
        expect(byteStart).toBeGreaterThanOrEqual(end);
        expect(byteEnd).toBeGreaterThan(byteStart);
        expect(byteEnd).toBeLessThanOrEqual(bytes.length);
        const words = covered(bytes, facet);
        expect(text).toContain(words);
        const [feature] = facet.features;
        if (feature?.$type === 'app.bsky.richtext.facet#tag') {
          expect([words, words.toUpperCase()]).toContain(words.startsWith('$') ? feature.tag : words);
          expect(words.slice(1).toUpperCase()).toBe(feature.tag.replace(/^\$/, '').toUpperCase());
        }
        end = byteEnd;
      }
    }),
  );
});
