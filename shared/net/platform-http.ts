import type { PlatformId } from '../model/platform.ts';
import { createHttpClient, type HttpClient, type HttpRequest } from './http.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

/**
 * Returns where a request to a platform is sent. With a sandbox, `https://api.x.com/2/tweets` of `x` becomes
 * `<sandbox>/x/api.x.com/2/tweets`; loopback URLs (a server on the user's machine) are unchanged.
 */
export function platformUrl(
  platform: PlatformId,
  url: string,
  settings: NetSettings = readNetSettings(),
): string {
  if (settings.sandboxUrl === null) return url;
  const real = new URL(url);
  if (['localhost', '127.0.0.1', '[::1]'].includes(real.hostname)) return url;
  return `${settings.sandboxUrl}/${platform}/${real.host}${real.pathname}${real.search}`;
}

/** Creates a client that is used with one platform's real URLs. */
export function platformHttp(
  platform: PlatformId,
  client: HttpClient = createHttpClient(),
  settings: NetSettings = readNetSettings(),
): HttpClient {
  const real = (request: HttpRequest) => ({ ...request, url: platformUrl(platform, request.url, settings) });
  return {
    send: request => client.send(real(request)),
    open: request => client.open(real(request)),
    close: () => client.close(),
  };
}
