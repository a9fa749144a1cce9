import * as v from 'valibot';

const value = v.pipe(v.string(), v.nonEmpty());

/** An app registered at a platform. Fields beyond id and secret are the platform's own (`app_fields` of its connector). */
export const AppCredentialsSchema = v.objectWithRest({ client_id: value, client_secret: value }, v.string());
export type AppCredentials = v.InferOutput<typeof AppCredentialsSchema>;

/** An app's credentials as they are stored: only the id is readable. */
export const SealedAppSchema = v.object({
  client_id: v.string(),
  /** AES-256-GCM text of `AppCredentials`, bound to its owner. */
  sealed: v.string(),
});
export type SealedApp = v.InferOutput<typeof SealedAppSchema>;

/** A workspace's own app at a platform; new connections use it instead of the stack's. */
export const WorkspaceAppSchema = v.object({
  ...SealedAppSchema.entries,
  workspace_id: v.string(),
  platform: v.string(),
  /** The platform's own fields, which are not secret. */
  fields: v.record(v.string(), v.string()),
  updated_at: v.number(),
});
export type WorkspaceApp = v.InferOutput<typeof WorkspaceAppSchema>;
