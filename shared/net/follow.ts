import {
  HttpFailure,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type OpenResponse,
} from './http.ts';

const MAX_HOPS = 5;
/** When the response must begin, after all redirects. */
const ANSWER_MS = 10_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

type BodilessRequest = Omit<HttpRequest, 'body'>;

/**
 * Opens a URL that a user chose and follows up to five redirects; the client checks the address of every hop. The
 * time-outs of the request limit all hops together, and the response must keep a pace. Returns the response with the URL
 * that sent it. Throws HttpFailure.
 */
export function openFollowing(
  http: Pick<HttpClient, 'open'>,
  request: BodilessRequest,
): Promise<OpenResponse & { url: string }> {
  return follow(
    request,
    hop => http.open(hop),
    ({ stream }) => void stream.destroy(),
  );
}

/** Like `openFollowing`, but reads the whole response. */
export function sendFollowing(
  http: Pick<HttpClient, 'send'>,
  request: BodilessRequest,
): Promise<HttpResponse & { url: string }> {
  return follow(
    request,
    hop => http.send(hop),
    () => undefined,
  );
}

async function follow<T extends Pick<HttpResponse, 'status' | 'headers'>>(
  request: BodilessRequest,
  send: (request: BodilessRequest) => Promise<T>,
  discard: (response: T) => void,
): Promise<T & { url: string }> {
  const started = performance.now();
  let { url } = request;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const left = (limitMs: number) => Math.max(1, Math.round(started + limitMs - performance.now()));
    const limits = { timeoutMs: left(request.timeoutMs), answerMs: left(request.answerMs ?? ANSWER_MS) };
    const response = await send({ ...request, ...limits, url });
    const location = response.headers['location'];
    if (!REDIRECTS.has(response.status) || location === undefined) return { ...response, url };
    discard(response);
    if (!URL.canParse(location, url))
      throw new HttpFailure('network', 'The redirect does not lead to a URL', true);
    url = new URL(location, url).href;
  }
  throw new HttpFailure('network', `The URL redirects more than ${MAX_HOPS} times`, true);
}
