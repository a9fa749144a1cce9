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
});
export type ApiKey = v.InferOutput<typeof ApiKeySchema>;

/** The user on whose behalf a request is made, and the key that made it. */
export interface Principal {
  workspace_id: string;
  user_id: string;
  key_id: string;
  role: Role;
  plan: Plan;
}
