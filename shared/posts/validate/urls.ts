import type { ValidationDetail } from '../../http/errors.ts';
import type { PlatformId } from '../../model/platform.ts';
import { assertPublicUrl, HttpFailure } from '../../net/http.ts';
import { mediaFieldOf } from '../../platforms/kit/draft.ts';
import { MAX_URL_LENGTH } from '../../platforms/kit/fields.ts';
import { RULES } from '../../platforms/registry.ts';
import { errorOf } from '../error.ts';
import type { Candidate } from '../input/read.ts';

/** URLs whose host names are resolved at a time. */
const CONCURRENCY = 8;

/** A URL that the service will fetch. */
interface FetchedUrl {
  field: string;
  url: string;
  platform: PlatformId | null;
}

/** Checks the form of URLs and that their hosts are public. Addresses are checked again when they are fetched. */
export async function urlErrors(candidate: Candidate): Promise<ValidationDetail[]> {
  const pending = fetchedUrls(candidate).map((fetched, index) => ({ ...fetched, index }));
  const errors: [number, ValidationDetail][] = [];
  const work = async () => {
    for (let next = pending.shift(); next; next = pending.shift()) {
      const message = await urlProblem(next.url);
      if (message !== null) errors.push([next.index, errorOf(next.field, message, next.platform)]);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return errors.sort(([a], [b]) => a - b).map(([, error]) => error);
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

async function urlProblem(url: string): Promise<string | null> {
  if (url.length > MAX_URL_LENGTH) return `Must be at most ${MAX_URL_LENGTH} characters`;
  try {
    await assertPublicUrl(url);
    return null;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    // A host name that does not resolve now may do so at delivery, which checks it again.
    return error.reason === 'blocked' ? error.message : null;
  }
}
