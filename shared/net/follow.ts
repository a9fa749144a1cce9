import { HttpFailure, type HttpClient, type HttpRequest, type OpenResponse } from './http.ts';

const MAX_HOPS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Opens a URL and goes where it redirects to, at most five times; the client checks every hop's address. Throws
 * HttpFailure. Only for requests without a body.
 */
export async function openFollowing(
  http: Pick<HttpClient, 'open'>,
  request: Omit<HttpRequest, 'body'>,
): Promise<OpenResponse & { url: string }> {
  let { url } = request;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const answer = await http.open({ ...request, url });
    const location = answer.headers['location'];
    if (!REDIRECTS.has(answer.status) || location === undefined) return { ...answer, url };
    answer.stream.destroy();
    if (!URL.canParse(location, url)) throw new HttpFailure('network', 'It redirects to no URL', true);
    url = new URL(location, url).href;
  }
  throw new HttpFailure('network', `It redirects more than ${MAX_HOPS} times`, true);
}
