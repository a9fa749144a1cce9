import { apiKeyPrefix, hashApiKey, newApiKey } from '../model/api-key.ts';
import { newId } from '../model/id.ts';
import type { ApiKey, KeyRestrictions, Member, Plan, Workspace } from '../model/workspace.ts';
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
  const issued = issueKey(owner, 'First key', now, newId(now), UNRESTRICTED);
  await storeWorkspace(table, workspace, owner, issued.record);
  return { workspace, owner, api_key: issued.key };
}

export interface NewApiKey {
  name: string;
  now: number;
  /** A retry after an interrupted run passes the same id. Default: a new one. */
  id?: string;
  restrictions?: KeyRestrictions;
  /** Number of keys that the plan allows. Default: unlimited. */
  limit?: number;
}

const UNRESTRICTED: KeyRestrictions = { scopes: null, profile_ids: null, valid_until: null };

/** Creates and stores an API key of `member`. Returns null when the workspace has reached its limit. */
export async function createApiKey(
  table: Table,
  member: Member,
  { name, now, id = newId(now), restrictions = UNRESTRICTED, limit }: NewApiKey,
): Promise<IssuedKey | null> {
  const issued = issueKey(member, name, now, id, restrictions);
  return (await addApiKey(table, issued.record, limit ?? null)) ? issued : null;
}

function issueKey(
  member: Member,
  name: string,
  now: number,
  id: string,
  restrictions: KeyRestrictions,
): IssuedKey {
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
    ...restrictions,
  };
  return { key, record };
}
