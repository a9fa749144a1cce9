import { HttpFailure, type HttpClient, type HttpResponse } from '../../net/http.ts';
import { PlatformError } from '../error.ts';

export interface DownloadLimits {
  maxBytes: number;
  timeoutMs: number;
  accept?: string;
}

const MAX_REDIRECTS = 4;

/**
 * Fetches a URL that a user gave, through the guarded client: each redirect is a request of its own, and so is checked
 * like the first. Gives the last answer, whatever its status, and the URL that gave it. Throws HttpFailure.
 */
export async function download(
  media: HttpClient,
  url: string,
  { maxBytes, timeoutMs, accept = '*/*' }: DownloadLimits,
): Promise<HttpResponse & { url: string }> {
  let current = url;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const headers = { accept, 'user-agent': 'Mozilla/5.0 (compatible; social-publishing-service)' };
    const response = await media.send({ method: 'GET', url: current, headers, timeoutMs, maxBytes });
    const next = redirectOf(response, current);
    if (next === null) return { ...response, url: current };
    current = next;
  }
  throw new HttpFailure('network', `More than ${MAX_REDIRECTS} redirects`, true);
}

/** The bytes of a post's own picture. Throws PlatformError: the picture is the user's to mend, a broken line is not. */
export async function downloadImage(media: HttpClient, url: string, limits: DownloadLimits): Promise<Buffer> {
  const response = await download(media, url, { ...limits, accept: 'image/*' }).catch(asMediaError);
  if (response.status === 200) return response.body;
  const temporary = response.status >= 500 || response.status === 429 || response.status === 408;
  throw new PlatformError({
    kind: temporary ? 'transient' : 'rejected',
    code: 'MEDIA_REJECTED',
    message: `The image's URL answered with status ${response.status}`,
  });
}

function redirectOf({ status, headers }: HttpResponse, base: string): string | null {
  const location = headers['location'];
  if (status < 300 || status > 399 || location === undefined) return null;
  return URL.canParse(location, base) ? new URL(location, base).href : null;
}

function asMediaError(error: unknown): never {
  if (!(error instanceof HttpFailure)) throw error;
  const temporary = error.reason === 'network' || error.reason === 'timeout';
  throw new PlatformError({
    kind: temporary ? 'transient' : 'rejected',
    code: 'MEDIA_REJECTED',
    message: `The image could not be fetched: ${error.message}`,
  });
}
