import { HOUR, MINUTE, SECOND } from '../../time/instant.ts';
import { MB } from '../kit/sizes.ts';

/** YouTube should have processed the video when it is published. */
const PROCESSING_MS = 10 * MINUTE;
/** Slow for a server, so that a slow host of the media is in time too. */
const BYTES_PER_SECOND = 4 * MB;
const MAX_LEAD_MS = 12 * HOUR;
const UNKNOWN_SIZE_MS = 30 * MINUTE;

/** Returns how long before its time a video is uploaded, by its size in bytes. Milliseconds. */
export function uploadLeadMs(bytes: number | null): number {
  if (bytes === null) return UNKNOWN_SIZE_MS;
  const upload = Math.ceil(bytes / BYTES_PER_SECOND) * SECOND;
  return Math.min(MAX_LEAD_MS, PROCESSING_MS + upload);
}
