import type { ValidationDetail } from '../../http/errors.ts';
import type { PlatformId } from '../../model/platform.ts';
import type { Connection } from '../../model/profile.ts';
import { RULES } from '../../platforms/registry.ts';
import { errorOf } from '../error.ts';

/** Returns the profile's connection to each platform, and an error for each platform without a working one. */
export function connectionsFor(
  platforms: readonly PlatformId[],
  all: readonly Connection[],
): { connections: Connection[]; errors: ValidationDetail[] } {
  const connections: Connection[] = [];
  const errors: ValidationDetail[] = [];
  for (const platform of platforms) {
    const connection = all.find(each => each.platform === platform);
    if (connection && !connection.needs_reconnect) connections.push(connection);
    else errors.push(errorOf('platforms', unusable(platform, connection), platform));
  }
  return { connections, errors };
}

function unusable(platform: PlatformId, connection: Connection | undefined): string {
  const name = RULES[platform].display_name;
  return connection
    ? `The profile's connection to ${name} has expired. Connect the account again`
    : `The profile has no active connection to ${name}. Connect an account first`;
}
