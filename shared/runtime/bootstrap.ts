import { apiKeyPrefix, hashApiKey, newApiKey } from '../model/api-key.ts';
import { newId } from '../model/id.ts';
import type { ApiKey, Member, Plan, Workspace } from '../model/workspace.ts';
import { addApiKey, createWorkspace as storeWorkspace } from '../store/workspaces.ts';
import type { Table } from '../store/table.ts';

export interface NewWorkspace {
  name: string;
  plan: Plan;
  owner_email: string;
}

/** A new key with its text, which is shown once and never stored. */
export interface IssuedKey {
  key: string;
  record: ApiKey;
}

/** Creates a workspace with an owner and the owner's first API key. */
export async function createWorkspace(
  table: Table,
  input: NewWorkspace,
  now: number,
): Promise<{ workspace: Workspace; owner: Member; api_key: string }> {
  const workspace = { workspace_id: newId(now), name: input.name, plan: input.plan, created_at: now };
  const owner: Member = {
    workspace_id: workspace.workspace_id,
    user_id: newId(now),
    email: input.owner_email,
    name: null,
    role: 'owner',
    created_at: now,
  };
  const issued = issueKey(owner, 'First key', now, newId(now));
  await storeWorkspace(table, workspace, owner, issued.record);
  return { workspace, owner, api_key: issued.key };
}

/** Creates and stores an API key of `member`. A request that is repeated after a crash passes the same `id`. */
export async function createApiKey(
  table: Table,
  member: Member,
  name: string,
  now: number,
  id: string = newId(now),
): Promise<IssuedKey> {
  const issued = issueKey(member, name, now, id);
  await addApiKey(table, issued.record);
  return issued;
}

function issueKey(member: Member, name: string, now: number, id: string): IssuedKey {
  const key = newApiKey();
  const record: ApiKey = {
    key_id: id,
    key_hash: hashApiKey(key),
    prefix: apiKeyPrefix(key),
    name,
    workspace_id: member.workspace_id,
    user_id: member.user_id,
    created_at: now,
    last_used_at: null,
    revoked_at: null,
  };
  return { key, record };
}
