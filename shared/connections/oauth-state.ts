import { createHash, randomBytes } from 'node:crypto';
import { sign, verify } from '../aws/key-ring.ts';
import type { PlatformId } from '../model/platform.ts';
import type { Profile } from '../model/profile.ts';
import type { Services } from '../runtime/services.ts';
import { putOAuthState, consumeOAuthState, type OAuthState } from '../store/connections.ts';
import { MINUTE } from '../time/instant.ts';

const LIFETIME_MS = 10 * MINUTE;
const PURPOSE = 'oauth-state';

export interface PendingAuthorization {
  /** The `state` parameter: an id and its signature. */
  state: string;
  code_challenge: string;
  expires_at: number;
}

/** Remembers who asked to connect what, for ten minutes and one use. */
export async function startAuthorization(
  services: Services,
  profile: Profile,
  platform: PlatformId,
  redirectUri: string,
  returnTo: string | null,
): Promise<PendingAuthorization> {
  const id = randomBytes(16).toString('base64url');
  const verifier = randomBytes(48).toString('base64url');
  const expiresAt = services.now() + LIFETIME_MS;
  await putOAuthState(services.table, {
    id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    platform,
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

/** The remembered request of a `state`, used up by this call; null when it is forged, old, used, or another platform's. */
export async function consumeAuthorization(
  services: Services,
  platform: PlatformId,
  state: string,
): Promise<OAuthState | null> {
  const [id = '', signature = ''] = state.split('.');
  if (!verify(await services.keyRing(), PURPOSE, id, signature)) return null;
  const remembered = await consumeOAuthState(services.table, id);
  if (remembered?.platform !== platform || remembered.expires_at_ms < services.now()) return null;
  return remembered;
}
