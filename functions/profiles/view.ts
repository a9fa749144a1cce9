import * as v from 'valibot';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import { toIso } from '../../shared/time/instant.ts';

const base = {
  id: v.string(),
  workspace_id: v.string(),
  profile_name: v.string(),
  username: v.string(),
  created_at: v.string(),
};

/** What the creation answers. */
export const NewProfileView = v.pipe(v.object(base), v.title('NewProfile'));

/** A profile as the API shows it; every platform of the service is a key of `social_accounts`. */
export const ProfileView = v.pipe(
  v.object({
    ...base,
    created_by: v.nullable(v.string()),
    social_accounts: v.object(Object.fromEntries(PLATFORM_IDS.map(platform => [platform, v.boolean()]))),
  }),
  v.title('Profile'),
);

export const ProfileAnswer = v.object({ success: v.literal(true), profile: ProfileView });

export function profileView(
  profile: Profile,
  connections: readonly Connection[],
): v.InferOutput<typeof ProfileView> {
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
