import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { MediaFormat } from '../../model/media.ts';
import type { Transfer } from '../../model/transfer.ts';
import { openFollowing } from '../../net/follow.ts';
import { HttpFailure, type HttpClient, type OpenResponse } from '../../net/http.ts';
import { contentRange, strongEtag, wholeNumber } from '../fetch/range-request.ts';
import { directLink } from './share-links.ts';

/** Thrown for a file that will never be accepted. The message is for the user. */
export class UnacceptableFile extends Error {
  override readonly name = 'UnacceptableFile';
}

/** The bytes of a file from an offset on. */
export interface Source {
  type: 'open';
  chunks: AsyncIterable<Buffer>;
  /** Size of the whole file; null where the host does not say. */
  total: number | null;
  etag: string | null;
  contentType: string;
  /** Whether the format was identified from the first bytes. */
  identified: boolean;
  /** Whether a later request may begin where this one was cut. */
  resumable: boolean;
  close: () => void;
}

/** The file is no longer the one of which parts are stored. */
interface Changed {
  type: 'changed';
}

/** Pages of a file host that are followed on the way to the file. */
const MAX_PAGES = 2;
const MAX_PAGE_BYTES = 512 * 1024;

/** Tells whether another request would get the same answer. */
const isFinalStatus = (status: number) => status >= 400 && status < 500 && ![408, 425, 429].includes(status);

/**
 * Opens a file at `offset`. Throws UnacceptableFile where the URL will never lead to a file, HttpFailure where it does
 * not for now.
 */
export async function openSource(
  http: Pick<HttpClient, 'open'>,
  transfer: Transfer,
  offset: number,
  timeoutMs: number,
): Promise<Source | Changed> {
  let url = urlOf(directLink(transfer.source_url));
  for (let page = 0; ; page += 1) {
    const answer = await request(http, url, transfer, offset, timeoutMs);
    // The file is shorter now. The body is an error page, often in HTML.
    if (answer.status === 416) {
      answer.stream.destroy();
      return { type: 'changed' };
    }
    const source = asSource(answer, offset);
    const peeked = await peek(source);
    const html = await readHtmlPage(peeked, source.contentType, offset);
    if (html === null)
      return sameVersionOrChanged(answer, { ...source, chunks: peeked.chunks }, transfer, offset);
    source.close();
    // Loaded here, because most URLs lead to a file.
    const { readSharePage } = await import('./share-pages.ts');
    const next = readSharePage(answer.url, html);
    if (!next || page === MAX_PAGES)
      throw new UnacceptableFile('The URL returns a web page, not a media file');
    url = urlOf(next);
  }
}

function urlOf(link: ReturnType<typeof directLink>): string {
  if ('problem' in link) throw new UnacceptableFile(link.problem);
  return link.url;
}

type Answer = Awaited<ReturnType<typeof openFollowing>>;

async function request(
  http: Pick<HttpClient, 'open'>,
  url: string,
  { etag }: Transfer,
  offset: number,
  timeoutMs: number,
): Promise<Answer> {
  const answer = await openFollowing(http, {
    method: 'GET',
    url,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'social-publishing-service',
      ...(offset > 0 && { range: `bytes=${offset}-` }),
      ...(offset > 0 && etag !== null && { 'if-range': etag }),
    },
    timeoutMs,
  });
  const { status, stream } = answer;
  if (status === 200 || status === 206 || (status === 416 && offset > 0)) return answer;
  stream.destroy();
  if (isFinalStatus(status)) throw new UnacceptableFile(`The media host answered ${status}`);
  throw new HttpFailure('network', `The media host answered ${status}`, true);
}

function asSource(answer: Answer, offset: number): Source {
  const { headers, stream } = answer;
  const coding = contentCoding(headers['content-encoding']);
  const { start, total } = positionOf(answer);
  const expected = coding !== null || total === null ? null : total - start;
  return {
    type: 'open',
    chunks: bytesFrom(coding === null ? stream : decoded(stream, coding), offset - start, expected),
    total: coding === null ? total : null,
    etag: strongEtag(headers['etag']),
    contentType: headers['content-type'] ?? '',
    identified: false,
    resumable: coding === null,
    close: () => stream.destroy(),
  };
}

/** Returns the source only where it is the very file of which the beginning is stored. */
function sameVersionOrChanged(
  answer: Answer,
  source: Source,
  known: Transfer,
  offset: number,
): Source | Changed {
  const differ = (a: unknown, b: unknown) => a !== null && b !== null && a !== b;
  const isOtherVersion = differ(known.total, source.total) || differ(known.etag, source.etag);
  const cannotResume = !source.resumable || positionOf(answer).start > offset;
  if (offset === 0 || !(isOtherVersion || cannotResume)) return source;
  source.close();
  return { type: 'changed' };
}

/** Returns where the response begins in the file: at its first byte for a host that ignores ranges. */
function positionOf(answer: OpenResponse): { start: number; total: number | null } {
  const { status, headers } = answer;
  if (status !== 206) return { start: 0, total: wholeNumber(headers['content-length']) };
  const range = contentRange(answer);
  if (!range) throw new HttpFailure('network', 'The media host sent a range without naming it', true);
  return range;
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** Returns the compression a host applied against the request. Throws UnacceptableFile for an unknown one. */
function contentCoding(header = 'identity'): keyof typeof DECODERS | null {
  const coding = header.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return null;
  if (coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' || coding === 'br') return coding;
  throw new UnacceptableFile(`The media host compresses the file with ${coding}, which is not supported`);
}

/** Errors of either stream end both; the reader of the chunks sees them. */
function decoded(stream: Readable, coding: keyof typeof DECODERS): Readable {
  return pipeline(stream, DECODERS[coding](), () => undefined);
}

/**
 * Yields the bytes after the first `skip`. Throws HttpFailure when the stream breaks, or ends before or after the
 * expected length.
 */
async function* bytesFrom(stream: Readable, skip: number, expected: number | null): AsyncGenerator<Buffer> {
  let count = 0;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      const wanted = bytes.subarray(Math.max(0, Math.min(bytes.byteLength, skip - count)));
      count += bytes.byteLength;
      if (expected !== null && count > expected) break;
      if (wanted.byteLength > 0) yield wanted;
    }
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    throw new HttpFailure('network', error instanceof Error ? error.message : String(error), true);
  }
  if (expected !== null && count !== expected) {
    const how = count < expected ? `ended after ${count} of` : 'continued beyond';
    throw new HttpFailure('network', `The response ${how} ${expected} bytes`, true);
  }
}

/** Enough to recognise a web page. */
const PEEK_BYTES = 512;

/** Reads the first bytes, and returns them with an iterator over all. */
async function peek({ chunks }: Source): Promise<{ head: Buffer; chunks: AsyncIterable<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let size = 0; size < PEEK_BYTES;) {
    const next = await rest.next();
    if (next.done === true) break;
    first.push(next.value);
    size += next.value.byteLength;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head: Buffer.concat(first), chunks: all() };
}

/** Returns the text of a web page that was sent instead of a file; null where a file was sent. */
async function readHtmlPage(
  { head, chunks }: { head: Buffer; chunks: AsyncIterable<Buffer> },
  contentType: string,
  offset: number,
): Promise<string | null> {
  // Bytes from the middle of a file identify nothing.
  if (offset > 0 && !/html/i.test(contentType)) return null;
  const { identify } = await import('../probe/readers.ts');
  const identity = await identify(head, contentType);
  if (identity.type === 'known' || identity.found !== 'text/html') return null;
  const text: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    text.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_PAGE_BYTES) break;
  }
  return Buffer.concat(text).toString('utf8');
}

/** Identifies a file by its first bytes. Throws UnacceptableFile for one that the service does not accept. */
export async function formatOf(
  head: Uint8Array,
  { contentType }: Pick<Source, 'contentType'>,
): Promise<MediaFormat> {
  if (head.byteLength === 0) throw new UnacceptableFile('The file is empty');
  const { identify } = await import('../probe/readers.ts');
  const identity = await identify(head, contentType);
  if (identity.type === 'unsupported') throw new UnacceptableFile(identity.message);
  return identity.format;
}
