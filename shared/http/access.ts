import type { Principal } from '../model/workspace.ts';
import { forbidden } from './errors.ts';

/** Who may call a route: owners of the workspace only, or also the member who created the resource. */
export type Access = 'owner' | 'creator';

/** The 403 of a route with restricted access, as the OpenAPI document describes it. */
export const ACCESS_DENIED: Readonly<Record<Access, string>> = {
  owner: 'The caller is not an owner of the workspace',
  creator: 'The resource was created by another user, and the caller is not an owner of the workspace',
};

/** Throws 403 unless the caller is an owner. */
export function assertOwner({ role }: Principal): void {
  if (role !== 'owner') throw forbidden('Only owners of the workspace can do this');
}

/**
 * Throws 403 unless the caller is an owner or created the resource. `resources` names its kind in the plural. Resources
 * without a known creator belong to the owners.
 */
export function assertCreator(
  { role, user_id }: Principal,
  createdBy: string | null,
  resources: string,
): void {
  if (role === 'owner' || createdBy === user_id) return;
  throw forbidden(`Members can modify only their own ${resources}; ask an owner of the workspace`);
}
