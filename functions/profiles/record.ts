import * as v from 'valibot';
import { PLATFORM_IDS, type PlatformId } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import { toIso } from '../../shared/time/instant.ts';

const usable = (platform: PlatformId) =>
  v.pipe(v.boolean(), v.description(`Whether the profile has an account on ${platform} that can be used`));

const base = {
  id: v.string(),
  workspace_id: v.string(),
  profile_name: v.string(),
  username: v.string(),
  created_at: v.string(),
};

/** A new profile, as its creation returns it. */
export const NewProfileRecord = v.pipe(v.object(base), v.title('NewProfile'));

/** A profile in responses. `social_accounts` has every platform of the service as a key. */
export const ProfileRecord = v.pipe(
  v.object({
    ...base,
    created_by: v.nullable(v.string()),
    social_accounts: v.object(Object.fromEntries(PLATFORM_IDS.map(platform => [platform, usable(platform)]))),
  }),
  v.title('Profile'),
);

export const ProfileResponse = v.pipe(
  v.object({ success: v.literal(true), profile: ProfileRecord }),
  v.title('ProfileResult'),
);

export function profileRecord(
  profile: Profile,
  connections: readonly Connection[],
): v.InferOutput<typeof ProfileRecord> {
  const active = new Set(
    connections
      .filter(each => each.profile_id === profile.id && !each.needs_reconnect)
      .map(each => each.platform),
  );
  return {
    ...profile,
    created_at: toIso(profile.created_at),
    social_accounts: Object.fromEntries(PLATFORM_IDS.map(platform => [platform, active.has(platform)])),
  };
}
