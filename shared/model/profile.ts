import * as v from 'valibot';
import { SealedAppSchema } from './platform-app.ts';
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

/** A connected account: what a profile publishes to. One per profile and platform. Times are epoch milliseconds. */
export const ConnectionSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  platform: PlatformIdSchema,
  /** The connector's way that the account was connected by. */
  way: v.string(),
  platform_user_id: v.string(),
  display_name: v.string(),
  username: v.nullable(v.string()),
  avatar_url: v.nullable(v.string()),
  scopes: v.array(v.string()),
  /** Facts about the account that are not secret: its server, chat type, subscription … */
  attributes: v.record(v.string(), v.string()),
  /** When the platform last confirmed the facts that change; absent while they are as of the connect. */
  facts_at: v.exactOptional(v.number()),
  /** The platform's credentials: AES-256-GCM text of their JSON, bound to the connection's id. */
  sealed: v.string(),
  /** Increases with every change of the credentials; a grant's is at least its time. */
  revision: v.number(),
  /** The earliest time at which the credentials are renewed; null where they cannot or need not be. */
  renew_at: v.nullable(v.number()),
  /** End of the access token; null where it does not expire. */
  token_expires_at: v.nullable(v.number()),
  needs_reconnect: v.boolean(),
  /** Why and when the account needed its owner, until account.disconnected is sent. */
  outbox: v.exactOptional(v.object({ at: v.number(), message: v.string() })),
  /** One worker alone may renew the credentials until then. */
  renewal_lease_until: v.nullable(v.number()),
  connected_at: v.number(),
  /** The workspace's app that the connection was made with; absent: the stack's. */
  app: v.exactOptional(SealedAppSchema),
  /** Page, organization, location or board of posts that name none; absent or null: the platform's own default. */
  default_target_id: v.exactOptional(v.nullable(v.string())),
  /** True while posts need a target and none is chosen. */
  needs_target: v.boolean(),
  /** A limit that the platform announced for the account, while it lasts. */
  announced_limit: v.optional(v.object({ limit: v.number(), resets_at: v.number() })),
});
export type Connection = v.InferOutput<typeof ConnectionSchema>;
