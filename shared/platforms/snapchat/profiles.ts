import * as v from 'valibot';
import { PlatformError } from '../contract/error.ts';
import { Id, optionalText, send, type Caller } from './call.ts';
import { isMissing } from './errors.ts';

const ProfileSchema = v.object({
  id: Id,
  organization_id: v.fallback(v.nullish(Id, null), null),
  display_name: optionalText,
  snap_user_name: optionalText,
  logo_urls: v.fallback(
    v.nullish(v.object({ manage_profile_logo_url: optionalText, original_logo_url: optionalText }), null),
    null,
  ),
});

/** A public profile: what posts are published on. */
export type Profile = v.InferOutput<typeof ProfileSchema>;

const MembersSchema = v.array(v.object({ public_profile: v.nullish(ProfileSchema) }));

/** The three forms in which the profile comes. */
const MyProfileSchema = v.object({
  public_profile: v.nullish(ProfileSchema),
  public_profiles: v.nullish(MembersSchema),
  me: v.nullish(ProfileSchema),
});

/** Returns the public profile of the user. Throws PlatformError `rejected` where there is none. */
export async function readMyProfile(caller: Caller): Promise<Profile> {
  const call = {
    what: 'Reading the public profile',
    method: 'GET',
    path: '/v1/public_profiles/my_profile',
  } as const;
  const answer = await send(caller, call, MyProfileSchema).catch((error: unknown) => {
    throw isMissing(error) ? noProfile() : error;
  });
  const { public_profile, public_profiles, me } = answer;
  const profile = public_profile ?? public_profiles?.[0]?.public_profile ?? me;
  if (!profile) throw noProfile();
  return profile;
}

function noProfile(): PlatformError {
  return new PlatformError({
    kind: 'rejected',
    code: 'PERMISSION_MISSING',
    message:
      'This Snapchat account has no public profile, which posts are published on: create one in the Snapchat app (Profile, Public Profile), then connect again',
  });
}

/** Bounds a list that does not end. */
const MAX_PAGES = 20;

const PageSchema = v.object({
  public_profiles: v.fallback(MembersSchema, []),
  paging: v.fallback(v.nullish(v.object({ next_page_id: optionalText }), null), null),
});
type Page = v.InferOutput<typeof PageSchema>;

/** Returns the public profiles of an organization that the user has access to. */
export async function listProfiles(caller: Caller, organization: string): Promise<Profile[]> {
  const profiles: Profile[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: Record<string, string> = { limit: '100', ...(cursor === null ? {} : { cursor }) };
    const path = `/v1/organizations/${organization}/public_profiles?${new URLSearchParams(query).toString()}`;
    const { public_profiles, paging }: Page = await send(
      caller,
      { what: 'Reading the public profiles', method: 'GET', path, partial: true },
      PageSchema,
    );
    profiles.push(...public_profiles.flatMap(({ public_profile }) => public_profile ?? []));
    cursor = paging?.next_page_id ?? null;
    if (cursor === null) break;
  }
  return profiles;
}

export const nameOf = ({ display_name, snap_user_name }: Profile): string =>
  display_name ?? snap_user_name ?? 'Snapchat profile';

export const pictureOf = ({ logo_urls }: Profile): string | null =>
  logo_urls?.manage_profile_logo_url ?? logo_urls?.original_logo_url ?? null;
