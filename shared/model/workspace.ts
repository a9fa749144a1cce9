import * as v from 'valibot';

export const PLANS = ['free', 'starter', 'pro', 'business', 'enterprise'] as const;
export const PlanSchema = v.picklist(PLANS);
export type Plan = v.InferOutput<typeof PlanSchema>;

export const RoleSchema = v.picklist(['owner', 'member']);
export type Role = v.InferOutput<typeof RoleSchema>;

export const WorkspaceSchema = v.object({
  workspace_id: v.string(),
  name: v.string(),
  plan: PlanSchema,
  created_at: v.number(),
});
export type Workspace = v.InferOutput<typeof WorkspaceSchema>;

/** A user of a workspace. */
export const MemberSchema = v.object({
  workspace_id: v.string(),
  user_id: v.string(),
  email: v.string(),
  name: v.nullable(v.string()),
  role: RoleSchema,
  created_at: v.number(),
});
export type Member = v.InferOutput<typeof MemberSchema>;

/** What a restricted API key may do. */
export const SCOPES = ['read', 'post', 'media', 'manage'] as const;
export const ScopeSchema = v.picklist(SCOPES);
export type Scope = v.InferOutput<typeof ScopeSchema>;

/** Restrictions of an API key; null: none. */
const restrictions = {
  scopes: v.optional(v.nullable(v.array(ScopeSchema)), null),
  /** Profiles that the key may act on. */
  profile_ids: v.optional(v.nullable(v.array(v.string())), null),
  /** When the key stops working, epoch milliseconds. */
  valid_until: v.optional(v.nullable(v.number()), null),
};

/** An API key as it is stored: its text only as a hash. */
export const ApiKeySchema = v.object({
  key_id: v.string(),
  key_hash: v.string(),
  prefix: v.string(),
  name: v.string(),
  workspace_id: v.string(),
  user_id: v.string(),
  created_at: v.number(),
  last_used_at: v.nullable(v.number()),
  revoked_at: v.nullable(v.number()),
  ...restrictions,
});
export type ApiKey = v.InferOutput<typeof ApiKeySchema>;
export type KeyRestrictions = Pick<ApiKey, keyof typeof restrictions>;

/** The user on whose behalf a request is made, and the key that made it. */
export interface Principal {
  workspace_id: string;
  user_id: string;
  key_id: string;
  role: Role;
  plan: Plan;
  /** Absent for a key without restrictions. */
  restrictions?: KeyRestrictions;
}
