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
import { encodeH264, MACROBLOCK, type Picture } from './h264.ts';
import { photo } from './images.ts';

/** A frame rate and a duration that every platform accepts. */
const FRAMES_PER_SECOND = 24;
const SECONDS = 6;
const FRAMES = FRAMES_PER_SECOND * SECONDS;
/** Number of distinct pictures. VP8 stores each picture in full, so there are fewer. */
const MOVES = { avc: 36, vp8: 18 };
const SQUARE = 64;

/** In pixels. */
interface Size {
  width: number;
  height: number;
}
/** Snapchat takes no smaller video. */
const WIDE: Size = { width: 960, height: 540 };
/** For Reels and Shorts. */
const UPRIGHT: Size = { width: 544, height: 960 };

interface Track {
  codec: string;
  description?: Buffer;
  packets: readonly Uint8Array[];
  /** Duration of one packet. */
  seconds: number;
}

interface Clip {
  size: Size;
  video: Track & { kind: 'avc' | 'vp8' };
  audio: Track & { kind: 'aac' | 'opus'; sampleRate: number; channels: number };
}

/** Generates the clips of the sandbox: a square that moves over a still picture, with silent audio. */
export async function makeClips(): Promise<Record<'mp4' | 'upright' | 'mov' | 'webm', Buffer>> {
  const background = await photo(WIDE.width, WIDE.height);
  const avc = avcClip(WIDE, await pictureOf(background));
  const upright = avcClip(UPRIGHT, await pictureOf(await photo(UPRIGHT.width, UPRIGHT.height)));
  const [mp4, upright_mp4, mov, webm] = await Promise.all([
    mux(avc, new Mp4OutputFormat({ fastStart: 'in-memory' })),
    mux(upright, new Mp4OutputFormat({ fastStart: 'in-memory' })),
    mux(avc, new MovOutputFormat({ fastStart: 'in-memory' })),
    vp8Clip(background).then(clip => mux(clip, new WebMOutputFormat())),
  ]);
  return { mp4, upright: upright_mp4, mov, webm };
}

/** Position of the square, in steps of a macroblock so that few macroblocks change. */
function squareAt({ width, height }: Size, step: number): { left: number; top: number } {
  return {
    left: (step * MACROBLOCK) % (width - SQUARE),
    top: height / 2 - ((height / 2) % MACROBLOCK) - SQUARE / 2,
  };
}

/** Repeats each picture so that all fill the clip. */
const held = <T>(pictures: readonly T[]): T[] =>
  pictures.flatMap(picture => Array.from({ length: FRAMES / pictures.length }, () => picture));

function avcClip(size: Size, background: Picture): Clip {
  const pictures = Array.from({ length: MOVES.avc }, (_, step) =>
    withSquare(background, squareAt(size, step)),
  );
  const { codec, config, frames } = encodeH264(held(pictures));
  return {
    size,
    video: { kind: 'avc', codec, description: config, packets: frames, seconds: 1 / FRAMES_PER_SECOND },
    audio: silentAac(),
  };
}

/** A lossy WebP picture is a VP8 key frame in a RIFF envelope, so each frame of the clip is one. */
async function vp8Clip(background: Buffer): Promise<Clip> {
  const square = { create: { width: SQUARE, height: SQUARE, channels: 3, background: '#ffffff' } } as const;
  const { data, info } = await sharp(background).raw().toBuffer({ resolveWithObject: true });
  const packets: Buffer[] = [];
  for (let step = 0; step < MOVES.vp8; step += 1) {
    const picture = sharp(data, { raw: info }).composite([{ input: square, ...squareAt(WIDE, step * 2) }]);
    packets.push(vp8Frame(await picture.webp({ quality: 20, effort: 0 }).toBuffer()));
  }
  return {
    size: WIDE,
    video: { kind: 'vp8', codec: 'vp8', packets: held(packets), seconds: 1 / FRAMES_PER_SECOND },
    audio: silentOpus(),
  };
}

function vp8Frame(webp: Buffer): Buffer {
  const chunk = webp.indexOf('VP8 ', 12, 'latin1');
  const size = webp.readUInt32LE(chunk + 4);
  return webp.subarray(chunk + 8, chunk + 8 + size);
}

/** Stereo silence: repeats one AAC-LC frame of 1024 samples. */
function silentAac(): Clip['audio'] {
  const sampleRate = 44_100;
  const seconds = 1024 / sampleRate;
  const packet = Buffer.from('210049900219002380', 'hex');
  const packets = Array.from({ length: Math.floor(SECONDS / seconds) }, () => packet);
  const description = Buffer.from('1210', 'hex');
  return { kind: 'aac', codec: 'mp4a.40.2', description, packets, seconds, sampleRate, channels: 2 };
}

/** Stereo silence: repeats one Opus packet of 20 ms (RFC 6716). */
function silentOpus(): Clip['audio'] {
  const seconds = 0.02;
  const packets = Array.from({ length: SECONDS / seconds }, () => Buffer.from('fcfffe', 'hex'));
  const description = Buffer.from('4f707573486561640102000080bb0000000000', 'hex');
  return { kind: 'opus', codec: 'opus', description, packets, seconds, sampleRate: 48_000, channels: 2 };
}

async function mux({ size, video, audio }: Clip, format: OutputFormat): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const pictures = new EncodedVideoPacketSource(video.kind);
  const sound = new EncodedAudioPacketSource(audio.kind);
  output.addVideoTrack(pictures, { frameRate: FRAMES_PER_SECOND });
  output.addAudioTrack(sound);
  await output.start();
  const videoConfig = { ...base(video), codedWidth: size.width, codedHeight: size.height };
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
  if (!target.buffer) throw new Error('The muxer wrote no output');
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

/** White of video (ITU-R BT.601). */
const WHITE_BLOCK = Uint8Array.from([...Array<number>(256).fill(235), ...Array<number>(128).fill(128)]);

/** Draws a white square that covers whole macroblocks. */
function withSquare(picture: Picture, { left, top }: { left: number; top: number }): Picture {
  const blocks = [...picture.blocks];
  const columns = picture.width / MACROBLOCK;
  for (let y = top; y < top + SQUARE; y += MACROBLOCK) {
    for (let x = left; x < left + SQUARE; x += MACROBLOCK) {
      blocks[(y / MACROBLOCK) * columns + x / MACROBLOCK] = WHITE_BLOCK;
    }
  }
  return { ...picture, blocks };
}

/** Splits an image into macroblocks. */
async function pictureOf(image: Buffer): Promise<Picture> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const blocks: Uint8Array[] = [];
  for (let top = 0; top < height; top += MACROBLOCK) {
    for (let left = 0; left < width; left += MACROBLOCK) blocks.push(blockOf(data, width, height, left, top));
  }
  return { width, height, blocks };
}

/** Converts RGB to limited-range YCbCr (ITU-R BT.601). Rows below the picture repeat its last row. */
function blockOf(rgb: Buffer, width: number, height: number, left: number, top: number): Uint8Array {
  const block = new Uint8Array(384);
  for (let y = 0; y < MACROBLOCK; y += 1) {
    const line = Math.min(top + y, height - 1) * width;
    for (let x = 0; x < MACROBLOCK; x += 1) {
      const at = (line + left + x) * 3;
      const [r, g, b] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0];
      block[y * MACROBLOCK + x] = 16 + 0.257 * r + 0.504 * g + 0.098 * b;
      if (y % 2 === 0 && x % 2 === 0) {
        const chroma = 256 + (y / 2) * (MACROBLOCK / 2) + x / 2;
        block[chroma] = 128 - 0.148 * r - 0.291 * g + 0.439 * b;
        block[chroma + 64] = 128 + 0.439 * r - 0.368 * g - 0.071 * b;
      }
    }
  }
  return block;
}
