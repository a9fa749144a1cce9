import * as v from 'valibot';

/**
 * The platforms that this build can publish to. The list names them; everything a platform knows and does lives in
 * its folder under `shared/platforms/` (a test fails when the two differ).
 */
export const PLATFORM_IDS = ['x', 'bluesky', 'telegram'] as const;

export const PlatformIdSchema = v.picklist(PLATFORM_IDS);
export type PlatformId = v.InferOutput<typeof PlatformIdSchema>;

export const POST_TYPES = ['text', 'image', 'video', 'document'] as const;
export const PostTypeSchema = v.picklist(POST_TYPES);
export type PostType = v.InferOutput<typeof PostTypeSchema>;
