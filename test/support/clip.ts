import {
  Codec,
  CodecContext,
  Dictionary,
  FormatContext,
  Frame,
  Packet,
  Rational,
  type Stream,
} from 'node-av/lib';
import {
  AVFMT_GLOBALHEADER,
  AV_CHANNEL_LAYOUT_MONO,
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PIX_FMT_YUV420P,
  AV_SAMPLE_FMT_FLT,
  AV_SAMPLE_FMT_FLTP,
  type AVSampleFormat,
  type FFEncoderCodec,
} from 'node-av/constants';

/** A video file to make: one plain color, and a tone where it has sound. */
export interface Clip {
  video: 'libx264' | 'mpeg4' | 'libvpx';
  sound: 'aac' | 'libopus' | null;
  width: number;
  height: number;
  fps: number;
  seconds: number;
  color: YuvColor;
  /** Settings of x264, such as `bframes=2:keyint=30`. */
  x264?: string;
  /** Pictures in a row that are shown before one that is stored before them. */
  b_frames?: number;
  /** An MP4 whose index is in many places. */
  is_fragmented?: boolean;
}

export type YuvColor = readonly [y: number, u: number, v: number];

const SOUND_RATE = 48_000;
const TONE_HZ = 440;

interface Track {
  stream: Stream;
  encoder: CodecContext;
}

/** Writes a clip; the file's extension selects the container. */
export async function writeClip(path: string, clip: Clip): Promise<void> {
  const format = new FormatContext();
  format.allocOutputContext2(null, null, path);
  const video = await addTrack(
    format,
    clip.video,
    encoder => {
      encoder.width = clip.width;
      encoder.height = clip.height;
      encoder.pixelFormat = AV_PIX_FMT_YUV420P;
      encoder.timeBase = new Rational(1, clip.fps);
      encoder.gopSize = clip.fps;
      encoder.bitRate = 300_000n;
      encoder.maxBFrames = clip.b_frames ?? 0;
    },
    clip.x264,
  );
  const sound = clip.sound && (await addTrack(format, clip.sound, soundSettings(clip.sound)));
  await format.openOutput();
  const flags = clip.is_fragmented ? { movflags: 'frag_keyframe+empty_moov' } : {};
  await format.writeHeader(Dictionary.fromObject(flags));
  for (let second = 0; second < clip.seconds; second += 1) {
    const first = second * clip.fps;
    const last = Math.min(first + clip.fps, Math.round(clip.seconds * clip.fps));
    for (let index = first; index < last; index += 1) await encode(format, video, picture(clip, index));
    if (sound) await encodeTone(format, sound, second, Math.min(second + 1, clip.seconds));
  }
  await encode(format, video, null);
  if (sound) await encode(format, sound, null);
  await format.writeTrailer();
  await format.closeOutput();
  format.freeContext();
}

function soundSettings(codec: 'aac' | 'libopus') {
  return (encoder: CodecContext) => {
    encoder.sampleRate = SOUND_RATE;
    encoder.sampleFormat = sampleFormat(codec);
    encoder.channelLayout = codec === 'aac' ? AV_CHANNEL_LAYOUT_STEREO : AV_CHANNEL_LAYOUT_MONO;
    encoder.timeBase = new Rational(1, SOUND_RATE);
    encoder.bitRate = 96_000n;
  };
}

const sampleFormat = (codec: 'aac' | 'libopus'): AVSampleFormat =>
  codec === 'aac' ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_FLT;

async function addTrack(
  format: FormatContext,
  name: string,
  settings: (encoder: CodecContext) => void,
  x264 = '',
): Promise<Track> {
  const codec = Codec.findEncoderByName(name as FFEncoderCodec)!;
  const encoder = new CodecContext();
  encoder.allocContext3(codec);
  settings(encoder);
  if (format.oformat!.hasFlags(AVFMT_GLOBALHEADER)) encoder.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  const options = name === 'libx264' ? { preset: 'ultrafast', 'x264-params': x264 } : {};
  assertDone(await encoder.open2(codec, Dictionary.fromObject(options)), `open ${name}`);
  const stream = format.newStream(null);
  stream.timeBase = encoder.timeBase;
  stream.codecpar.fromContext(encoder);
  return { stream, encoder };
}

/** A small square moves, so that the pictures are not all the same. */
function picture({ width, height, fps, color }: Clip, index: number): Frame {
  const [y, u, v] = color;
  const quarter = (width * height) / 4;
  const bytes = Buffer.concat([
    Buffer.alloc(quarter * 4, y),
    Buffer.alloc(quarter, u),
    Buffer.alloc(quarter, v),
  ]);
  for (let row = 0; row < 8; row += 1) {
    const at = row * width + ((index * 4) % (width - 8));
    bytes.fill(255 - y, at, at + 8);
  }
  return Frame.fromVideoBuffer(bytes, {
    width,
    height,
    format: AV_PIX_FMT_YUV420P,
    pts: BigInt(index),
    timeBase: { num: 1, den: fps },
  });
}

async function encodeTone(format: FormatContext, track: Track, from: number, to: number): Promise<void> {
  const { encoder } = track;
  const size = encoder.frameSize;
  const { channels } = encoder;
  const firstFrame = Math.ceil((from * SOUND_RATE) / size);
  for (let index = firstFrame; index * size < to * SOUND_RATE; index += 1) {
    const wave = Float32Array.from({ length: size }, (_, at) => {
      const time = (index * size + at) / SOUND_RATE;
      return 0.3 * Math.sin(2 * Math.PI * TONE_HZ * time);
    });
    const plane = Buffer.from(wave.buffer);
    const frame = Frame.fromAudioBuffer(Buffer.concat(Array.from({ length: channels }, () => plane)), {
      nbSamples: size,
      format: encoder.sampleFormat,
      sampleRate: SOUND_RATE,
      channelLayout: encoder.channelLayout,
      pts: BigInt(index * size),
      timeBase: { num: 1, den: SOUND_RATE },
    });
    await encode(format, track, frame);
  }
}

async function encode(format: FormatContext, { stream, encoder }: Track, frame: Frame | null): Promise<void> {
  assertDone(encoder.sendFrameSync(frame), 'encode');
  frame?.free();
  const packet = new Packet();
  packet.alloc();
  while (encoder.receivePacketSync(packet) >= 0) {
    packet.streamIndex = stream.index;
    // The edit list of an MP4 would leave out the last picture.
    if (packet.duration === 0n) packet.duration = 1n;
    packet.rescaleTs(encoder.timeBase, stream.timeBase);
    assertDone(await format.interleavedWriteFrame(packet), 'write');
  }
  packet.free();
}

function assertDone(code: number, action: string): void {
  if (code < 0) throw new Error(`${action} failed: ${code}`);
}
