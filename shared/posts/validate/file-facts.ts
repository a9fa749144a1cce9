import { inspectFile } from '../../media/inspect-file.ts';
import { probeUrl, type UrlProbe } from '../../media/probe-url.ts';
import type { MediaFacts } from '../../model/media.ts';
import type { Post } from '../../model/post.ts';
import { createHttpClient, type HttpClient } from '../../net/http.ts';
import { describeError, log } from '../../runtime/log.ts';
import { headObject, keyOfUrl, MEDIA, readObject, type Bucket } from '../../store/objects.ts';
import { SECOND } from '../../time/instant.ts';

/** What is known about a file when its post is validated. */
export type FileResult =
  | { type: 'known'; facts: MediaFacts }
  /** No platform can use it: a web page, a damaged file, a private address. */
  | { type: 'unusable'; message: string }
  /** It was not read, and may be fine. */
  | { type: 'unchecked'; message: string };

export type FileResults = ReadonlyMap<string, FileResult>;

/** How long files of other hosts may take. Milliseconds. */
export interface ProbeBudget {
  each_ms: number;
  all_ms: number;
}

/** For a response that consists of what was found. API Gateway ends the request after 29 s. */
export const VALIDATE_BUDGET: ProbeBudget = { each_ms: 12 * SECOND, all_ms: 24 * SECOND };

/** For a post that is published at once: a problem is best reported while the caller still waits. */
export const IMMEDIATE_BUDGET: ProbeBudget = { each_ms: 2.5 * SECOND, all_ms: 3 * SECOND };

/** Returns how long creating a post waits for files of other hosts; null where the post is due later: the files are copied meanwhile. */
export const creationBudget = (scheduling: Post['scheduling']): ProbeBudget | null =>
  scheduling === 'immediate' ? IMMEDIATE_BUDGET : null;

/** Files probed at a time. */
const CONCURRENCY = 8;

const NOT_PROBED =
  'The file is on another host and was not checked yet. Send the post to POST /posts/validate to check it now';
const OUT_OF_TIME = 'The file was not checked: the other files took too long';

/** Reads what is known about files: those in the service's bucket always, those of other hosts within `budget`; null: not at all. */
export async function fileResults(
  bucket: Bucket,
  urls: readonly string[],
  budget: ProbeBudget | null,
): Promise<FileResults> {
  const stored = urls.filter(url => storedKey(bucket, url) !== null);
  const external = urls.filter(url => storedKey(bucket, url) === null);
  const found = await Promise.all([
    Promise.all(stored.map(async url => [url, await readStored(bucket, url)] as const)),
    externalResults(external, budget),
  ]);
  return new Map(found.flat());
}

const storedKey = (bucket: Bucket, url: string): string | null => {
  const key = keyOfUrl(bucket, url);
  return key?.startsWith(MEDIA) === true ? key : null;
};

/** An unavailable bucket does not fail the post: the file is inspected again when it is published. */
async function readStored(bucket: Bucket, url: string): Promise<FileResult> {
  try {
    return (
      (await inspectStored(bucket, storedKey(bucket, url) ?? '')) ??
      unchecked('The file is not stored yet and was not checked')
    );
  } catch (error) {
    log.warn('Could not inspect a stored file', describeError(error));
    return unchecked('The file could not be read from storage and was not checked');
  }
}

async function inspectStored(bucket: Bucket, key: string): Promise<FileResult | null> {
  const head = await headObject(bucket, key);
  if (!head) return null;
  const read = async (start: number, end: number) =>
    (await readObject(bucket, key, { start, end, etag: head.etag })) ?? new Uint8Array();
  return resultOf(await inspectFile({ size: head.size, read }));
}

async function externalResults(
  urls: readonly string[],
  budget: ProbeBudget | null,
): Promise<[string, FileResult][]> {
  if (urls.length === 0) return [];
  if (budget === null) return urls.map(url => [url, unchecked(NOT_PROBED)]);
  const http = createHttpClient();
  try {
    return await probeUrls(http, urls, budget);
  } finally {
    http.close();
  }
}

/** Probes files of other hosts, a few at a time. A file that could take longer than what is left is not probed. */
export async function probeUrls(
  http: Pick<HttpClient, 'open'>,
  urls: readonly string[],
  { each_ms, all_ms }: ProbeBudget,
  now: () => number = Date.now,
): Promise<[string, FileResult][]> {
  const results = new Map<string, FileResult>();
  const pending = [...urls];
  const lastStart = now() + all_ms - each_ms;
  const work = async () => {
    for (let url = pending.shift(); url !== undefined && now() <= lastStart; url = pending.shift()) {
      results.set(url, resultOf(await probeUrl(http, url, each_ms)));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return urls.map(url => [url, results.get(url) ?? unchecked(OUT_OF_TIME)]);
}

function resultOf(probe: UrlProbe): FileResult {
  if (probe.type === 'known') return probe;
  if (probe.type === 'unreachable' && mayRecover(probe.status)) {
    return unchecked(`The file could not be read and was not checked: ${probe.message}`);
  }
  return { type: 'unusable', message: probe.message };
}

/** True where the same request may succeed later: no response, a server error, or too many requests. */
const mayRecover = (status: number | null) =>
  status === null || status >= 500 || status === 408 || status === 425 || status === 429;

const unchecked = (message: string): FileResult => ({ type: 'unchecked', message });
