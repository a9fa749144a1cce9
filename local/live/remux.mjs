/**
 * Copies a recorded stream from FLV, which browsers do not play, into MP4. A process of its own, because it runs native code.
 * Arguments: both files. Plain JavaScript, to start in milliseconds.
 */
import { Demuxer, Muxer } from 'node-av/api';

const [from, to] = process.argv.slice(2);
const input = await Demuxer.open(from);
const output = await Muxer.open(to, { format: 'mp4', options: { movflags: 'faststart' } });
// The metadata count as a stream, too.
const tracks = new Map(
  [input.video(), input.audio()].map(stream => [stream.index, output.addStream(stream)]),
);
// Null at the end.
for await (const packet of input.packets()) {
  const track = tracks.get(packet?.streamIndex);
  if (track !== undefined) await output.writePacket(packet, track);
}
await output.close();
await input.close();
