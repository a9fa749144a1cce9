import { Codec, CodecContext, Frame, Packet, Rational } from 'node-av/lib';
import {
  AV_CHANNEL_LAYOUT_STEREO,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_SAMPLE_FMT_FLTP,
  FF_ENCODER_AAC,
} from 'node-av/constants';
import { SAMPLE_BYTES, SAMPLE_RATE } from '../format.ts';
import { done, type PacketEncoder } from './packet-encoder.ts';

const BIT_RATE = 128_000n;
const FULL_SCALE = 32_768;

export interface SoundEncoder extends PacketEncoder {
  /** Encodes the next samples: 16-bit stereo. */
  encode: (samples: Buffer) => Promise<void>;
}

/** Opens the AAC encoder. It takes frames of 1024 samples, so it holds back up to that many. */
export async function openSoundEncoder(onPacket: (packet: Packet) => Promise<void>): Promise<SoundEncoder> {
  const codec = Codec.findEncoderByName(FF_ENCODER_AAC);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.sampleRate = SAMPLE_RATE;
  context.sampleFormat = AV_SAMPLE_FMT_FLTP;
  context.channelLayout = AV_CHANNEL_LAYOUT_STEREO;
  context.timeBase = new Rational(1, SAMPLE_RATE);
  context.bitRate = BIT_RATE;
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  done(await context.open2(codec, null), 'Opening the AAC encoder');

  const { frameSize } = context;
  const frameBytes = frameSize * SAMPLE_BYTES;
  const packet = new Packet();
  packet.alloc();
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;

  async function send(frame: Frame | null): Promise<void> {
    done(await context.sendFrame(frame), 'Encoding sound');
    frame?.free();
    while ((await context.receivePacket(packet)) >= 0) {
      await onPacket(packet);
      packet.unref();
    }
  }

  return {
    context,
    encode: async samples => {
      rest = Buffer.concat([rest, samples]);
      while (rest.length >= frameBytes) {
        await send(soundFrame(rest.subarray(0, frameBytes), position));
        rest = rest.subarray(frameBytes);
        position += frameSize;
      }
    },
    finish: () => send(null),
    free: () => {
      packet.free();
      context.freeContext();
    },
  };
}

/** Returns interleaved 16-bit samples as a frame of two float planes. */
function soundFrame(samples: Buffer, position: number): Frame {
  const nbSamples = samples.length / SAMPLE_BYTES;
  const planes = new Float32Array(2 * nbSamples);
  for (let index = 0; index < nbSamples; index += 1) {
    planes[index] = samples.readInt16LE(index * SAMPLE_BYTES) / FULL_SCALE;
    planes[nbSamples + index] = samples.readInt16LE(index * SAMPLE_BYTES + 2) / FULL_SCALE;
  }
  return Frame.fromAudioBuffer(Buffer.from(planes.buffer), {
    nbSamples,
    format: AV_SAMPLE_FMT_FLTP,
    sampleRate: SAMPLE_RATE,
    channelLayout: AV_CHANNEL_LAYOUT_STEREO,
    pts: BigInt(position),
    timeBase: { num: 1, den: SAMPLE_RATE },
  });
}
