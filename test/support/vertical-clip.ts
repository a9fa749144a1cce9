import { BufferTarget, EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output } from 'mediabunny';
import { encodeH264 } from '../../local/sandbox/media/h264.ts';

const FRAMES_PER_SECOND = 24;
const BLOCK_BYTES = 384;

/** Returns a grey MP4 with 24 frames per second, without sound. `width` and `height`: pixels, multiples of 16. */
export async function verticalClip(seconds: number, width = 544, height = 960): Promise<Buffer> {
  const block = new Uint8Array(BLOCK_BYTES).fill(128);
  const picture = {
    width,
    height,
    blocks: Array.from({ length: (width / 16) * (height / 16) }, () => block),
  };
  const { codec, config, frames } = encodeH264(
    Array.from({ length: seconds * FRAMES_PER_SECOND }, () => picture),
  );
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: 'in-memory' }),
    target: new BufferTarget(),
  });
  const track = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(track, { frameRate: FRAMES_PER_SECOND });
  await output.start();
  const duration = 1 / FRAMES_PER_SECOND;
  for (const [index, frame] of frames.entries()) {
    const packet = new EncodedPacket(frame, index === 0 ? 'key' : 'delta', index * duration, duration);
    await track.add(packet, {
      decoderConfig: { codec, description: config, codedWidth: width, codedHeight: height },
    });
  }
  await output.finalize();
  return Buffer.from(output.target.buffer!);
}
