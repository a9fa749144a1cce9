import { newId } from '../../shared/model/id.ts';
import type { Asset, Playlist } from '../../shared/model/library.ts';
import type { Connection, Profile } from '../../shared/model/profile.ts';
import type { Member } from '../../shared/model/workspace.ts';
import { createApiKey, createWorkspace } from '../../shared/runtime/bootstrap.ts';
import {
  createAssets,
  deleteAsset,
  getAsset,
  listAssets,
  ownersOfAssets,
  saveProbeResult,
} from '../../shared/store/assets.ts';
import {
  deleteConnection,
  getConnection,
  putConnection,
  putOAuthState,
  saveCredentials,
  consumeOAuthState,
  acquireRenewalLease,
} from '../../shared/store/connections.ts';
import {
  createPlaylist,
  deletePlaylist,
  getPlaylist,
  listPlaylists,
  savePlaylist,
} from '../../shared/store/playlists.ts';
import { endDeletion, getDeletion } from '../../shared/store/profile-deletions.ts';
import {
  beginDeletion,
  countProfiles,
  createProfile,
  getProfile,
  renameProfile,
} from '../../shared/store/profiles.ts';
import type { Table } from '../../shared/store/table.ts';
import { getMonthlyUsage, keepUse, reserveUse } from '../../shared/store/usage.ts';
import {
  addMember,
  getWorkspace,
  listApiKeys,
  listMembers,
  removeMember,
  revokeApiKey,
  setPlan,
  recordApiKeyUse,
  updateMember,
} from '../../shared/store/workspaces.ts';

const HOUR = 3_600_000;
/** As long as sealed credentials. */
const SEALED = 'v1.00000000.'.padEnd(400, 'a');

const profileOf = (workspace_id = newId()): Profile => {
  const id = newId();
  return { id, workspace_id, profile_name: `Acme ${id}`, username: id, created_by: newId(), created_at: 1 };
};
const memberOf = (workspace_id: string, role: Member['role'] = 'member'): Member => {
  const user_id = newId();
  return { workspace_id, user_id, email: `${user_id}@example.com`, name: 'Kim', role, created_at: 1 };
};
const assetOf = (workspace_id: string, profile_id: string): Asset => ({
  id: newId(),
  workspace_id,
  profile_id,
  title: 'Summer clip',
  source_type: 'url',
  public_url: 'https://cdn.example.com/clips/summer.mp4',
  duration: null,
  size: null,
  mime_type: null,
  width: null,
  height: null,
  status: 'processing',
  error: null,
  failed_probes: 0,
  created_at: 1,
});
const playlistOf = (workspace_id: string, profile_id: string): Playlist => ({
  id: newId(),
  workspace_id,
  profile_id,
  name: 'Evening loop',
  loop_enabled: true,
  items: Array.from({ length: 3 }, () => ({ id: newId(), media_asset_id: newId() })),
  revision: 1,
  created_at: 1,
});
const connectionOf = (workspace_id: string): Connection => ({
  id: newId(),
  workspace_id,
  profile_id: newId(),
  platform: 'x',
  way: 'oauth',
  platform_user_id: '12345',
  display_name: 'Acme',
  username: 'acme',
  avatar_url: null,
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
  attributes: {},
  sealed: SEALED,
  revision: 1,
  renew_at: HOUR,
  token_expires_at: HOUR,
  needs_reconnect: false,
  needs_target: false,
  renewal_lease_until: null,
  connected_at: 1,
});
const stateOf = () => ({
  id: newId(),
  workspace_id: newId(),
  profile_id: newId(),
  platform: 'x',
  way: 'oauth',
  app: null,
  code_verifier: 'v'.repeat(64),
  redirect_uri: 'https://api.example.com/v1/integrations/x/callback',
  return_to: null,
  expires_at_ms: 1,
});

const workspace = (table: Table) =>
  createWorkspace(table, { name: 'A', plan: 'pro', owner_email: 'a@example.com' }, 1);

async function with20Assets(
  table: Table,
): Promise<{ workspace_id: string; profile_id: string; ids: string[] }> {
  const workspace_id = newId();
  const profile_id = newId();
  const assets = Array.from({ length: 20 }, () => assetOf(workspace_id, profile_id));
  await createAssets(table, assets);
  return { workspace_id, profile_id, ids: assets.map(({ id }) => id) };
}

const monthlyUse = () => ({ workspace_id: newId(), feature: 'AI', id: newId() }) as const;

/** The access patterns of workspaces, profiles, media and connections; `base` creates what exists beforehand, outside the measurement. */
export const WORKSPACE_PATTERNS: Record<string, (table: Table, base: Table) => Promise<unknown>> = {
  'create a workspace': table => workspace(table),
  'read a workspace': async (table, base) => {
    const made = await workspace(base);
    return getWorkspace(table, made.workspace.workspace_id);
  },
  'reserve a monthly use': table => reserveUse(table, monthlyUse(), 50, 1),
  'confirm a monthly use': async (table, base) => {
    const reserved = await reserveUse(base, monthlyUse(), 50, 1);
    return 'entry' in reserved && keepUse(table, reserved, 1);
  },
  'read the usage of a month': async (table, base) => {
    const use = monthlyUse();
    await reserveUse(base, use, 50, 1);
    return getMonthlyUsage(table, use.workspace_id, 'AI', 1);
  },
  'change a plan': async (table, base) => {
    const made = await workspace(base);
    return setPlan(table, made.workspace.workspace_id, 'business');
  },
  'add a member': async (table, base) => {
    const made = await workspace(base);
    return addMember(table, memberOf(made.workspace.workspace_id));
  },
  'list members': async (table, base) => {
    const made = await workspace(base);
    return listMembers(table, made.workspace.workspace_id);
  },
  "change a member's role": async (table, base) => {
    const made = await workspace(base);
    const member = memberOf(made.workspace.workspace_id);
    await addMember(base, member);
    return updateMember(table, member, { role: 'owner' });
  },
  'remove a member': async (table, base) => {
    const made = await workspace(base);
    const member = memberOf(made.workspace.workspace_id);
    await addMember(base, member);
    return removeMember(table, member);
  },
  'create an API key': table => createApiKey(table, memberOf(newId()), { name: 'Website', now: 1 }),
  'list API keys': async (table, base) => {
    const made = await workspace(base);
    return listApiKeys(table, made.workspace.workspace_id);
  },
  'revoke an API key': async (table, base) => {
    const { record } = (await createApiKey(base, memberOf(newId()), { name: 'Website', now: 1 }))!;
    return revokeApiKey(table, record.workspace_id, record.key_id, 2);
  },
  'record the use of an API key': async (table, base) => {
    const { record } = (await createApiKey(base, memberOf(newId()), { name: 'Website', now: 1 }))!;
    return recordApiKeyUse(table, record, 2);
  },
  'read a profile': async (table, base) => {
    const profile = profileOf();
    await createProfile(base, profile);
    return getProfile(table, profile.workspace_id, profile.id);
  },
  'count profiles': table => countProfiles(table, newId()),
  'rename a profile': async (table, base) => {
    const profile = profileOf();
    await createProfile(base, profile);
    return renameProfile(table, profile, { username: 'beta', profile_name: 'Beta' });
  },
  'delete a profile': async (table, base) => {
    const profile = profileOf();
    await createProfile(base, profile);
    return beginDeletion(table, profile, 1);
  },
  'read the deletion of a profile': table =>
    getDeletion(table, { workspace_id: newId(), profile_id: newId() }),
  'finish the deletion of a profile': async (table, base) => {
    const profile = profileOf();
    await createProfile(base, profile);
    await beginDeletion(base, profile, 1);
    return endDeletion(table, { workspace_id: profile.workspace_id, profile_id: profile.id });
  },
  'register a media asset': table => createAssets(table, [assetOf(newId(), newId())]),
  'read a media asset': async (table, base) => {
    const { workspace_id, ids } = await with20Assets(base);
    return getAsset(table, { workspace_id, asset_id: ids[0]! });
  },
  'list 20 media assets': async (table, base) => {
    const { workspace_id } = await with20Assets(base);
    return listAssets(table, workspace_id, { profile_id: undefined, limit: 20, before: null });
  },
  'store the probe of a media asset': async (table, base) => {
    const asset = assetOf(newId(), newId());
    await createAssets(base, [asset]);
    const found = { mime_type: 'video/mp4', size: 1, duration: 1, width: 1, height: 1 };
    return saveProbeResult(table, asset, { ...found, status: 'ready', wake_at: null });
  },
  'delete a media asset': async (table, base) => {
    const asset = assetOf(newId(), newId());
    await createAssets(base, [asset]);
    await saveProbeResult(base, asset, { status: 'ready', wake_at: null });
    return deleteAsset(table, { workspace_id: asset.workspace_id, asset_id: asset.id });
  },
  'read the owners of 20 assets': async (table, base) => {
    const { workspace_id, ids } = await with20Assets(base);
    return ownersOfAssets(table, workspace_id, ids);
  },
  'create a playlist': table => createPlaylist(table, playlistOf(newId(), newId())),
  'read a playlist': async (table, base) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(base, playlist);
    return getPlaylist(table, playlist.workspace_id, playlist.id);
  },
  'list playlists': async (table, base) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(base, playlist);
    return listPlaylists(table, playlist.workspace_id);
  },
  'change a playlist': async (table, base) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(base, playlist);
    return savePlaylist(table, playlist, { ...playlist, name: 'Night loop' });
  },
  'delete a playlist': async (table, base) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(base, playlist);
    return deletePlaylist(table, playlist.workspace_id, playlist.id);
  },
  'store an OAuth state': table => putOAuthState(table, stateOf()),
  'take an OAuth state': async (table, base) => {
    const state = stateOf();
    await putOAuthState(base, state);
    return consumeOAuthState(table, state.id);
  },
  'store a connection': table => putConnection(table, connectionOf(newId())),
  'read a connection': async (table, base) => {
    const connection = connectionOf(newId());
    await putConnection(base, connection);
    return getConnection(table, connection.workspace_id, connection.profile_id, 'x');
  },
  "acquire a token's renewal lease": async (table, base) => {
    const connection = connectionOf(newId());
    await putConnection(base, connection);
    return acquireRenewalLease(table, connection, 2, 3);
  },
  'store a renewed token': async (table, base) => {
    const connection = connectionOf(newId());
    await putConnection(base, connection);
    const renewed = { sealed: SEALED, token_expires_at: 2 * HOUR, renew_at: 2 * HOUR, attributes: {} };
    return saveCredentials(table, connection, renewed);
  },
  'delete a connection': async (table, base) => {
    const connection = connectionOf(newId());
    await putConnection(base, connection);
    return deleteConnection(table, connection);
  },
};
