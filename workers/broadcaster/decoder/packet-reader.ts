import { Packet } from 'node-av/lib';
import { AV_NOPTS_VALUE } from 'node-av/constants';
import type { MediaFile } from './media-file.ts';
import { seconds } from './native.ts';

/** A larger step between timestamps is where two streams were joined. */
const JUMP_S = 10;

/** Returns a function that reads the next packet, which it reuses; null at the end or where the file breaks off. */
export function packetReader({ format, may_jump }: MediaFile): () => Promise<Packet | null> {
  const packet = new Packet();
  packet.alloc();
  const lastOf = new Map<number, number>();
  let shift_s = 0;

  function joinTimes(): void {
    const stream = format.streams[packet.streamIndex];
    if (!stream) return;
    const time = seconds(packet.dts, stream.timeBase);
    if (time === null) return;
    const last = lastOf.get(packet.streamIndex);
    const step = last === undefined ? 0 : time + shift_s - last;
    if (step < 0 || step > JUMP_S) shift_s -= step;
    lastOf.set(packet.streamIndex, time + shift_s);
    const shift = BigInt(Math.round((shift_s * stream.timeBase.den) / stream.timeBase.num));
    packet.dts += shift;
    if (packet.pts !== AV_NOPTS_VALUE) packet.pts += shift;
  }

  return async () => {
    packet.unref();
    const code = await format.readFrame(packet);
    if (code < 0) return null;
    if (may_jump) joinTimes();
    return packet;
  };
}
