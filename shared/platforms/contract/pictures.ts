import type { MediaFormat } from '../../model/media.ts';

/**
 * What a platform accepts as an image. Conversion, validation and the documents read it. An image that meets the needs
 * is sent without its metadata and otherwise unchanged.
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
  /** Longer side divided by shorter side. An image beyond it cannot be converted to fit. */
  max_side_ratio?: number;
  /** Width divided by height. An image outside the range gets white margins; nothing is cropped. */
  min_aspect?: number;
  max_aspect?: number;
  /** What a transparent image is converted to, where it must be converted: `white` is a JPEG on white. */
  alpha: 'white' | 'PNG' | 'WebP';
  /**
   * - `kept`: an animated GIF is shown as such and never converted; it must meet `animated_limits`. Animated images of
   *   other formats are converted to their first frame;
   * - `still`: the platform shows the first frame;
   * - `refused`: only still images are accepted.
   */
  animation: 'kept' | 'still' | 'refused';
  /** Limits of an animated GIF. */
  animated_limits?: {
    max_bytes?: number;
    max_width?: number;
    max_height?: number;
    max_frames?: number;
    /** Width times height times frames. */
    max_total_pixels?: number;
  };
  /** What becomes of an animated GIF beside other images of its post; default: the same as alone. */
  animation_in_album?: 'still' | 'refused';
  /**
   * An image that cannot meet the needs is sent as a file instead of being refused, and with it all images of its post.
   */
  when_unfit?: 'file';
  /** All images of a post must have the same aspect ratio. */
  same_aspect?: boolean;
}
