import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
  type OutputFormat,
} from 'mediabunny';
import sharp from 'sharp';
import { encodeH264, type Picture } from './h264.ts';
import { photo, WIDTH_OF_CLIP, HEIGHT_OF_CLIP } from './images.ts';

const FRAMES_PER_SECOND = 12;
const SECONDS = 3;
const SQUARE = 64;

interface Track {
  codec: string;
  description?: Buffer;
  packets: readonly Uint8Array[];
  /** Of one packet. */
  seconds: number;
}

interface Clip {
  video: Track & { kind: 'avc' | 'vp8' };
  audio: Track & { kind: 'aac' | 'opus'; sampleRate: number; channels: number };
}

/** The clips of the sandbox: a still picture with a square that moves through it, and silence. */
export async function makeClips(): Promise<{ mp4: Buffer; mov: Buffer; webm: Buffer }> {
  const background = await photo(WIDTH_OF_CLIP, HEIGHT_OF_CLIP);
  const avc = avcClip(await planes(background));
  const [mp4, mov, webm] = await Promise.all([
    mux(avc, new Mp4OutputFormat({ fastStart: 'in-memory' })),
    mux(avc, new MovOutputFormat({ fastStart: 'in-memory' })),
    vp8Clip(background).then(clip => mux(clip, new WebMOutputFormat())),
  ]);
  return { mp4, mov, webm };
}

/** Where the square stands, in steps of a macroblock, so that few of them change. */
function squareAt(frame: number): { left: number; top: number } {
  return { left: frame * 16, top: HEIGHT_OF_CLIP / 2 - ((HEIGHT_OF_CLIP / 2) % 16) - SQUARE / 2 };
}

function avcClip(background: Picture): Clip {
  const pictures = Array.from({ length: FRAMES_PER_SECOND * SECONDS }, (_, frame) =>
    withSquare(background, squareAt(frame)),
  );
  const { codec, config, frames } = encodeH264(pictures);
  return {
    video: { kind: 'avc', codec, description: config, packets: frames, seconds: 1 / FRAMES_PER_SECOND },
    audio: silentAac(),
  };
}

/** A lossy WebP picture is a VP8 key frame in a RIFF envelope, so each frame of the clip is one. */
async function vp8Clip(background: Buffer): Promise<Clip> {
  const square = { create: { width: SQUARE, height: SQUARE, channels: 3, background: '#ffffff' } } as const;
  const packets: Buffer[] = [];
  for (let frame = 0; frame < FRAMES_PER_SECOND * SECONDS; frame += 1) {
    const picture = sharp(background).composite([{ input: square, ...squareAt(frame) }]);
    packets.push(vp8Frame(await picture.webp({ quality: 60, effort: 0 }).toBuffer()));
  }
  return {
    video: { kind: 'vp8', codec: 'vp8', packets, seconds: 1 / FRAMES_PER_SECOND },
    audio: silentOpus(),
  };
}

function vp8Frame(webp: Buffer): Buffer {
  const chunk = webp.indexOf('VP8 ', 12, 'latin1');
  const size = webp.readUInt32LE(chunk + 4);
  return webp.subarray(chunk + 8, chunk + 8 + size);
}

/** Stereo silence: one AAC-LC frame of 1024 samples, over and over. */
function silentAac(): Clip['audio'] {
  const sampleRate = 44_100;
  const seconds = 1024 / sampleRate;
  const packet = Buffer.from('210049900219002380', 'hex');
  const packets = Array.from({ length: Math.floor(SECONDS / seconds) }, () => packet);
  const description = Buffer.from('1210', 'hex');
  return { kind: 'aac', codec: 'mp4a.40.2', description, packets, seconds, sampleRate, channels: 2 };
}

/** Stereo silence: one Opus packet of 20 ms, over and over (RFC 6716). */
function silentOpus(): Clip['audio'] {
  const seconds = 0.02;
  const packets = Array.from({ length: SECONDS / seconds }, () => Buffer.from('fcfffe', 'hex'));
  const description = Buffer.from('4f707573486561640102000080bb0000000000', 'hex');
  return { kind: 'opus', codec: 'opus', description, packets, seconds, sampleRate: 48_000, channels: 2 };
}

async function mux({ video, audio }: Clip, format: OutputFormat): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const pictures = new EncodedVideoPacketSource(video.kind);
  const sound = new EncodedAudioPacketSource(audio.kind);
  output.addVideoTrack(pictures, { frameRate: FRAMES_PER_SECOND });
  output.addAudioTrack(sound);
  await output.start();
  const videoConfig = { ...base(video), codedWidth: WIDTH_OF_CLIP, codedHeight: HEIGHT_OF_CLIP };
  const audioConfig = { ...base(audio), sampleRate: audio.sampleRate, numberOfChannels: audio.channels };
  await Promise.all([
    add(video, (packet, index) =>
      pictures.add(packet, index === 0 ? { decoderConfig: videoConfig } : undefined),
    ),
    add(audio, (packet, index) =>
      sound.add(packet, index === 0 ? { decoderConfig: audioConfig } : undefined),
    ),
  ]);
  await output.finalize();
  if (!target.buffer) throw new Error('The clip was not written');
  return Buffer.from(target.buffer);

  async function add(track: Track, write: (packet: EncodedPacket, index: number) => Promise<void>) {
    const onlyKeys = track !== video || video.kind === 'vp8';
    for (const [index, data] of track.packets.entries()) {
      const type = onlyKeys || index === 0 ? 'key' : 'delta';
      await write(new EncodedPacket(data, type, index * track.seconds, track.seconds), index);
    }
  }
}

function base({ codec, description }: Track): { codec: string; description?: Uint8Array } {
  return description ? { codec, description } : { codec };
}

/** The picture with a white square in it. */
function withSquare(picture: Picture, { left, top }: { left: number; top: number }): Picture {
  const { width, height } = picture;
  return {
    width,
    height,
    y: painted(picture.y, width, left, top, SQUARE, 235),
    cb: painted(picture.cb, width / 2, left / 2, top / 2, SQUARE / 2, 128),
    cr: painted(picture.cr, width / 2, left / 2, top / 2, SQUARE / 2, 128),
  };
}

function painted(plane: Uint8Array, width: number, x: number, y: number, size: number, value: number) {
  const copy = Uint8Array.from(plane);
  for (let line = y; line < y + size; line += 1) copy.fill(value, line * width + x, line * width + x + size);
  return copy;
}

/** RGB to YCbCr 4:2:0 in the range of video (ITU-R BT.601). */
async function planes(image: Buffer): Promise<Picture> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const y = new Uint8Array(width * height);
  const cb = new Uint8Array((width * height) / 4);
  const cr = new Uint8Array((width * height) / 4);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column;
      const [r = 0, g = 0, b = 0] = data.subarray(at * 3, at * 3 + 3);
      y[at] = 16 + 0.257 * r + 0.504 * g + 0.098 * b;
      if (row % 2 === 0 && column % 2 === 0) {
        const chroma = (row / 2) * (width / 2) + column / 2;
        cb[chroma] = 128 - 0.148 * r - 0.291 * g + 0.439 * b;
        cr[chroma] = 128 + 0.439 * r - 0.368 * g - 0.071 * b;
      }
    }
  }
  return { width, height, y, cb, cr };
}
