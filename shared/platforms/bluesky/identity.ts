import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import { readNetSettings, type NetSettings } from '../../net/settings.ts';
import type { HttpClient } from '../../net/http.ts';
import { getDocument } from './client.ts';

/** Logs in accounts on the servers of Bluesky; accounts elsewhere log in at their own server. */
export const ENTRYWAY = 'https://bsky.social';
const BLUESKY_SERVERS = '.host.bsky.network';

const DidDocumentSchema = v.object({
  id: v.string(),
  service: v.array(v.looseObject({ id: v.string(), serviceEndpoint: v.unknown() })),
});

/**
 * Resolves the server (PDS) of an account by the document of its DID (https://atproto.com/specs/did), from the DID's own
 * directory. Throws PlatformError: `rejected` when the DID is unknown or names no usable server, `transient` when the
 * directory does not answer.
 */
export async function resolveServer(http: HttpClient, did: string): Promise<string> {
  const url = documentUrl(did);
  const server = url === null ? null : serverIn(await getDocument(http, url), did);
  if (server !== null) return server;
  throw new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message: `The DID ${did.slice(0, 100)} does not exist or names no server of the account`,
  });
}

/** True when accounts on the server `pds` log in at `service`: it is their server, or the entryway to it. */
export function isLoginServer(service: string, pds: string): boolean {
  const [asked, home] = [new URL(service), new URL(pds)];
  if (asked.origin === home.origin) return true;
  return asked.origin === ENTRYWAY && home.protocol === 'https:' && home.host.endsWith(BLUESKY_SERVERS);
}

/**
 * Checks that an account is still on this server. Throws PlatformError: `token_expired` when it has moved or its DID has
 * ended, because neither sessions nor app passwords move along; `transient` when its directory does not answer.
 */
export async function assertNotMoved(http: HttpClient, did: string, url: string): Promise<void> {
  const home = await resolveServer(http, did).catch((error: unknown) => {
    if (error instanceof PlatformError && error.kind === 'rejected') throw reconnectError(error.message);
    throw error;
  });
  if (new URL(home).origin === new URL(url).origin) return;
  const { host } = new URL(home);
  throw reconnectError(
    `The account has moved to ${host}. Reconnect it there with a new app password and service ${home}`,
  );
}

export function reconnectError(message: string): PlatformError {
  return new PlatformError({ kind: 'token_expired', code: 'TOKEN_EXPIRED', message });
}

/** True for an https URL without path and credentials; for http on loopback where the settings allow it. */
export function isAllowedServer(text: string, settings: NetSettings = readNetSettings()): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  if (pathname !== '/' || search || hash || username || password) return false;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (isLoopback) return settings.allowLoopback && protocol.startsWith('http');
  return protocol === 'https:';
}

function serverIn(didDocument: unknown, did: string): string | null {
  const parsed = v.safeParse(DidDocumentSchema, didDocument);
  if (!parsed.success || parsed.output.id !== did) return null;
  const endpoint = parsed.output.service.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint;
  return typeof endpoint === 'string' && isAllowedServer(endpoint) ? endpoint.replace(/\/+$/, '') : null;
}

function documentUrl(did: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `https://plc.directory/${did}`;
  const host = /^did:web:([a-z0-9.-]+)$/i.exec(did)?.[1];
  return host === undefined ? null : `https://${host}/.well-known/did.json`;
}
