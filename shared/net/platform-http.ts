import type { PlatformId } from '../model/platform.ts';
import { createHttpClient, type HttpClient, type HttpRequest } from './http.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

/**
 * Where a platform's URL is really sent. With a sandbox, `https://api.x.com/2/tweets` of `x` becomes
 * `<sandbox>/x/api.x.com/2/tweets`; loopback URLs (a server of the user's own machine) stay as they are.
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

/** A client for one platform's real URLs. */
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
