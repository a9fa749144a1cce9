import type { MediaFormat } from '../../model/media.ts';

/**
 * What a platform accepts as an image. Conversion, validation and the documents read it. An image that meets the needs
 * is sent unchanged, byte for byte.
 */
export interface PictureNeeds {
  /** Images of other formats are converted. */
  formats: readonly MediaFormat[];
  max_bytes?: number;
  /** Width times height. */
  max_pixels?: number;
  /** Longer side, shorter side, and their sum; pixels. */
  max_long_side?: number;
  max_short_side?: number;
  max_side_sum?: number;
  /** Width divided by height. An image outside the range gets white margins; nothing is cropped. */
  min_aspect?: number;
  max_aspect?: number;
  /** What a transparent image is converted to, where it must be converted: `white` is a JPEG on white. */
  alpha: 'white' | 'PNG' | 'WebP';
  /**
   * - `kept`: animated images are shown as such and never converted; they must meet `animated_limits`;
   * - `still`: the platform shows the first frame;
   * - `refused`: only still images are accepted.
   */
  animation: 'kept' | 'still' | 'refused';
  /** Limits of an animated image. */
  animated_limits?: { max_bytes?: number; max_width?: number; max_height?: number; max_frames?: number };
  /** An image that cannot meet the needs is sent as a file instead of being refused. */
  when_unfit?: 'file';
  /** An animated image must be the only file of its post. */
  animated_alone?: boolean;
  /** All images of a post must have the same aspect ratio. */
  same_aspect?: boolean;
}
