import * as v from 'valibot';
import { PlatformIdSchema } from '../../model/platform.ts';

export const WarningView = v.pipe(
  v.object({
    code: v.picklist([
      'UNKNOWN_FIELD',
      'IGNORED_FIELD',
      'MEDIA_NOT_CHECKED',
      'MEDIA_CHANGED',
      'MAY_EXCEED_LIMIT',
      'MAY_BE_REJECTED',
      'PLATFORM_NOT_AVAILABLE',
      'DUPLICATE_CONTENT',
      'DEFAULT_GRID',
      'MAY_BE_LIVE',
    ]),
    message: v.string(),
    field: v.optional(v.string()),
    platform: v.optional(PlatformIdSchema),
    similar_post_id: v.optional(v.pipe(v.string(), v.uuid())),
    similarity: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  }),
  v.title('Warning'),
  v.description('Something that was accepted but may not be what was meant.'),
);
