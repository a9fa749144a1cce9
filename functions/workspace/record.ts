import * as v from 'valibot';
import { PlatformIdSchema } from '../../shared/model/platform.ts';
import { PLANS, RoleSchema, ScopeSchema, type ApiKey, type Member } from '../../shared/model/workspace.ts';
import { toIso, toIsoOrNull } from '../../shared/time/instant.ts';

/** A member in responses. */
export const MemberRecord = v.pipe(
  v.object({
    id: v.string(),
    email: v.string(),
    name: v.nullable(v.string()),
    role: RoleSchema,
    created_at: v.string(),
  }),
  v.title('Member'),
);

export function memberRecord({
  user_id,
  email,
  name,
  role,
  created_at,
}: Member): v.InferOutput<typeof MemberRecord> {
  return { id: user_id, email, name, role, created_at: toIso(created_at) };
}

/** An API key in responses, without its text. */
export const ApiKeyRecord = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    prefix: v.string(),
    user_id: v.string(),
    created_at: v.string(),
    last_used_at: v.nullable(v.string()),
    expires_at: v.pipe(v.nullable(v.string()), v.description('Null: does not expire')),
    scopes: v.pipe(v.nullable(v.array(ScopeSchema)), v.description('Null: all')),
    profile_ids: v.pipe(v.nullable(v.array(v.string())), v.description('Null: all profiles')),
  }),
  v.title('ApiKey'),
);

export function apiKeyRecord(key: ApiKey): v.InferOutput<typeof ApiKeyRecord> {
  return {
    id: key.key_id,
    name: key.name,
    prefix: key.prefix,
    user_id: key.user_id,
    created_at: toIso(key.created_at),
    last_used_at: toIsoOrNull(key.last_used_at),
    expires_at: toIsoOrNull(key.valid_until),
    scopes: key.scopes,
    profile_ids: key.profile_ids,
  };
}

/** Usage of a limit. `limit` null: unlimited. `resets_at` null: does not reset. */
const UsageRecord = v.pipe(
  v.object({
    used: v.number(),
    limit: v.nullable(v.number()),
    resets_at: v.nullable(v.string()),
  }),
  v.title('Limit'),
);

export const WorkspaceRecord = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    plan: v.picklist(PLANS),
    role: RoleSchema,
    user_id: v.string(),
    created_at: v.string(),
    usage: v.object({
      profiles: UsageRecord,
      ai_requests: UsageRecord,
      webhooks: UsageRecord,
      api_keys: UsageRecord,
      storage_bytes: UsageRecord,
      requests_per_minute: UsageRecord,
    }),
    platform_quotas: v.pipe(
      v.array(
        v.object({
          platform: PlatformIdSchema,
          bucket: v.string(),
          used: v.number(),
          limit: v.number(),
          resets_at: v.string(),
        }),
      ),
      v.description(
        "Quotas of the platform apps that the workspace connects accounts with: its own app, else the service's, which all workspaces share",
      ),
    ),
  }),
  v.title('Workspace'),
);
