import { notFound } from '../../shared/http/errors.ts';
import type { Profile } from '../../shared/model/profile.ts';
import type { Upload } from '../../shared/model/upload.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { findProfileByName } from '../../shared/store/profiles.ts';
import { createUpload, getUpload } from '../../shared/store/uploads.ts';

/** Reads a profile of the caller's workspace by its name. Throws 404 where there is none. */
export async function findProfile(services: Services, principal: Principal, name: string): Promise<Profile> {
  const profile = await findProfileByName(services.table, principal.workspace_id, name);
  if (!profile) throw notFound('Profile');
  return profile;
}

/** Returns an upload of which nothing is known yet. */
export function emptyUpload(id: string, profile: Profile, file_name: string, now: number): Upload {
  return {
    upload_id: id,
    workspace_id: profile.workspace_id,
    profile_id: profile.id,
    status: 'processing',
    file_name,
    format: null,
    size: null,
    key: null,
    error: null,
    transfer: null,
    direct: null,
    lease_until: 0,
    revision: 1,
    created_at: now,
  };
}

/** Stores an upload, or returns the one that an earlier run of the same request stored. */
export async function storeOnce({ table, now }: Services, upload: Upload): Promise<Upload> {
  if (await createUpload(table, upload)) return upload;
  return (await getUpload(table, upload, now())) ?? upload;
}
