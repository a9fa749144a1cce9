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
  saveFindings,
} from '../../shared/store/assets.ts';
import {
  deleteConnection,
  getConnection,
  putConnection,
  putOAuthState,
  saveCredentials,
  takeOAuthState,
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
  touchApiKey,
  updateMember,
} from '../../shared/store/workspaces.ts';

const HOUR = 3_600_000;
/** What the seal makes of two tokens. */
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
  probes: 0,
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
  platform_user_id: '12345',
  display_name: 'Acme',
  username: 'acme',
  avatar_url: null,
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
  attributes: {},
  sealed: SEALED,
  revision: 1,
  token_expires_at: HOUR,
  needs_reconnect: false,
  renewal_lease_until: null,
  connected_at: 1,
});
const stateOf = () => ({
  id: newId(),
  workspace_id: newId(),
  profile_id: newId(),
  platform: 'x',
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

/** Whatever reads or writes a workspace and its library. Calls on `metered` count, those on `plain` set the scene. */
export const WORKSPACE_PATTERNS: Record<string, (metered: Table, plain: Table) => Promise<unknown>> = {
  'create a workspace': metered => workspace(metered),
  'read a workspace': async (metered, plain) => {
    const made = await workspace(plain);
    return getWorkspace(metered, made.workspace.workspace_id);
  },
  'count a monthly use': metered => reserveUse(metered, monthlyUse(), 50, 1),
  'keep a monthly use': async (metered, plain) => {
    const reserved = await reserveUse(plain, monthlyUse(), 50, 1);
    return 'entry' in reserved && keepUse(metered, reserved, 1);
  },
  'read a month of uses': async (metered, plain) => {
    const use = monthlyUse();
    await reserveUse(plain, use, 50, 1);
    return getMonthlyUsage(metered, use.workspace_id, 'AI', 1);
  },
  'change a plan': async (metered, plain) => {
    const made = await workspace(plain);
    return setPlan(metered, made.workspace.workspace_id, 'business');
  },
  'add a member': async (metered, plain) => {
    const made = await workspace(plain);
    return addMember(metered, memberOf(made.workspace.workspace_id));
  },
  'list members': async (metered, plain) => {
    const made = await workspace(plain);
    return listMembers(metered, made.workspace.workspace_id);
  },
  "change a member's role": async (metered, plain) => {
    const made = await workspace(plain);
    const member = memberOf(made.workspace.workspace_id);
    await addMember(plain, member);
    return updateMember(metered, member, { role: 'owner' });
  },
  'remove a member': async (metered, plain) => {
    const made = await workspace(plain);
    const member = memberOf(made.workspace.workspace_id);
    await addMember(plain, member);
    return removeMember(metered, member);
  },
  'make an API key': metered => createApiKey(metered, memberOf(newId()), 'Website', 1),
  'list API keys': async (metered, plain) => {
    const made = await workspace(plain);
    return listApiKeys(metered, made.workspace.workspace_id);
  },
  'revoke an API key': async (metered, plain) => {
    const { record } = await createApiKey(plain, memberOf(newId()), 'Website', 1);
    return revokeApiKey(metered, record.workspace_id, record.key_id, 2);
  },
  'note the use of an API key': async (metered, plain) => {
    const { record } = await createApiKey(plain, memberOf(newId()), 'Website', 1);
    return touchApiKey(metered, record, 2);
  },
  'read a profile': async (metered, plain) => {
    const profile = profileOf();
    await createProfile(plain, profile);
    return getProfile(metered, profile.workspace_id, profile.id);
  },
  'count profiles': metered => countProfiles(metered, newId()),
  'rename a profile': async (metered, plain) => {
    const profile = profileOf();
    await createProfile(plain, profile);
    return renameProfile(metered, profile, { username: 'beta', profile_name: 'Beta' });
  },
  'delete a profile': async (metered, plain) => {
    const profile = profileOf();
    await createProfile(plain, profile);
    return beginDeletion(metered, profile, 1);
  },
  'look after a deleted profile': metered =>
    getDeletion(metered, { workspace_id: newId(), profile_id: newId() }),
  'end the deletion of a profile': async (metered, plain) => {
    const profile = profileOf();
    await createProfile(plain, profile);
    await beginDeletion(plain, profile, 1);
    return endDeletion(metered, { workspace_id: profile.workspace_id, profile_id: profile.id });
  },
  'register a media asset': metered => createAssets(metered, [assetOf(newId(), newId())]),
  'read a media asset': async (metered, plain) => {
    const { workspace_id, ids } = await with20Assets(plain);
    return getAsset(metered, { workspace_id, asset_id: ids[0]! });
  },
  'list 20 media assets': async (metered, plain) => {
    const { workspace_id } = await with20Assets(plain);
    return listAssets(metered, workspace_id, { profile_id: undefined, limit: 20, before: null });
  },
  'store what a file is': async (metered, plain) => {
    const asset = assetOf(newId(), newId());
    await createAssets(plain, [asset]);
    const found = { mime_type: 'video/mp4', size: 1, duration: 1, width: 1, height: 1 };
    return saveFindings(metered, asset, { ...found, status: 'ready', wake_at: null });
  },
  'delete a media asset': async (metered, plain) => {
    const asset = assetOf(newId(), newId());
    await createAssets(plain, [asset]);
    await saveFindings(plain, asset, { status: 'ready', wake_at: null });
    return deleteAsset(metered, { workspace_id: asset.workspace_id, asset_id: asset.id });
  },
  'see whose 20 assets are': async (metered, plain) => {
    const { workspace_id, ids } = await with20Assets(plain);
    return ownersOfAssets(metered, workspace_id, ids);
  },
  'create a playlist': metered => createPlaylist(metered, playlistOf(newId(), newId())),
  'read a playlist': async (metered, plain) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(plain, playlist);
    return getPlaylist(metered, playlist.workspace_id, playlist.id);
  },
  'list playlists': async (metered, plain) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(plain, playlist);
    return listPlaylists(metered, playlist.workspace_id);
  },
  'change a playlist': async (metered, plain) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(plain, playlist);
    return savePlaylist(metered, playlist, { ...playlist, name: 'Night loop' });
  },
  'delete a playlist': async (metered, plain) => {
    const playlist = playlistOf(newId(), newId());
    await createPlaylist(plain, playlist);
    return deletePlaylist(metered, playlist.workspace_id, playlist.id);
  },
  'begin to connect': metered => putOAuthState(metered, stateOf()),
  'come back from a consent page': async (metered, plain) => {
    const state = stateOf();
    await putOAuthState(plain, state);
    return takeOAuthState(metered, state.id);
  },
  'store an account': metered => putConnection(metered, connectionOf(newId()), HOUR),
  'read an account': async (metered, plain) => {
    const connection = connectionOf(newId());
    await putConnection(plain, connection, HOUR);
    return getConnection(metered, connection.workspace_id, connection.profile_id, 'x');
  },
  'take the right to renew a token': async (metered, plain) => {
    const connection = connectionOf(newId());
    await putConnection(plain, connection, HOUR);
    return acquireRenewalLease(metered, connection, 2, 3);
  },
  'store a renewed token': async (metered, plain) => {
    const connection = connectionOf(newId());
    await putConnection(plain, connection, HOUR);
    const renewed = { sealed: SEALED, token_expires_at: 2 * HOUR, attributes: {} };
    return saveCredentials(metered, connection, renewed, 2 * HOUR);
  },
  'disconnect an account': async (metered, plain) => {
    const connection = connectionOf(newId());
    await putConnection(plain, connection, HOUR);
    return deleteConnection(metered, connection);
  },
};
