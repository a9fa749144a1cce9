import type { MediaFormat } from '../../model/media.ts';

/** Formats that the service can make. */
export type MadeFormat = 'JPG' | 'PNG' | 'WebP';

/**
 * What a platform itself takes as a picture: a recipe, read by the pipeline that makes pictures fit, by validation and
 * by the documents. A picture that fits goes as it is, byte for byte.
 */
export interface PictureNeeds {
  /** Other formats are made into JPEG. */
  formats: readonly MediaFormat[];
  max_bytes?: number;
  /** Width times height. */
  max_pixels?: number;
  /** Longer and shorter side, and both together; pixels. */
  max_long_side?: number;
  max_short_side?: number;
  max_sides?: number;
  /** Width divided by height; a picture outside gets white margins, nothing is cut away. */
  min_aspect?: number;
  max_aspect?: number;
  /** What a picture that lets something shine through becomes, where it must be made anew; `white` goes under it. */
  alpha: 'white' | 'PNG' | 'WebP';
  /**
   * - `kept`: shown moving, so it is never made anew; it must keep `moving`;
   * - `still`: the platform shows its first frame;
   * - `refused`: only still pictures are taken.
   */
  animation: 'kept' | 'still' | 'refused';
  /** Closer limits of a picture that moves. */
  moving?: { max_bytes?: number; max_width?: number; max_height?: number };
  /** A picture that cannot be made fit is sent as a file, and not refused. */
  unfit?: 'file';
  /** A picture that moves is the only file of its post. */
  moves_alone?: boolean;
  /** Pictures of one post have one shape. */
  same_aspect?: boolean;
}
