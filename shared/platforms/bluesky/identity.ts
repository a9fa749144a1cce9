import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import { readNetSettings, type NetSettings } from '../../net/settings.ts';
import type { HttpClient } from '../../net/http.ts';
import { getDocument } from './client.ts';

const DidDocumentSchema = v.object({
  service: v.array(v.looseObject({ id: v.string(), serviceEndpoint: v.unknown() })),
});

/** Returns the URL of the account's server (PDS) in a DID document (https://atproto.com/specs/did); null if there is none. */
export function serverIn(didDocument: unknown): string | null {
  const parsed = v.safeParse(DidDocumentSchema, didDocument);
  if (!parsed.success) return null;
  const endpoint = parsed.output.service.find(({ id }) => id.endsWith('#atproto_pds'))?.serviceEndpoint;
  return typeof endpoint === 'string' && isAllowedServer(endpoint) ? endpoint.replace(/\/+$/, '') : null;
}

/** Resolves the server of a DID; null when the DID is unknown or its directory does not answer. */
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

/** True for an https URL without path and credentials; for http on loopback where the settings allow it. */
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
