import { route } from '../../shared/http/define-route.ts';
import { PLATFORM_IDS } from '../../shared/model/platform.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import { listConnections } from '../../shared/store/connections.ts';
import { listProfiles as readProfiles } from '../../shared/store/profiles.ts';
import { toIso } from '../../shared/time/instant.ts';

export const listProfiles = route({
  method: 'GET',
  path: '/agency/profiles',
  summary: 'List the profiles of the workspace',
  tag: 'Profiles',
  auth: 'key',
  responses: { 200: { description: 'All profiles' } },
  handler: async ({ principal }, services) => {
    const [profiles, connections] = await Promise.all([
      readProfiles(services.table, principal.workspace_id),
      listConnections(services.table, principal.workspace_id),
    ]);
    return {
      status: 200,
      body: { success: true, profiles: profiles.map(profile => profileRecord(profile, connections)) },
    };
  },
});

/** A profile as the API shows it; every platform of the service is a key of `social_accounts`. */
function profileRecord(profile: Profile, connections: readonly Connection[]): Record<string, unknown> {
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
