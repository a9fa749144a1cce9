import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPublicAddress } from './address.ts';
import { HttpFailure } from './failure.ts';
import { resolveHost, type Resolve } from './resolve.ts';
import { readNetSettings, type NetSettings } from './settings.ts';

/** Signed links carry session tokens of several KB; RFC 9110, section 4.1, asks for 8,000 octets at least. */
export const MAX_URL_LENGTH = 8192;

/** Returns what is wrong with a URL before its host name is resolved; null for nothing. */
export function urlProblem(text: string, settings: NetSettings = readNetSettings()): string | null {
  try {
    checkedUrl(text, settings);
    return null;
  } catch (error) {
    if (error instanceof HttpFailure) return error.message;
    throw error;
  }
}

/** Throws HttpFailure `blocked` unless the URL is plain http(s) to an address that may be reached. */
export function checkedUrl(text: string, settings: NetSettings): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HttpFailure('blocked', 'Must be an http or https URL', false);
  }
  if (url.username || url.password) {
    throw new HttpFailure('blocked', 'Must not contain a user name or password', false);
  }
  const host = hostOf(url);
  if (isIP(host) !== 0 && !mayReach(host, settings)) {
    throw new HttpFailure('blocked', `The address ${host} is not public`, false);
  }
  return url;
}

export function mayReach(address: string, { allowLoopback, allowPrivate }: NetSettings): boolean {
  return isPublicAddress(address, allowLoopback, allowPrivate);
}

/** Time-out of a lookup that no request's time-out limits. */
const LOOKUP_LIMIT_MS = 5_000;

/** Checks a URL's address as a connection would, without connecting. Throws HttpFailure. */
export async function assertPublicUrl(
  text: string,
  settings: NetSettings = readNetSettings(),
  resolve: Resolve = resolveHost,
  limitMs = LOOKUP_LIMIT_MS,
): Promise<void> {
  const url = checkedUrl(text, settings);
  const host = hostOf(url);
  if (isIP(host) !== 0) return;
  const timeout = sleep(limitMs, null, { ref: false });
  const addresses = await Promise.race([resolve(host).catch(() => []), timeout]);
  if (addresses === null) throw new HttpFailure('timeout', `The DNS lookup of ${host} timed out`, false);
  if (addresses.length === 0) throw new HttpFailure('network', `${host} does not resolve`, false);
  if (addresses.some(({ address }) => !mayReach(address, settings))) {
    throw new HttpFailure('blocked', `${host} resolves to an address that is not public`, false);
  }
}

/** The host without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');
