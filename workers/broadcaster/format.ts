import * as v from 'valibot';

/** Samples a second of all sound: between decoder and encoder, and in the stream. */
export const SAMPLE_RATE = 48_000;
/** Signed 16-bit stereo. */
export const SAMPLE_BYTES = 4;
/** Rates that share out the samples of a second evenly. */
const FRAME_RATES = [15, 24, 25, 30, 50, 60] as const;

const even = v.pipe(v.number(), v.integer(), v.minValue(16), v.maxValue(4096), v.multipleOf(2));

/** Size and rate of the pictures that leave a decoder. */
export const PictureFormatSchema = v.object({ width: even, height: even, fps: v.picklist(FRAME_RATES) });
export type PictureFormat = v.InferOutput<typeof PictureFormatSchema>;

/** What the ingest receives. */
export interface StreamFormat extends PictureFormat {
  /** Of the video, in bits a second. */
  bit_rate: number;
  /** Of x264: slower presets look better and cost more CPU. */
  preset: 'ultrafast' | 'superfast' | 'veryfast' | 'faster' | 'fast';
}

/** What the encoded pictures of all items have in common, so that they can be sent as they are. */
export const CopiedPicturesSchema = v.object({
  /** The decoder configuration (an `avcC` box's content) in Base64. */
  config: v.string(),
  /** How many ticks before it is shown a picture must be decoded at most. */
  delay: v.number(),
  /** Of the worst few seconds, in bits a second. */
  bit_rate: v.number(),
});
export type CopiedPictures = v.InferOutput<typeof CopiedPicturesSchema>;

/*
 * A tick is one picture (yuv420p, tightly packed) and exactly its share of sound. No timestamp passes between a decoder and
 * the encoder, so picture and sound cannot drift apart. `copied-tick.ts` has the ticks of pictures that are not decoded.
 */

export const pictureBytes = ({ width, height }: PictureFormat) => (width * height * 3) / 2;
export const samplesPerTick = ({ fps }: PictureFormat) => SAMPLE_RATE / fps;
export const soundBytes = (format: PictureFormat) => samplesPerTick(format) * SAMPLE_BYTES;
export const tickBytes = (format: PictureFormat) => pictureBytes(format) + soundBytes(format);

/** Returns a black picture. */
export function blackPicture(format: PictureFormat): Buffer {
  const luma = format.width * format.height;
  return Buffer.alloc(pictureBytes(format), 128).fill(16, 0, luma);
}
