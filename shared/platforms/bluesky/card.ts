import type { HttpClient } from '../../net/http.ts';
import { download } from './download.ts';
import { shrinkImage, type Image } from '../image.ts';

/** What a link's preview shows. */
export interface Card {
  uri: string;
  title: string;
  description: string;
  thumb: Image | null;
}

const PAGE = { maxBytes: 3 * 1024 * 1024, timeoutMs: 8_000, accept: 'text/html' };
const PICTURE = { maxBytes: 15 * 1024 * 1024, timeoutMs: 8_000, accept: 'image/*' };
/** The lexicon allows a thumbnail 1,000,000 bytes; twice that only pictures of a post. */
const THUMB_BYTES = 976_000;

/** Reads a page's own description (Open Graph). Null where there is none: a card never stops a post. */
export async function readCard(media: HttpClient, uri: string): Promise<Card | null> {
  try {
    const page = await download(media, uri, PAGE);
    const type = page.headers['content-type'] ?? '';
    if (page.status !== 200 || !/\bhtml\b/i.test(type)) return null;
    const html = decode(page.body, type);
    const meta = metaTags(html);
    const title = meta.get('og:title') ?? titleTag(html);
    if (!title) return null;
    return {
      uri,
      title: clip(title, 300),
      description: clip(meta.get('og:description') ?? meta.get('description') ?? '', 1000),
      thumb: await readThumb(media, meta.get('og:image'), page.url),
    };
  } catch {
    return null;
  }
}

async function readThumb(
  media: HttpClient,
  address: string | undefined,
  base: string,
): Promise<Image | null> {
  if (!address || !URL.canParse(address, base)) return null;
  try {
    const { status, body } = await download(media, new URL(address, base).href, PICTURE);
    return status === 200 ? await shrinkImage(body, { maxBytes: THUMB_BYTES }) : null;
  } catch {
    return null;
  }
}

/** Contents of `<meta property|name=… content=…>`, the first of each name. */
function metaTags(html: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const [tag] of html.matchAll(/<meta\s[^>]{1,4000}>/giu)) {
    const attributes = attributesOf(tag);
    const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
    const content = attributes.get('content')?.trim();
    if (name && content && !tags.has(name)) tags.set(name, content);
  }
  return tags;
}

function attributesOf(tag: string): Map<string, string> {
  const pairs = tag.matchAll(/([a-z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/giu);
  return new Map(
    [...pairs].map(([, name = '', double, single, bare]) => [
      name.toLowerCase(),
      decodeEntities(double ?? single ?? bare ?? ''),
    ]),
  );
}

function titleTag(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{1,2000})/iu.exec(html)?.[1] ?? '';
  return decodeEntities(title).trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/giu,
    (whole: string, hex, decimal, name) => {
      if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
      const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function decode(body: Buffer, contentType: string): string {
  const declared = /charset\s*=\s*["']?([\w-]+)/iu;
  const charset = declared.exec(contentType) ?? declared.exec(body.subarray(0, 2048).toString('latin1'));
  try {
    return new TextDecoder(charset?.[1] ?? 'utf-8').decode(body);
  } catch {
    return body.toString('utf8');
  }
}

function clip(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
