import { openFollowing, sendFollowing } from '../../net/follow.ts';
import { readUpTo } from '../../net/http.ts';
import type { FittedPicture } from '../contract/media-files.ts';
import type { PictureNeeds } from '../contract/pictures.ts';
import type { StepContext } from '../contract/publisher.ts';
import { readPageMetadata } from './page-metadata.ts';
import { MB } from './sizes.ts';

/** What a link's preview shows. */
export interface LinkCard {
  uri: string;
  title: string;
  description: string;
  thumb: FittedPicture | null;
}

/** The head of a page, in which its description is; the rest of a larger page is not read. */
const HEAD_BYTES = 3 * MB;
const PICTURE_BYTES = 15 * MB;
/** For the page, and for all its pictures together. */
const TIMEOUT_MS = 8_000;
const MAX_PICTURES = 4;
const USER_AGENT = 'Mozilla/5.0 (compatible; social-publishing-service)';

type Tools = Pick<StepContext<unknown>, 'media' | 'files'>;

/**
 * Reads a page's own description (Open Graph, Twitter card) and its picture, converted to meet `needs`. Null where there is
 * none: a card never stops a post.
 */
export async function readLinkCard(tools: Tools, uri: string, needs: PictureNeeds): Promise<LinkCard | null> {
  const page = await readPage(tools, uri).catch(() => null);
  if (page === null) return null;
  const { title, description, pictures } = readPageMetadata(page.html);
  if (title === '') return null;
  return {
    uri,
    title: clip(title, 300),
    description: clip(description, 1000),
    thumb: await firstPicture(tools, pictures, page.url, needs),
  };
}

/** Returns the beginning of a page, as far as it arrived, and the URL that sent it; null for anything but a page. */
async function readPage({ media }: Tools, uri: string): Promise<{ html: string; url: string } | null> {
  const headers = { accept: 'text/html', 'user-agent': USER_AGENT };
  const request = { method: 'GET', url: uri, headers, timeoutMs: TIMEOUT_MS } as const;
  const { status, headers: received, stream, url } = await openFollowing(media, request);
  const type = received['content-type'] ?? '';
  const { bytes } = await readUpTo(stream, status === 200 && /\bx?html\b/i.test(type) ? HEAD_BYTES : 0);
  return bytes.length === 0 ? null : { html: decode(bytes, type), url };
}

/** Returns the first picture that the service can convert; null where there is none. */
async function firstPicture(
  tools: Tools,
  addresses: readonly string[],
  base: string,
  needs: PictureNeeds,
): Promise<FittedPicture | null> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (const address of addresses.slice(0, MAX_PICTURES)) {
    const timeoutMs = Math.round(deadline - performance.now());
    if (timeoutMs <= 0) return null;
    const url = URL.canParse(address, base) ? new URL(address, base).href : null;
    const picture = url && (await readPicture(tools, url, timeoutMs, needs).catch(() => null));
    if (picture) return picture;
  }
  return null;
}

async function readPicture(
  { media, files }: Tools,
  url: string,
  timeoutMs: number,
  needs: PictureNeeds,
): Promise<FittedPicture | null> {
  const headers = { accept: 'image/*', 'user-agent': USER_AGENT };
  const request = { method: 'GET', url, headers, timeoutMs, maxBytes: PICTURE_BYTES } as const;
  const { status, body } = await sendFollowing(media, request);
  return status === 200 ? files.fit(body, needs) : null;
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

/** Cuts to a number of UTF-16 units, never within a character. */
function clip(text: string, length: number): string {
  return text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
}
