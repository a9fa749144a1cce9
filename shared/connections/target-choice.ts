import type { JsonObject } from '../model/json.ts';
import type { Connection } from '../model/profile.ts';
import { BASICS } from '../platforms/registry/basics.ts';

/**
 * Returns the target of a post: the one that its own field names, else the account's default; null for the platform's
 * own default. `options`: the platform's fields of the post.
 */
export function targetIdOf(
  { platform, default_target_id }: Pick<Connection, 'platform' | 'default_target_id'>,
  options: JsonObject,
): string | null {
  const { target_field } = BASICS[platform];
  const named = target_field === undefined ? undefined : options[target_field];
  return typeof named === 'string' && named !== '' ? named : (default_target_id ?? null);
}
