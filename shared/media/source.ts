import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { MediaFormat } from '../model/media.ts';
import type { Transfer } from '../model/transfer.ts';
import { openFollowing } from '../net/follow.ts';
import { HttpFailure, type HttpClient, type OpenResponse } from '../net/http.ts';
import { SECOND } from '../time/instant.ts';
import { identify } from './inspect.ts';
import { directLink, readSharePage } from './share-links.ts';

/** Why a file can never be taken, in words for the one who named it. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

/** The bytes of a file from some place on. */
export interface Source {
  type: 'open';
  chunks: AsyncIterable<Buffer>;
  /** Size of the whole file; null where the origin does not tell. */
  total: number | null;
  etag: string | null;
  contentType: string;
  /** Whether its first bytes were looked at. */
  recognised: boolean;
  /** Whether a later request may begin where this one was cut. */
  resumable: boolean;
  close: () => void;
}

/** A file of which parts are here is another one by now. */
interface Changed {
  type: 'changed';
}

/** A stream that gives nothing for so long is dead. */
const IDLE_MS = 30 * SECOND;
/** Most pages of a file host that are gone through to the file. */
const MAX_PAGES = 2;
const MAX_PAGE_BYTES = 512 * 1024;

/** Answers that another request will not change. */
const isFinalRefusal = (status: number) => status >= 400 && status < 500 && ![408, 425, 429].includes(status);

/** Opens a file at `offset`. Throws Unfit where there is none to be had, HttpFailure where there is none for now. */
export async function openSource(
  http: Pick<HttpClient, 'open'>,
  transfer: Transfer,
  offset: number,
  timeoutMs: number,
): Promise<Source | Changed> {
  let url = urlOf(directLink(transfer.source_url));
  for (let page = 0; ; page += 1) {
    const answer = await request(http, url, transfer, offset, timeoutMs);
    const source = asSource(answer, offset);
    const started = await peek(source);
    const html = await pageIn(started, source.contentType, offset);
    if (html === null) return judge(answer, { ...source, chunks: started.chunks }, transfer, offset);
    source.close();
    const next = readSharePage(answer.url, html);
    if (!next || page === MAX_PAGES) throw new Unfit('The link gives a web page, not a file');
    url = urlOf(next);
  }
}

function urlOf(link: ReturnType<typeof directLink>): string {
  if ('fault' in link) throw new Unfit(link.fault);
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
  stream.setTimeout(IDLE_MS, () => stream.destroy(new HttpFailure('timeout', 'It sends nothing', true)));
  if (status === 200 || status === 206 || (status === 416 && offset > 0)) return answer;
  stream.destroy();
  if (isFinalRefusal(status)) throw new Unfit(`The origin answers ${status}`);
  throw new HttpFailure('network', `It answers ${status}`, true);
}

function asSource(answer: Answer, offset: number): Source {
  const { headers, stream } = answer;
  const coding = codingOf(headers['content-encoding']);
  const { start, total } = placeOf(answer);
  const expected = coding !== null || total === null ? null : total - start;
  return {
    type: 'open',
    chunks: bytesOf(coding === null ? stream : decoded(stream, coding), offset - start, expected),
    total: coding === null ? total : null,
    etag: strong(headers['etag']),
    contentType: headers['content-type'] ?? '',
    recognised: false,
    resumable: coding === null,
    close: () => stream.destroy(),
  };
}

/** Goes on only with the very file whose beginning is here. */
function judge(answer: Answer, source: Source, known: Transfer, offset: number): Source | Changed {
  const differ = (a: unknown, b: unknown) => a !== null && b !== null && a !== b;
  const isOther = differ(known.total, source.total) || differ(known.etag, source.etag);
  const isElsewhere = answer.status === 416 || !source.resumable || placeOf(answer).start > offset;
  if (offset === 0 || !(isOther || isElsewhere)) return source;
  source.close();
  return { type: 'changed' };
}

/** Where the answer's bytes lie in the file. An origin that ignores ranges begins at the first. */
function placeOf({ status, headers }: OpenResponse): { start: number; total: number | null } {
  if (status !== 206) return { start: 0, total: wholeNumber(headers['content-length']) };
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  if (start === undefined)
    throw new HttpFailure('network', 'It answers with a range that it does not name', true);
  return { start: Number(start), total: wholeNumber(total) };
}

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** What an origin did to the bytes although it was asked not to. Throws Unfit for what cannot be undone. */
function codingOf(header = 'identity'): keyof typeof DECODERS | null {
  const coding = header.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return null;
  if (coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate' || coding === 'br') return coding;
  throw new Unfit(`The origin compresses the file (${coding})`);
}

/** Errors of either side end both; the reader sees them. */
function decoded(stream: Readable, coding: keyof typeof DECODERS): Readable {
  return pipeline(stream, DECODERS[coding](), () => undefined);
}

/** The bytes without the first `skip`. Throws HttpFailure when the stream breaks, or ends elsewhere than was told. */
async function* bytesOf(stream: Readable, skip: number, expected: number | null): AsyncGenerator<Buffer> {
  let count = 0;
  try {
    for await (const chunk of stream) {
      const bytes: unknown = chunk;
      if (!Buffer.isBuffer(bytes)) continue;
      const fresh = bytes.subarray(Math.max(0, Math.min(bytes.byteLength, skip - count)));
      count += bytes.byteLength;
      if (expected !== null && count > expected) break;
      if (fresh.byteLength > 0) yield fresh;
    }
  } catch (error) {
    if (error instanceof HttpFailure) throw error;
    throw new HttpFailure('network', error instanceof Error ? error.message : String(error), true);
  }
  if (expected !== null && count !== expected) {
    const how = count < expected ? `ended after ${count} of` : 'goes on beyond';
    throw new HttpFailure('network', `It ${how} ${expected} bytes`, true);
  }
}

/** Enough to know a page by. */
const PEEK_BYTES = 512;

/** The first bytes, and all of them again. */
async function peek({ chunks }: Source): Promise<{ head: Buffer; chunks: AsyncIterable<Buffer> }> {
  const rest = chunks[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let size = 0; size < PEEK_BYTES;) {
    const next = await rest.next();
    if (next.done === true) break;
    first.push(next.value);
    size += next.value.byteLength;
  }
  async function* again(): AsyncGenerator<Buffer> {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head: Buffer.concat(first), chunks: again() };
}

/** The text of a page that came instead of a file; null where a file came. */
async function pageIn(
  { head, chunks }: { head: Buffer; chunks: AsyncIterable<Buffer> },
  contentType: string,
  offset: number,
): Promise<string | null> {
  // From the middle of a file nothing can be told.
  if (offset > 0 && !/html/i.test(contentType)) return null;
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

/** What a file is, told from its first bytes. Throws Unfit for what the service does not take. */
export async function formatOf(
  head: Uint8Array,
  { contentType }: Pick<Source, 'contentType'>,
): Promise<MediaFormat> {
  if (head.byteLength === 0) throw new Unfit('It is empty');
  const identity = await identify(head, contentType);
  if (identity.type === 'unsupported') throw new Unfit(identity.message);
  return identity.format;
}

/** A weak validator may stay the same while bytes change. */
const strong = (etag: string | undefined) => (etag === undefined || etag.startsWith('W/') ? null : etag);

const wholeNumber = (text = '') => (/^\d+$/.test(text) ? Number(text) : null);
