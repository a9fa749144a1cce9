import * as v from 'valibot';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** No H.264 stream needs more. */
const MAX_DELAY = 16;
const MAX_CONFIG = 64 * 1024;

/** What decides whether the pictures of a file can be copied. */
export const PictureFactsSchema = v.object({
  is_mp4: v.boolean(),
  /** As the container names it: `avc1`. */
  codec: v.nullable(v.string()),
  /** The decoder configuration in Base64. */
  config: v.pipe(v.string(), v.maxLength(MAX_CONFIG)),
  width: count,
  height: count,
  /** 8 bits, 4:2:0, limited range. */
  is_yuv420p: v.boolean(),
  /** Neither rotated nor flipped. */
  is_upright: v.boolean(),
  has_square_pixels: v.boolean(),
  /** Pictures that were found, and that the index declares. */
  pictures: count,
  declared: count,
  /** Why their order or rate does not allow it; null where it does. */
  order_problem: v.nullable(v.string()),
  /** How many ticks before it is shown a picture must be decoded at most. */
  delay: v.pipe(count, v.maxValue(MAX_DELAY)),
  /** The largest distance between two key frames, in ticks. */
  key_distance: count,
  /** In bits a second: of the whole file, and of its worst four seconds. */
  mean_bit_rate: count,
  peak_bit_rate: count,
  /** Bytes of the largest picture. */
  largest: count,
  /** How much longer the sound is than the pictures, in seconds; negative for a shorter one. */
  sound_excess_s: v.number(),
});
export type PictureFacts = v.InferOutput<typeof PictureFactsSchema>;
