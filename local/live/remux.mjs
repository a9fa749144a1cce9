/**
 * Copies a recorded stream from FLV, which browsers do not play, into MP4. A process of its own, because it runs native code.
 * Arguments: both files. Plain JavaScript, to start in milliseconds.
 */
import { Demuxer, Muxer } from 'node-av/api';

const [from, to] = process.argv.slice(2);
const input = await Demuxer.open(from);
const output = await Muxer.open(to, { format: 'mp4', options: { movflags: 'faststart' } });
const tracks = new Map(input.streams.map(stream => [stream.index, output.addStream(stream)]));
// Null at the end.
for await (const packet of input.packets()) {
  if (packet) await output.writePacket(packet, tracks.get(packet.streamIndex));
}
await output.close();
await input.close();
