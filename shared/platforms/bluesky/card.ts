import { sendFollowing } from '../../net/follow.ts';
import type { HttpResponse } from '../../net/http.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import type { StepContext } from '../contract/publisher.ts';
import { MB } from '../kit/sizes.ts';
import { THUMB } from './rules.ts';

/** What a link's preview shows. */
export interface Card {
  uri: string;
  title: string;
  description: string;
  thumb: FittedPicture | null;
}

/** What a page or picture may weigh, and what is asked for. */
interface Wanted {
  maxBytes: number;
  accept: string;
}
const PAGE: Wanted = { maxBytes: 3 * MB, accept: 'text/html' };
const PICTURE: Wanted = { maxBytes: 15 * MB, accept: 'image/*' };
const TIMEOUT_MS = 8_000;

type Tools = Pick<StepContext<unknown>, 'media' | 'files'>;

/** Reads a page's own description (Open Graph). Null where there is none: a card never stops a post. */
export async function readCard(tools: Tools, uri: string): Promise<Card | null> {
  try {
    const page = await fetched(tools, uri, PAGE);
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
      thumb: await readThumb(tools, meta.get('og:image'), page.url),
    };
  } catch {
    return null;
  }
}

async function readThumb(
  tools: Tools,
  address: string | undefined,
  base: string,
): Promise<FittedPicture | null> {
  if (!address || !URL.canParse(address, base)) return null;
  try {
    const { status, body } = await fetched(tools, new URL(address, base).href, PICTURE);
    return status === 200 ? await tools.files.fit(body, THUMB) : null;
  } catch {
    return null;
  }
}

function fetched(
  { media }: Tools,
  url: string,
  { maxBytes, accept }: Wanted,
): Promise<HttpResponse & { url: string }> {
  const headers = { accept, 'user-agent': 'Mozilla/5.0 (compatible; social-publishing-service)' };
  return sendFollowing(media, { method: 'GET', url, headers, timeoutMs: TIMEOUT_MS, maxBytes });
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

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    ndash: '–',
    mdash: '—',
    hellip: '…',
  }),
);

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/giu,
    (whole: string, hex, decimal, name) => {
      if (typeof name === 'string') return ENTITIES.get(name.toLowerCase()) ?? whole;
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
