import { createHash, randomBytes } from 'node:crypto';
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import { chunks, resized, type Piece } from '../../../local/sandbox/media/content.ts';
import { sampleFiles } from '../../support/media.ts';

/** A video of any size that takes no memory: a real clip, followed by noise that players skip. */
export interface LargeVideo {
  size: number;
  /** The clip, which is a valid video by itself. */
  clip: Buffer;
  pieces: readonly Piece[];
  sha256: () => string;
}

/** The unit of the noise. Each one begins with its number, so that none can be mistaken for another. */
const BLOCK = 1024 ** 2;

/** Returns a video of this size that plays for at least so many seconds. */
export async function largeVideo(size: number, seconds: number): Promise<LargeVideo> {
  const clip = await repeated((await sampleFiles())('clip.mp4'), seconds);
  const pieces = resized(clip, 'isobmff', size).map(piece =>
    Buffer.isBuffer(piece) ? piece : noise(piece.size),
  );
  const sha256 = () => {
    const hash = createHash('sha256');
    for (const chunk of chunks(pieces, 0, size)) hash.update(chunk);
    return hash.digest('hex');
  };
  return { size, clip, pieces, sha256 };
}

function noise(size: number): Piece {
  const block = randomBytes(BLOCK);
  return {
    size,
    read: (start, end) => {
      const bytes = Buffer.allocUnsafe(end - start);
      for (let at = start; at < end;) {
        const inBlock = at % BLOCK;
        block.writeUInt32BE((at - inBlock) / BLOCK);
        at += block.copy(bytes, at - start, inBlock, Math.min(BLOCK, inBlock + end - at));
      }
      return bytes;
    },
  };
}

/** Returns a silent MP4 that repeats the pictures of another one, with its index at the beginning. */
async function repeated(mp4: Buffer, seconds: number): Promise<Buffer> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(mp4) });
  const track = (await input.getPrimaryVideoTrack())!;
  const decoderConfig = (await track.getDecoderConfig())!;
  const length = await track.computeDuration();
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target });
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source);
  await output.start();
  for (let start = 0; start < seconds; start += length) {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      await source.add(packet.clone({ timestamp: start + packet.timestamp }), { decoderConfig });
    }
  }
  await output.finalize();
  input.dispose();
  return Buffer.from(target.buffer!);
}
