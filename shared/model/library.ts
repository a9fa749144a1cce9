import * as v from 'valibot';

export const ASSET_STATUSES = ['processing', 'ready', 'failed'] as const;

/** A registered file of a profile. The probe fills in what its owner omitted. */
export const AssetSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  title: v.string(),
  source_type: v.string(),
  public_url: v.string(),
  /** Seconds. */
  duration: v.nullable(v.number()),
  /** Bytes. */
  size: v.nullable(v.number()),
  /** Media type, detected from the bytes. */
  mime_type: v.nullable(v.string()),
  width: v.nullable(v.number()),
  height: v.nullable(v.number()),
  status: v.picklist(ASSET_STATUSES),
  /** Why it failed. */
  error: v.nullable(v.string()),
  /** Probes that the host did not answer. */
  failed_probes: v.number(),
  created_at: v.number(),
});
export type Asset = v.InferOutput<typeof AssetSchema>;

/** The most assets of one playlist, which is one item of the table. */
export const MAX_PLAYLIST_ITEMS = 1000;

/** An ordered list of a profile's assets. */
export const PlaylistSchema = v.object({
  id: v.string(),
  workspace_id: v.string(),
  profile_id: v.string(),
  name: v.string(),
  loop_enabled: v.boolean(),
  /** In playing order; the same asset may occur more than once. */
  items: v.array(v.object({ id: v.string(), media_asset_id: v.string() })),
  /** Increases with every change. */
  revision: v.number(),
  created_at: v.number(),
});
export type Playlist = v.InferOutput<typeof PlaylistSchema>;
