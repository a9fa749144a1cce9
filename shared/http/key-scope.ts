import type { Principal, Scope } from '../model/workspace.ts';
import type { Services } from '../runtime/services.ts';
import { getAsset } from '../store/assets.ts';
import { getBroadcast } from '../store/broadcasts.ts';
import { listConnections } from '../store/connections.ts';
import { getPlaylist } from '../store/playlists.ts';
import { getPost } from '../store/posts.ts';
import { findProfileByName, getProfile } from '../store/profiles.ts';
import type { Table } from '../store/table.ts';
import { getUpload } from '../store/uploads.ts';
import { forbidden, notFound } from './errors.ts';
import { queryOf } from './query.ts';
import type { RawRequest, Route } from './route.ts';

/*
 * Restricted API keys. `scopes` limits a key to kinds of operations, `profile_ids` to requests that name only these
 * profiles. A key restricted to profiles is denied every request that names none, except those listed here.
 */

/** Scope of the operations that change something, by tag. All others need `manage`. */
const SCOPE_BY_TAG: Readonly<Record<string, Scope>> = {
  Posts: 'post',
  AI: 'post',
  'Live broadcasts': 'post',
  Uploads: 'media',
  'Media assets': 'media',
  Playlists: 'media',
};

/** The scope that a restricted key needs for a route. */
export const scopeOf = ({ method, tag }: Pick<Route, 'method' | 'tag'>): Scope =>
  method === 'GET' ? 'read' : (SCOPE_BY_TAG[tag] ?? 'manage');

/** Throws 403 `KEY_SCOPE` unless the key has the scope of the route. */
export function assertScope({ restrictions }: Principal, route: Route): void {
  const scope = scopeOf(route);
  const scopes = restrictions?.scopes ?? null;
  if (scopes !== null && !scopes.includes(scope)) {
    throw outOfScope(`This API key does not have the scope ${scope}, which this request needs`);
  }
}

/** Requests that need not name a profile: their responses contain nothing of one, or are filtered by their handlers. */
const WITHOUT_PROFILE: readonly string[] = [
  'GET /agency/profiles',
  'GET /integrations',
  'GET /integrations/youtube/categories',
  'GET /workspace',
  'GET /workspace/banned-hashtags',
  'POST /ai/generate',
];

/** Throws 403 `KEY_SCOPE` unless the key may act on every profile that the request names. */
export async function assertProfiles(services: Services, route: Route, raw: RawRequest): Promise<void> {
  const allowed = raw.principal?.restrictions?.profile_ids ?? null;
  if (allowed === null || !raw.principal) return;
  const named = await namedProfiles(services.table, raw.principal.workspace_id, route, raw);
  if (named.length === 0 && !WITHOUT_PROFILE.includes(nameOf(route))) {
    throw outOfScope('This API key is restricted to profiles; this request must name one of them');
  }
  if (!named.every(id => allowed.includes(id))) {
    throw outOfScope('This API key is not allowed to use this profile');
  }
}

/** Whether a key may see a profile. */
export const isProfileVisible = ({ restrictions }: Principal, profileId: string): boolean =>
  restrictions?.profile_ids?.includes(profileId) ?? true;

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

export const outOfScope = (error: string) => forbidden(error, { code: 'KEY_SCOPE' });

/** Ids of the profiles that a request names by its path, query and body. Throws 404 for one that does not exist. */
async function namedProfiles(
  table: Table,
  workspaceId: string,
  route: Route,
  raw: RawRequest,
): Promise<string[]> {
  // Names in requests to a profile itself are new names.
  const fields = route.path.startsWith('/agency/profiles') ? [] : namingFields(route, raw);
  const owners = [
    ...ownersOfResources(table, workspaceId, route, raw),
    ...fields.map(({ field, value }) =>
      field === 'profile_name'
        ? profilesNamed(table, workspaceId, value)
        : profilesWithId(table, workspaceId, value.toLowerCase()),
    ),
  ];
  return (await Promise.all(owners)).flat();
}

async function profilesWithId(table: Table, workspaceId: string, id: string): Promise<string[]> {
  const profile = await getProfile(table, workspaceId, id);
  if (!profile) throw notFound('Profile');
  return [profile.id];
}

/** A handler may or may not trim the name, so the profiles of both spellings count. */
async function profilesNamed(table: Table, workspaceId: string, name: string): Promise<string[]> {
  const spellings = [...new Set([name, name.trim()])];
  const found = await Promise.all(spellings.map(each => findProfileByName(table, workspaceId, each)));
  const ids = found.flatMap(profile => (profile ? [profile.id] : []));
  if (ids.length === 0) throw notFound('Profile');
  return ids;
}

interface NamingField {
  field: 'profile_name' | 'profile_id';
  value: string;
}

/** Fields of query and body that name a profile and that the route knows. */
function namingFields(route: Route, { query: sent, body }: RawRequest): NamingField[] {
  const query = queryOf({ query: sent });
  const bodies: unknown[] = Array.isArray(body) ? body : [body];
  return (['profile_name', 'profile_id'] as const).flatMap(field =>
    [
      ...(route.query && field in route.query ? [textIn(query, field)] : []),
      ...(route.body && field in route.body ? bodies.map(each => textIn(each, field)) : []),
    ].flatMap(value => (value === null ? [] : [{ field, value }])),
  );
}

function textIn(container: unknown, field: string): string | null {
  if (typeof container !== 'object' || container === null) return null;
  const value: unknown = Object.entries(container).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : null;
}

type OwnerLookup = (table: Table, workspaceId: string, id: string) => Promise<string | null>;

const uploadOwner: OwnerLookup = async (table, workspace_id, upload_id) =>
  (await getUpload(table, { workspace_id, upload_id }, 0))?.profile_id ?? null;

/** How to find the profile of the resource that a path names. */
const RESOURCE_OWNERS: Readonly<Record<string, OwnerLookup>> = {
  '/agency/profiles/{id}': async (table, workspaceId, id) =>
    (await profilesWithId(table, workspaceId, id))[0] ?? null,
  '/agency/media/{id}': async (table, workspace_id, asset_id) =>
    (await getAsset(table, { workspace_id, asset_id }))?.profile_id ?? null,
  '/agency/playlists/{id}': async (table, workspaceId, id) =>
    (await getPlaylist(table, workspaceId, id))?.profile_id ?? null,
  '/posts/{id}': async (table, workspaceId, id) =>
    (await getPost(table, workspaceId, id))?.profile_id ?? null,
  '/integrations/{id}': async (table, workspaceId, id) =>
    (await listConnections(table, workspaceId)).find(each => each.id === id)?.profile_id ?? null,
  '/integrations/youtube/broadcasts/{id}': async (table, workspace_id, id) =>
    (await getBroadcast(table, { workspace_id, id }))?.profile_id ?? null,
  '/upload-media/{upload_id}': uploadOwner,
};

function ownersOfResources(
  table: Table,
  workspaceId: string,
  route: Route,
  { params, body }: RawRequest,
): Promise<string[]>[] {
  const [template, lookup] =
    Object.entries(RESOURCE_OWNERS).find(([path]) => `${route.path}/`.startsWith(`${path}/`)) ?? [];
  const id = params[/\{(\w+)\}/.exec(template ?? '')?.[1] ?? ''];
  const uploadId = route.body && 'upload_id' in route.body ? textIn(body, 'upload_id') : null;
  return [
    ...(lookup && id !== undefined ? [lookup(table, workspaceId, id)] : []),
    ...(uploadId === null ? [] : [uploadOwner(table, workspaceId, uploadId)]),
  ].map(async owner => {
    const profileId = await owner;
    if (profileId === null) throw notFound();
    return [profileId];
  });
}
