import * as v from 'valibot';

/**
 * The platforms that a post may name. The list names them; everything a platform knows and does lives in its folder
 * under `shared/platforms/` (a test fails when the two differ).
 */
export const PLATFORM_IDS = [
  'x',
  'youtube',
  'instagram',
  'facebook',
  'linkedin',
  'tiktok',
  'threads',
  'pinterest',
  'bluesky',
  'snapchat',
  'gbp',
  'telegram',
] as const;

export const PlatformIdSchema = v.picklist(PLATFORM_IDS);
export type PlatformId = v.InferOutput<typeof PlatformIdSchema>;

/** Other names that requests may use. They are stored and answered as the name they stand for. */
export const PLATFORM_ALIASES: Readonly<Record<string, PlatformId>> = {
  google_business: 'gbp',
  googlebusiness: 'gbp',
};

/** The platform that a request names, by its id or an alias; null when there is none. */
export function readPlatformId(name: string): PlatformId | null {
  const parsed = v.safeParse(PlatformIdSchema, name);
  if (parsed.success) return parsed.output;
  return Object.hasOwn(PLATFORM_ALIASES, name) ? (PLATFORM_ALIASES[name] ?? null) : null;
}

export const POST_TYPES = ['text', 'image', 'video', 'document'] as const;
export const PostTypeSchema = v.picklist(POST_TYPES);
export type PostType = v.InferOutput<typeof PostTypeSchema>;
