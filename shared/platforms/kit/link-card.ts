import { sendFollowing } from '../../net/follow.ts';
import { readHtml } from '../../net/html.ts';
import type { HttpResponse } from '../../net/http.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import type { PictureNeeds } from '../contract/pictures.ts';
import type { StepContext } from '../contract/publisher.ts';
import { MB } from './sizes.ts';

/** What a link's preview shows. */
export interface LinkCard {
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

/**
 * Reads a page's own description (Open Graph) and its picture, converted to meet `needs`. Null where there is none: a card
 * never stops a post.
 */
export async function readLinkCard(tools: Tools, uri: string, needs: PictureNeeds): Promise<LinkCard | null> {
  try {
    const page = await fetched(tools, uri, PAGE);
    const type = page.headers['content-type'] ?? '';
    if (page.status !== 200 || !/\bhtml\b/i.test(type)) return null;
    const html = decode(page.body, type);
    const { meta, title: pageTitle } = readMetadata(html);
    const title = meta.get('og:title') ?? pageTitle;
    if (!title) return null;
    return {
      uri,
      title: clip(title, 300),
      description: clip(meta.get('og:description') ?? meta.get('description') ?? '', 1000),
      thumb: await readThumb(tools, meta.get('og:image'), page.url, needs),
    };
  } catch {
    return null;
  }
}

async function readThumb(
  tools: Tools,
  address: string | undefined,
  base: string,
  needs: PictureNeeds,
): Promise<FittedPicture | null> {
  if (!address || !URL.canParse(address, base)) return null;
  try {
    const { status, body } = await fetched(tools, new URL(address, base).href, PICTURE);
    return status === 200 ? await tools.files.fit(body, needs) : null;
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

interface PageMetadata {
  /** Contents of `<meta property|name=… content=…>`, the first of each name. */
  meta: ReadonlyMap<string, string>;
  title: string;
}

function readMetadata(html: string): PageMetadata {
  const meta = new Map<string, string>();
  let title = '';
  readHtml(html, {
    startTag: (tag, attributes) => {
      const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
      const content = attributes.get('content')?.trim();
      if (tag === 'meta' && name && content && !meta.has(name)) meta.set(name, content);
      return tag !== 'body';
    },
    text: (text, parent) => {
      if (parent === 'title' && title.length < MAX_TITLE) title += text;
    },
  });
  return { meta, title: title.trim() };
}

const MAX_TITLE = 2000;

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
