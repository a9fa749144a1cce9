import type { ValidationDetail } from '../../http/errors.ts';
import { isListed, type PlatformId } from '../../model/platform.ts';
import type { Connection } from '../../model/profile.ts';
import type { JsonObject } from '../../model/json.ts';
import { notEnabled } from '../../platforms/availability.ts';
import { BASICS } from '../../platforms/registry/basics.ts';
import { errorOf } from '../error.ts';
import type { Candidate } from '../input/read.ts';

/**
 * Returns the profile's connection to each platform, and an error for each platform that cannot be published to. `disabled`:
 * platforms that the deployment leaves out, joined by commas.
 */
export function connectionsFor(
  { platforms, options }: Pick<Candidate, 'platforms' | 'options'>,
  all: readonly Connection[],
  disabled: string,
): { connections: Connection[]; errors: ValidationDetail[] } {
  const connections: Connection[] = [];
  const errors: ValidationDetail[] = [];
  for (const platform of platforms) {
    if (isListed(disabled, platform)) {
      errors.push(errorOf('platforms', notEnabled(platform), platform));
      continue;
    }
    const connection = all.find(each => each.platform === platform);
    if (!connection || connection.needs_reconnect) {
      errors.push(errorOf('platforms', unusable(platform, connection), platform));
      continue;
    }
    connections.push(connection);
    const message = missingTarget(connection, options);
    if (message !== null) errors.push(errorOf('platforms', message, platform));
  }
  return { connections, errors };
}

function unusable(platform: PlatformId, connection: Connection | undefined): string {
  const name = BASICS[platform].display_name;
  return connection
    ? `The profile's connection to ${name} has expired. Connect the account again`
    : `The profile has no active connection to ${name}. Connect an account first`;
}

/** A connection with pages or locations needs a default, or a post that chooses one. */
function missingTarget({ id, platform, needs_target }: Connection, options: JsonObject): string | null {
  const { display_name, target_field } = BASICS[platform];
  if (!needs_target || (target_field !== undefined && options[target_field] !== undefined)) return null;
  const choice = target_field === undefined ? '' : `set ${target_field}, or `;
  return `The connection to ${display_name} needs a target and none is chosen: ${choice}choose a default with PATCH /integrations/${id}`;
}
