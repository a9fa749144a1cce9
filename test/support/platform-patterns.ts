import { addConnectedPlatform, connectedPlatforms } from '../../shared/store/connected-platforms.ts';
import { newId } from '../../shared/model/id.ts';
import type { WorkspaceApp } from '../../shared/model/platform-app.ts';
import { deleteCheckpoint, getCheckpoint, putCheckpoint } from '../../shared/store/checkpoints.ts';
import { connectionsOfUser, deletePlatformUser, putPlatformUser } from '../../shared/store/platform-users.ts';
import { deleteWorkspaceApp, getWorkspaceApp, putWorkspaceApp } from '../../shared/store/platform-apps.ts';
import type { Table } from '../../shared/store/table.ts';
import { getTarget, listTargets, replaceTargets, type StoredTarget } from '../../shared/store/targets.ts';

/** As long as sealed credentials. */
const SEALED = 'v1.00000000.'.padEnd(400, 'a');

const ownerOf = () => ({ id: newId(), workspace_id: newId() });
const targetOf = (): StoredTarget => ({ id: newId(), name: 'Acme Roasters', attributes: {}, sealed: SEALED });
const appOf = (): WorkspaceApp => ({
  client_id: '1234567890',
  sealed: SEALED,
  workspace_id: newId(),
  platform: 'x',
  fields: {},
  updated_at: 1,
});
const checkpointOf = () =>
  ({ workspace_id: newId(), post_id: newId(), platform: 'x', item: newId() }) as const;
const userOf = () => ({ space: 'facebook', id: newId() });
const connectionOf = () => ({ workspace_id: newId(), profile_id: newId(), platform: 'facebook' }) as const;
/** A state of 2 KB, as it is stored after compression. */
const STATE = { data: 'a'.repeat(2000), sealed: false };

/** The access patterns of targets, apps and checkpoints; `base` creates what exists beforehand, outside the measurement. */
export const PLATFORM_PATTERNS: Record<string, (table: Table, base: Table) => Promise<unknown>> = {
  'store 3 targets of a connection': table =>
    replaceTargets(table, ownerOf(), [targetOf(), targetOf(), targetOf()]),
  'read a target': async (table, base) => {
    const [owner, target] = [ownerOf(), targetOf()];
    await replaceTargets(base, owner, [target]);
    return getTarget(table, owner, target.id);
  },
  'list 3 targets of a connection': async (table, base) => {
    const owner = ownerOf();
    await replaceTargets(base, owner, [targetOf(), targetOf(), targetOf()]);
    return listTargets(table, owner);
  },
  'record a connected platform': table => addConnectedPlatform(table, 'x'),
  'list the connected platforms': async (table, base) => {
    await addConnectedPlatform(base, 'x');
    return connectedPlatforms(table);
  },
  'store the user of a connection': table => putPlatformUser(table, userOf(), connectionOf()),
  "list a user's connections": async (table, base) => {
    const user = userOf();
    await putPlatformUser(base, user, connectionOf());
    return connectionsOfUser(table, user);
  },
  'delete the user of a connection': async (table, base) => {
    const [user, connection] = [userOf(), connectionOf()];
    await putPlatformUser(base, user, connection);
    return deletePlatformUser(table, user, connection);
  },
  "store a workspace's platform app": table => putWorkspaceApp(table, appOf()),
  "read a workspace's platform app": async (table, base) => {
    const app = appOf();
    await putWorkspaceApp(base, app);
    return getWorkspaceApp(table, app.workspace_id, 'x');
  },
  "delete a workspace's platform app": async (table, base) => {
    const app = appOf();
    await putWorkspaceApp(base, app);
    return deleteWorkspaceApp(table, app.workspace_id, 'x');
  },
  'store a checkpoint of 2 KB': table => putCheckpoint(table, checkpointOf(), STATE, 1),
  'read a checkpoint of 2 KB': async (table, base) => {
    const ref = checkpointOf();
    await putCheckpoint(base, ref, STATE, 1);
    return getCheckpoint(table, ref);
  },
  'delete a checkpoint of 2 KB': async (table, base) => {
    const ref = checkpointOf();
    await putCheckpoint(base, ref, STATE, 1);
    return deleteCheckpoint(table, ref);
  },
};
