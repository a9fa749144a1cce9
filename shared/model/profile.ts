import * as v from 'valibot';
import { PlatformIdSchema } from './platform.ts';

export const ProfileSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_name: v.string(),
  username: v.string(),
  created_by: v.nullable(v.string()),
  created_at: v.number(),
});
export type Profile = v.InferOutput<typeof ProfileSchema>;

/** Secrets of a connection, opened. An OAuth pair, or a bot token / app password as `secret`. */
export const CredentialsSchema = v.object({
  access_token: v.nullable(v.string()),
  refresh_token: v.nullable(v.string()),
  secret: v.nullable(v.string()),
});
export type Credentials = v.InferOutput<typeof CredentialsSchema>;

/** A social account that a profile may publish to; its secrets are sealed. One per profile and platform. */
export const ConnectionSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  platform: PlatformIdSchema,
  platform_user_id: v.string(),
  display_name: v.string(),
  username: v.nullable(v.string()),
  avatar_url: v.nullable(v.string()),
  scopes: v.array(v.string()),
  /** Facts about the account that are no secret: its server, chat type, subscription … */
  attributes: v.record(v.string(), v.string()),
  /** AES-256-GCM text, bound to the connection id. */
  sealed: v.string(),
  /** Grows with every change of the credentials. */
  revision: v.number(),
  token_expires_at: v.nullable(v.number()),
  needs_reconnect: v.boolean(),
  /** Until when one worker alone may refresh the credentials. */
  renewal_lease_until: v.nullable(v.number()),
  connected_at: v.number(),
  /** When the credentials are renewed although nobody needs them; absent where that is never. */
  wake_at: v.exactOptional(v.number()),
  /** Page, organisation, location or board for posts that name none; absent or null: the platform's own default. */
  default_target_id: v.exactOptional(v.nullable(v.string())),
  /** A limit that the platform itself announced for the account, while it lasts. */
  announced_limit: v.optional(v.object({ limit: v.number(), resets_at: v.number() })),
});
export type Connection = v.InferOutput<typeof ConnectionSchema>;
