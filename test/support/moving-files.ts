import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Mp4OutputFormat, Output } from 'mediabunny';
import sharp from 'sharp';

/** Returns a GIF of so many frames of one pixel on a screen of this size. */
export function gifOf(frames: number, { width = 64, height = 64 } = {}): Buffer {
  const head = Buffer.from('474946383961000000008000000000' + '00ffffff', 'hex');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const frame = Buffer.from('21f904000a000000' + '2c00000000010001000002024401' + '00', 'hex');
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from('3b', 'hex')]);
}

/** Returns a WebP of two frames. */
export async function animatedWebp(): Promise<Buffer> {
  const frames = await Promise.all(
    ['red', 'blue'].map(background =>
      sharp({ create: { width: 60, height: 40, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
}

/** Returns an MP4 with ten seconds of silence and no picture. */
export async function soundOnly(): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const sound = new EncodedAudioPacketSource('aac');
  output.addAudioTrack(sound);
  await output.start();
  const seconds = 1024 / 44_100;
  const decoderConfig = {
    codec: 'mp4a.40.2',
    description: Buffer.from('1210', 'hex'),
    sampleRate: 44_100,
    numberOfChannels: 2,
  };
  for (let index = 0; index * seconds < 10; index += 1) {
    const packet = new EncodedPacket(
      Buffer.from('210049900219002380', 'hex'),
      'key',
      index * seconds,
      seconds,
    );
    await sound.add(packet, index === 0 ? { decoderConfig } : undefined);
  }
  await output.finalize();
  if (!target.buffer) throw new Error('The muxer wrote no output');
  return Buffer.from(target.buffer);
}
