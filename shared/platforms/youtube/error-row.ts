import type { FailureCode } from '../../model/failure.ts';
import type { PlatformErrorKind } from '../contract/error.ts';
import type { GoogleError } from '../families/google/api-error.ts';

/** The kind of call that was refused: the same error means different things. */
export type Purpose =
  'read' | 'upload' | 'update' | 'thumbnail' | 'caption' | 'playlist_item' | 'playlist' | 'comment' | 'live';

export interface ErrorRow {
  status?: number;
  reasons?: readonly string[];
  purpose?: Purpose;
  when?: (error: GoogleError) => boolean;
  kind: PlatformErrorKind;
  code: FailureCode;
  /** How long to wait, where the platform does not say. Milliseconds. */
  wait?: (now: number) => number;
  /** What the user can do, where Google's words do not say it. */
  remedy?: string;
}
