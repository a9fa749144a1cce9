import {
  HttpFailure,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type OpenResponse,
} from './http.ts';

const MAX_HOPS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type Bodiless = Omit<HttpRequest, 'body'>;

/**
 * Opens a URL and goes where it redirects to, at most five times; the client checks every hop's address. Gives the
 * address that answered, too. Throws HttpFailure.
 */
export function openFollowing(
  http: Pick<HttpClient, 'open'>,
  request: Bodiless,
): Promise<OpenResponse & { url: string }> {
  return follow(
    request,
    hop => http.open(hop),
    ({ stream }) => void stream.destroy(),
  );
}

/** The same with the whole answer read. */
export function sendFollowing(
  http: Pick<HttpClient, 'send'>,
  request: Bodiless,
): Promise<HttpResponse & { url: string }> {
  return follow(
    request,
    hop => http.send(hop),
    () => undefined,
  );
}

async function follow<T extends Pick<HttpResponse, 'status' | 'headers'>>(
  request: Bodiless,
  ask: (request: Bodiless) => Promise<T>,
  drop: (answer: T) => void,
): Promise<T & { url: string }> {
  let { url } = request;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const answer = await ask({ ...request, url });
    const location = answer.headers['location'];
    if (!REDIRECTS.has(answer.status) || location === undefined) return { ...answer, url };
    drop(answer);
    if (!URL.canParse(location, url)) throw new HttpFailure('network', 'It redirects to no URL', true);
    url = new URL(location, url).href;
  }
  throw new HttpFailure('network', `It redirects more than ${MAX_HOPS} times`, true);
}
