import { MAX_PICTURE_BYTES } from '../copied-tick.ts';
import type { CopiedPictures, StreamFormat } from '../format.ts';
import type { PictureFacts } from '../picture-facts.ts';

/** YouTube wants a key frame every four seconds at least; after a lost ingest, the stream goes on with one. */
const KEY_FRAME_S = 4;
/** Of the bit rate that the stream would be encoded with: what is sent costs more than what is encoded. */
const MEAN_FACTOR = 1.5;
const PEAK_FACTOR = 3;
/** Sound is cut where the pictures end. */
const SOUND_EXCESS_S = 0.5;

interface Rule {
  isBroken: (facts: PictureFacts, format: StreamFormat) => boolean;
  reason: string;
}

const RULES: readonly Rule[] = [
  { isBroken: ({ is_mp4 }) => !is_mp4, reason: 'the file is neither MP4 nor MOV' },
  { isBroken: ({ codec }) => codec !== 'avc1', reason: 'the pictures are not H.264 (avc1)' },
  { isBroken: ({ config }) => !hasLongLengths(config), reason: 'the pictures have no lengths of 4 bytes' },
  { isBroken: ({ is_yuv420p }) => !is_yuv420p, reason: 'the pictures are not 4:2:0 of 8 bits' },
  {
    isBroken: ({ width, height }, format) => width !== format.width || height !== format.height,
    reason: 'the size is not that of the stream',
  },
  { isBroken: ({ is_upright }) => !is_upright, reason: 'the pictures are rotated' },
  { isBroken: ({ has_square_pixels }) => !has_square_pixels, reason: 'the pixels are not square' },
  {
    isBroken: ({ pictures, declared }) => pictures === 0 || pictures !== declared,
    reason: 'the index does not list all pictures',
  },
  {
    isBroken: ({ key_distance }, { fps }) => key_distance > KEY_FRAME_S * fps,
    reason: 'key frames are more than 4 seconds apart',
  },
  {
    isBroken: ({ mean_bit_rate }, { bit_rate }) => mean_bit_rate > MEAN_FACTOR * bit_rate,
    reason: 'the bit rate is too high',
  },
  {
    isBroken: ({ peak_bit_rate }, { bit_rate }) => peak_bit_rate > PEAK_FACTOR * bit_rate,
    reason: 'the bit rate of a few seconds is too high',
  },
  { isBroken: ({ largest }) => largest > MAX_PICTURE_BYTES, reason: 'a picture is too large' },
  {
    isBroken: ({ sound_excess_s }) => sound_excess_s > SOUND_EXCESS_S,
    reason: 'the sound is longer than the pictures',
  },
];

/** Returns why the pictures of a file cannot be sent as they are; null where they can be. */
export function copyProblem(facts: PictureFacts, format: StreamFormat): string | null {
  const broken = RULES.find(({ isBroken }) => isBroken(facts, format));
  // A problem of their order is found on the way, so that the other figures may be incomplete.
  return facts.order_problem ?? broken?.reason ?? null;
}

/** Returns what the pictures of files that can be copied have in common; null where they are unlike each other. */
export function commonPictures(files: readonly PictureFacts[]): CopiedPictures | null {
  const [config, ...others] = new Set(files.map(facts => facts.config));
  if (config === undefined || others.length > 0) return null;
  return {
    config,
    delay: Math.max(...files.map(({ delay }) => delay)),
    bit_rate: Math.max(...files.map(({ peak_bit_rate }) => peak_bit_rate)),
  };
}

/** A configuration ends its fourth byte with the size of a length, less one. */
function hasLongLengths(config: string): boolean {
  const bytes = Buffer.from(config, 'base64');
  return bytes[0] === 1 && ((bytes[4] ?? 0) & 3) === 3;
}
