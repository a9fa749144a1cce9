import type { ServiceEvent } from '../model/event.ts';
import { derivedId } from '../model/id.ts';
import type { Connection } from '../model/profile.ts';
import { toIso, toIsoOrNull } from '../time/instant.ts';
import type { EventSettings } from './event.ts';

/** Why an account needs its owner. */
export interface Disconnection {
  /** `expires_soon`: the credentials still work and cannot be renewed. */
  reason: 'revoked' | 'expires_soon';
  /** Epoch milliseconds. */
  at: number;
  message: string;
}

/** Builds account.disconnected. The id is derived from the credentials and the reason: a repetition has the same id. */
export function disconnectedEvent(
  connection: Connection,
  profileName: string,
  { reason, at, message }: Disconnection,
  { publicUrl }: EventSettings,
): ServiceEvent {
  const { id, platform, revision } = connection;
  return {
    event: 'account.disconnected',
    id: derivedId(id, 'account.disconnected', reason, revision),
    timestamp: toIso(at),
    data: {
      social_account_id: id,
      platform,
      profile_id: connection.profile_id,
      profile_name: profileName,
      display_name: connection.display_name,
      username: connection.username,
      reason,
      expires_at: toIsoOrNull(connection.token_expires_at),
      reconnect_url: `${publicUrl}/integrations/${platform}/connect`,
      error: { code: 'TOKEN_EXPIRED', message },
    },
  };
}
