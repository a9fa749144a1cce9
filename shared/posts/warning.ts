import type { DefaultGridWarning } from '../insights/best-time.ts';
import type { PlatformId } from '../model/platform.ts';

/** Something that was accepted but may not be what the caller meant. */
export type Warning = FieldWarning | DuplicateWarning | DefaultGridWarning;

export interface FieldWarning {
  code:
    | 'IGNORED_FIELD'
    | 'MEDIA_NOT_CHECKED'
    | 'MEDIA_CHANGED'
    | 'MAY_EXCEED_LIMIT'
    | 'MAY_BE_REJECTED'
    | 'PLATFORM_NOT_AVAILABLE';
  message: string;
  field: string;
  /** The platform that ignores the field or changes the file; absent where the warning is about the whole post. */
  platform?: PlatformId;
}

export interface DuplicateWarning {
  code: 'DUPLICATE_CONTENT';
  message: string;
  similar_post_id: string;
  /** 0 … 1. */
  similarity: number;
}
