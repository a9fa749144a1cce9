import * as v from 'valibot';

/** Behaviour of TikTok that differs between apps, or on which sources disagree. `POST /_control/accounts` changes it. */
export const SettingsSchema = v.object({
  /** An app that is not audited posts `SELF_ONLY` by private accounts only, for five accounts a day. */
  audited: v.boolean(),
  /** Status of errors of the token endpoint. */
  oauth_error_status: v.picklist([200, 400]),
  access_life_s: v.number(),
  refresh_life_s: v.number(),
  /** A renewal prolongs the refresh token, instead of counting down. */
  extends_refresh: v.boolean(),
  rate_limits: v.boolean(),
  /** The two toggles of branded content must be sent. */
  toggles_required: v.boolean(),
  /** MB are 1,000,000 bytes as the most and 1,048,576 as the least. */
  narrow_mb: v.boolean(),
  /** Chunk sizes that are refused although they follow the rules. */
  refused_chunk_bytes: v.array(v.number()),
  /** `1080p` of photos limits their width. */
  narrow_photos: v.boolean(),
  photos_listed: v.boolean(),
  /** Domains, and URL prefixes, that the owner of the app has verified. */
  verified: v.array(v.string()),
  posts_per_day: v.number(),
  /** How many reads of the status of a live post do not name its id yet, and for how long. */
  unnamed_reads: v.number(),
  unnamed_s: v.number(),
});
export type Settings = v.InferOutput<typeof SettingsSchema>;

/** The hosts of the local stack's own bucket count as verified. */
export const LOOPBACK = ['localhost', '127.0.0.1'];

export const SETTINGS: Settings = {
  audited: true,
  oauth_error_status: 200,
  access_life_s: 7200,
  refresh_life_s: 180 * 86_400,
  extends_refresh: false,
  rate_limits: true,
  toggles_required: false,
  narrow_mb: false,
  refused_chunk_bytes: [],
  narrow_photos: false,
  photos_listed: false,
  verified: [...LOOPBACK, 'example.com', 'https://cdn.example.org/media/'],
  posts_per_day: 15,
  unnamed_reads: 1,
  unnamed_s: 0,
};
