import * as v from 'valibot';
import type { ValidationDetail } from '../../shared/http/errors.ts';
import { outOfScope } from '../../shared/http/key-scope.ts';
import type { BodyErrors } from '../../shared/http/route.ts';
import type { KeyRestrictions, Principal, Scope } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getProfile } from '../../shared/store/profiles.ts';
import { parseInstant } from '../../shared/time/instant.ts';
import { profileIdsField } from './fields.ts';

interface RequestedRestrictions {
  expires_at?: string | null | undefined;
  scopes?: Scope[] | null | undefined;
  profile_ids?: string[] | null | undefined;
}

/** Returns an error for an expiry that has passed, and for each id that is not one of a profile. */
export const restrictionErrors: BodyErrors = async ({ expires_at, profile_ids }, principal, services) => {
  const validUntil = typeof expires_at === 'string' ? parseInstant(expires_at) : null;
  const ids = v.safeParse(profileIdsField, profile_ids);
  return [
    ...pastExpiry(validUntil, services.now()),
    ...(ids.success ? await unknownProfiles(services, principal, ids.output) : []),
  ];
};

/**
 * Returns the restrictions of a new key. Without a value it has those of the key that creates it. Throws 403 `KEY_SCOPE`
 * where the new key would be less restricted than the key that creates it.
 */
export function readRestrictions(principal: Principal, requested: RequestedRestrictions): KeyRestrictions {
  const own = principal.restrictions;
  const validUntil = requested.expires_at == null ? null : parseInstant(requested.expires_at);
  const restrictions = {
    scopes: requested.scopes ?? own?.scopes ?? null,
    profile_ids: requested.profile_ids ?? own?.profile_ids ?? null,
    valid_until: validUntil ?? own?.valid_until ?? null,
  };
  if (own && exceeds(restrictions, own)) {
    throw outOfScope('An API key cannot create a key with fewer restrictions than its own');
  }
  return restrictions;
}

function pastExpiry(validUntil: number | null, now: number): ValidationDetail[] {
  if (validUntil === null || validUntil > now) return [];
  return [{ field: 'expires_at', message: 'expires_at must be in the future', platform: null }];
}

async function unknownProfiles(
  { table }: Services,
  { workspace_id }: Principal,
  ids: readonly string[],
): Promise<ValidationDetail[]> {
  const profiles = await Promise.all(ids.map(id => getProfile(table, workspace_id, id)));
  return profiles.flatMap((profile, index) =>
    profile
      ? []
      : [
          {
            field: `profile_ids[${index}]`,
            message: `profile_ids[${index}] is not the id of a profile of this workspace`,
            platform: null,
          },
        ],
  );
}

function exceeds(restrictions: KeyRestrictions, own: KeyRestrictions): boolean {
  return (
    !isWithin(restrictions.scopes, own.scopes) ||
    !isWithin(restrictions.profile_ids, own.profile_ids) ||
    (restrictions.valid_until ?? Infinity) > (own.valid_until ?? Infinity)
  );
}

const isWithin = (values: readonly string[] | null, allowed: readonly string[] | null) =>
  allowed === null || (values?.every(value => allowed.includes(value)) ?? false);
