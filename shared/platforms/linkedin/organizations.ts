import * as v from 'valibot';
import type { Target } from '../contract/connector.ts';
import { PlatformError } from '../contract/error.ts';
import { read, type Caller } from './call.ts';
import { encodeList, urnOf } from './urn.ts';

/** Roles that may post, the stronger one first. Only an administrator may read statistics. */
const ROLES = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'CONTENT_ADMIN'] as const;
export const ADMINISTRATOR = ROLES[0];

const PAGE = 100;
const MAX_PAGES = 20;
const NAMES_PER_CALL = 50;

const OrganizationUrn = urnOf('organization', 'organizationBrand');
const AclsSchema = v.object({
  elements: v.array(
    v.object({
      role: v.string(),
      organization: v.optional(v.string()),
      /** The key of earlier versions. */
      organizationTarget: v.optional(v.string()),
    }),
  ),
});

const OrganizationSchema = v.object({ localizedName: v.optional(v.string()) });
type Organization = v.InferOutput<typeof OrganizationSchema>;
const OrganizationsSchema = v.object({ results: v.record(v.string(), OrganizationSchema) });

/** Lists the organizations that the member may post for, each once, with its name and the member's role. */
export async function listOrganizations(caller: Caller): Promise<Target[]> {
  const roles = await readRoles(caller);
  const names = await readNames(caller, [...roles.keys()].map(idOf));
  return [...roles].map(([urn, role]) => ({
    id: urn,
    name: names.get(idOf(urn)) ?? idOf(urn),
    attributes: { role },
    secrets: null,
  }));
}

/** Not filtered by LinkedIn: asked for one role, it would leave out the pages of the other. */
async function readRoles(caller: Caller): Promise<Map<string, string>> {
  const roles = new Map<string, string>();
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = `q=roleAssignee&state=APPROVED&count=${PAGE}&start=${page * PAGE}`;
    const path = `/rest/organizationAcls?${query}`;
    const call = { what: 'Listing the organizations', purpose: 'read', method: 'GET', path } as const;
    const { elements } = await read(caller, call, AclsSchema);
    for (const { role, organization, organizationTarget } of elements) {
      const urn = v.safeParse(OrganizationUrn, organization ?? organizationTarget);
      if (!urn.success || !ROLES.some(each => each === role)) continue;
      if (roles.get(urn.output) !== ADMINISTRATOR) roles.set(urn.output, role);
    }
    if (elements.length < PAGE) break;
  }
  return roles;
}

/** Returns the names by id. Organizations whose details the member may not read are missing. */
async function readNames(caller: Caller, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let start = 0; start < ids.length; start += NAMES_PER_CALL) {
    const [first = '', ...others] = ids.slice(start, start + NAMES_PER_CALL);
    const found =
      others.length === 0
        ? { [first]: await readOrganization(caller, first) }
        : await readOrganizations(caller, [first, ...others]);
    for (const [id, organization] of Object.entries(found)) {
      if (organization?.localizedName) names.set(id, organization.localizedName);
    }
  }
  return names;
}

async function readOrganizations(
  caller: Caller,
  ids: readonly string[],
): Promise<Record<string, Organization>> {
  const path = `/rest/organizations?ids=${encodeList(ids)}`;
  const call = { what: 'Reading the organizations', purpose: 'read', method: 'GET', path } as const;
  return (await read(caller, call, OrganizationsSchema)).results;
}

/** Most members manage one organization. Null where its details may not be read. */
async function readOrganization(caller: Caller, id: string): Promise<Organization | null> {
  const path = `/rest/organizations/${id}`;
  const call = { what: 'Reading the organization', purpose: 'read', method: 'GET', path } as const;
  try {
    return await read(caller, call, OrganizationSchema);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return null;
    throw error;
  }
}

const idOf = (urn: string) => urn.slice(urn.lastIndexOf(':') + 1);
