import type { Packet, Stream } from 'node-av/lib';
import { AV_PKT_FLAG_DISCARD } from 'node-av/constants';
import { seconds } from './native.ts';

/** A picture as its file has it. */
export interface StoredPicture {
  /** When it is shown; null for one that has no time, or that an edit list leaves out. */
  time_s: number | null;
  is_key: boolean;
}

/** Returns what the container says of a picture. */
export const readPicture = (packet: Packet, { timeBase }: Stream): StoredPicture => ({
  time_s: packet.hasFlags(AV_PKT_FLAG_DISCARD) ? null : seconds(packet.pts, timeBase),
  is_key: packet.isKeyframe,
});
