import * as v from 'valibot';
import type { StreamFormat } from './format.ts';

/** The streams that a deployment can choose from. YouTube accepts each; more pixels take more CPU and transfer. */
export const STREAM_SIZES = {
  /** For tests. */
  '180p': { width: 320, height: 180, fps: 15, bit_rate: 200_000, preset: 'ultrafast' },
  '360p': { width: 640, height: 360, fps: 30, bit_rate: 800_000, preset: 'veryfast' },
  '720p': { width: 1280, height: 720, fps: 30, bit_rate: 2_500_000, preset: 'veryfast' },
  '1080p': { width: 1920, height: 1080, fps: 30, bit_rate: 4_500_000, preset: 'veryfast' },
} as const satisfies Record<StreamSize, StreamFormat>;

export const StreamSizeSchema = v.picklist(['180p', '360p', '720p', '1080p']);
export type StreamSize = v.InferOutput<typeof StreamSizeSchema>;
