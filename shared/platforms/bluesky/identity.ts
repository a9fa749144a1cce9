import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import { readNetSettings, type NetSettings } from '../../net/settings.ts';
import type { HttpClient } from '../../net/http.ts';
import { getDocument } from './client.ts';

const DidDocument = v.object({
  service: v.array(v.looseObject({ id: v.string(), serviceEndpoint: v.unknown() })),
});

/** The server that a DID document names as the account's own (https://atproto.com/specs/did); null: none usable. */
export function serverIn(didDocument: unknown): string | null {
  const parsed = v.safeParse(DidDocument, didDocument);
  if (!parsed.success) return null;
  const endpoint = parsed.output.service.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint;
  return typeof endpoint === 'string' && isAllowedServer(endpoint) ? endpoint.replace(/\/+$/, '') : null;
}

/** Looks a DID's server up anew; null where the DID is unknown or its directory does not answer. */
export async function findServer(http: HttpClient, did: string): Promise<string | null> {
  const url = documentUrl(did);
  if (url === null) return null;
  try {
    return serverIn(await getDocument(http, url));
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

/** https; plain http for a server of the own machine, where the settings allow one. No path, no credentials. */
export function isAllowedServer(text: string, settings: NetSettings = readNetSettings()): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  if (pathname !== '/' || search || hash || username || password) return false;
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (isLoopback) return settings.allowLoopback && protocol.startsWith('http');
  return protocol === 'https:';
}

function documentUrl(did: string): string | null {
  if (/^did:plc:[a-z2-7]{24}$/.test(did)) return `https://plc.directory/${did}`;
  const host = /^did:web:([a-z0-9.-]+)$/i.exec(did)?.[1];
  return host === undefined ? null : `https://${host}/.well-known/did.json`;
}
