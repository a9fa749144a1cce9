import * as v from 'valibot';
import { PLANS, RoleSchema, type ApiKey, type Member } from '../../shared/model/workspace.ts';
import { toIso, toIsoOrNull } from '../../shared/time/instant.ts';

/** A member as the API shows it. */
export const MemberView = v.pipe(
  v.object({
    id: v.string(),
    email: v.string(),
    name: v.nullable(v.string()),
    role: RoleSchema,
    created_at: v.string(),
  }),
  v.title('Member'),
);

export function memberView({
  user_id,
  email,
  name,
  role,
  created_at,
}: Member): v.InferOutput<typeof MemberView> {
  return { id: user_id, email, name, role, created_at: toIso(created_at) };
}

/** An API key as the API shows it: never the key itself. */
export const ApiKeyView = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    prefix: v.string(),
    user_id: v.string(),
    created_at: v.string(),
    last_used_at: v.nullable(v.string()),
  }),
  v.title('ApiKey'),
);

export function apiKeyView(key: ApiKey): v.InferOutput<typeof ApiKeyView> {
  return {
    id: key.key_id,
    name: key.name,
    prefix: key.prefix,
    user_id: key.user_id,
    created_at: toIso(key.created_at),
    last_used_at: toIsoOrNull(key.last_used_at),
  };
}

/** A limit and how much of it is used; `limit` null: none, `resets_at` null: never by itself. */
const UsageView = v.object({
  used: v.number(),
  limit: v.nullable(v.number()),
  resets_at: v.nullable(v.string()),
});

export const WorkspaceView = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    plan: v.picklist(PLANS),
    role: RoleSchema,
    user_id: v.string(),
    created_at: v.string(),
    usage: v.object({
      profiles: UsageView,
      ai_requests: UsageView,
      webhooks: UsageView,
      requests_per_minute: UsageView,
    }),
  }),
  v.title('Workspace'),
);
