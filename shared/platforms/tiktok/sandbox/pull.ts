import type { StoredMedia } from '../../contract/sandbox.ts';
import { refuse } from './access.ts';
import { LOOPBACK } from './settings.ts';
import { settingsOf, type TikTokState } from './state.ts';

const FETCH_MS = 60_000;

/** Ends the request for a URL whose domain or prefix the owner of the app has not verified. */
export function checkOwnership(state: TikTokState, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const owned = url !== null && settingsOf(state).verified.some(each => isOwned(url, each));
  if (!owned) {
    refuse(403, 'url_ownership_unverified', 'Please review our URL ownership verification rules');
  }
}

/** A domain covers its subdomains, a prefix only what begins with it. The local stack has no TLS. */
function isOwned({ href, protocol, hostname }: URL, verified: string): boolean {
  if (LOOPBACK.includes(hostname)) return hostname === verified;
  if (protocol !== 'https:') return false;
  if (verified.includes('/')) return href.startsWith(verified);
  return hostname === verified || hostname.endsWith(`.${verified}`);
}

/** Fetches a file without following redirects; null where that fails. */
export async function pull(
  { host }: TikTokState,
  url: string,
  maxBytes: number,
): Promise<StoredMedia | null> {
  const response = await host.http
    .send({ method: 'GET', url, timeoutMs: FETCH_MS, maxBytes })
    .catch(() => null);
  return response?.status === 200 ? { ...(await host.storeMedia(response.body)), url } : null;
}
