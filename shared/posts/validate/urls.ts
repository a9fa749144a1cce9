import type { ValidationDetail } from '../../http/errors.ts';
import type { PlatformId } from '../../model/platform.ts';
import { HttpFailure } from '../../net/failure.ts';
import { assertPublicUrl, MAX_URL_LENGTH, urlProblem } from '../../net/public-url.ts';
import { resolveHost, type Resolve } from '../../net/resolve.ts';
import { readNetSettings } from '../../net/settings.ts';
import { mediaFieldOf } from '../../platforms/kit/draft.ts';
import { RULES } from '../../platforms/registry/rules.ts';
import { SECOND } from '../../time/instant.ts';
import { errorOf } from '../error.ts';
import type { Candidate } from '../input/read.ts';

/** Hosts whose names are resolved at a time. */
const CONCURRENCY = 8;

/** How long the names of all hosts of a post may take to resolve. */
const BUDGET_MS = 3 * SECOND;

/** A URL that the service will fetch. */
interface FetchedUrl {
  field: string;
  url: string;
  platform: PlatformId | null;
}

/** Checks the form of URLs and that their hosts are public. Addresses are checked again when they are fetched. */
export async function urlErrors(
  candidate: Candidate,
  resolve: Resolve = resolveHost,
  budgetMs = BUDGET_MS,
): Promise<ValidationDetail[]> {
  const fetched = fetchedUrls(candidate).map(each => ({ ...each, problem: formProblem(each.url) }));
  const wellFormed = fetched.filter(({ problem }) => problem === null).map(({ url }) => url);
  const hosts = await hostProblems(wellFormed, resolve, budgetMs);
  return fetched.flatMap(({ field, url, platform, problem }) => {
    const message = problem ?? hosts.get(new URL(url).host) ?? null;
    return message === null ? [] : [errorOf(field, message, platform)];
  });
}

function fetchedUrls({ media_urls, platforms, options }: Candidate): FetchedUrl[] {
  const own = platforms.flatMap(platform => {
    const rules = RULES[platform];
    const mediaField = mediaFieldOf(rules);
    return [
      ...(mediaField === null ? [] : listedUrls(mediaField, options[mediaField], platform)),
      ...rules.fetched.flatMap(field => {
        const url = options[field];
        return typeof url === 'string' ? [{ field, url, platform }] : [];
      }),
    ];
  });
  return [...listedUrls('media_urls', media_urls, null), ...own];
}

function listedUrls(field: string, urls: unknown, platform: PlatformId | null): FetchedUrl[] {
  if (!Array.isArray(urls)) return [];
  return urls.flatMap((url: unknown, index) =>
    typeof url === 'string' ? [{ field: `${field}[${index}]`, url, platform }] : [],
  );
}

const formProblem = (url: string): string | null =>
  url.length > MAX_URL_LENGTH ? `Must be at most ${MAX_URL_LENGTH} characters` : urlProblem(url);

/** Returns what is wrong with hosts, by host. One that is not resolved in time is checked at delivery only. */
async function hostProblems(
  urls: readonly string[],
  resolve: Resolve,
  budgetMs: number,
): Promise<Map<string, string>> {
  const deadline = performance.now() + budgetMs;
  const pending = new Map(urls.map(url => [new URL(url).host, url])).entries();
  const problems = new Map<string, string>();
  const work = async () => {
    for (const [host, url] of pending) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return;
      const message = await hostProblem(url, resolve, leftMs);
      if (message !== null) problems.set(host, message);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return problems;
}

async function hostProblem(url: string, resolve: Resolve, limitMs: number): Promise<string | null> {
  try {
    await assertPublicUrl(url, readNetSettings(), resolve, limitMs);
    return null;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    // A host name that does not resolve now may do so at delivery, which checks it again.
    return error.reason === 'blocked' ? error.message : null;
  }
}
