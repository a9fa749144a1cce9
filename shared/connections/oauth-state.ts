import { createHash, randomBytes } from 'node:crypto';
import { sign, verify } from '../aws/key-ring.ts';
import type { AppCredentials } from '../model/platform-app.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Profile } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';
import { consumeOAuthState, putOAuthState, type OAuthState } from '../store/connections.ts';
import { MINUTE } from '../time/instant.ts';
import { sealApp } from './apps.ts';

const LIFETIME_MS = 10 * MINUTE;
const PURPOSE = 'oauth-state';

export interface AuthorizationRequest {
  profile: Profile;
  platform: PlatformId;
  way: string;
  /** The workspace's own app; null for the stack's. */
  ownApp: AppCredentials | null;
  redirectUri: string;
  /** Page of the caller to return to; null for a plain response. */
  returnTo: string | null;
}

export interface PendingAuthorization {
  /** The `state` parameter: an id and its signature. */
  state: string;
  /** S256 of the PKCE code verifier. */
  code_challenge: string;
  /** Epoch milliseconds. */
  expires_at: number;
}

/** Starts an authorization: stores what the callback needs, for ten minutes and one use. */
export async function startAuthorization(
  services: Services,
  { profile, platform, way, ownApp, redirectUri, returnTo }: AuthorizationRequest,
): Promise<PendingAuthorization> {
  const id = randomBytes(16).toString('base64url');
  const verifier = randomBytes(48).toString('base64url');
  const expiresAt = services.now() + LIFETIME_MS;
  await putOAuthState(services.table, {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
    way,
    app: ownApp && (await sealApp(services, id, ownApp)),
    code_verifier: verifier,
    redirect_uri: redirectUri,
    return_to: returnTo,
    expires_at_ms: expiresAt,
  });
  const signature = sign(await services.keyRing(), PURPOSE, id);
  return {
    state: `${id}.${signature}`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    expires_at: expiresAt,
  };
}

/** Returns the authorization of a `state` and consumes it; null when it is forged, expired, used or of another platform. */
export async function consumeAuthorization(
  services: Services,
  platform: PlatformId,
  state: string,
): Promise<OAuthState | null> {
  const [id = '', signature = ''] = state.split('.');
  if (!verify(await services.keyRing(), PURPOSE, id, signature)) return null;
  const pending = await consumeOAuthState(services.table, id);
  if (pending?.platform !== platform || pending.expires_at_ms < services.now()) return null;
  return pending;
}
