import * as v from 'valibot';

/** The platforms that a post can name. Everything else about a platform is in its folder below `shared/platforms/`. */
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

export const PlatformIdSchema = v.pipe(v.picklist(PLATFORM_IDS), v.title('Platform'));
export type PlatformId = v.InferOutput<typeof PlatformIdSchema>;

/** Other names that requests may use. Stored posts and responses use the platform's id. */
export const PLATFORM_ALIASES: Readonly<Record<string, PlatformId>> = {
  google_business: 'gbp',
  googlebusiness: 'gbp',
};

/** Returns the platform with this id or alias, or null. */
export function readPlatformId(name: string): PlatformId | null {
  const parsed = v.safeParse(PlatformIdSchema, name);
  if (parsed.success) return parsed.output;
  return Object.hasOwn(PLATFORM_ALIASES, name) ? (PLATFORM_ALIASES[name] ?? null) : null;
}

/** Returns whether a platform is in a list joined by commas. */
export const isListed = (list: string, platform: PlatformId) => list.split(',').includes(platform);

export const POST_TYPES = ['text', 'image', 'video', 'document'] as const;
export const PostTypeSchema = v.picklist(POST_TYPES);
export type PostType = v.InferOutput<typeof PostTypeSchema>;
