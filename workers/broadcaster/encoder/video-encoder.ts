import { Codec, CodecContext, Dictionary, Frame, Packet, Rational } from 'node-av/lib';
import {
  AVCOL_PRI_BT709,
  AVCOL_RANGE_MPEG,
  AVCOL_SPC_BT709,
  AVCOL_TRC_BT709,
  AV_CODEC_FLAG_GLOBAL_HEADER,
  AV_PICTURE_TYPE_I,
  AV_PICTURE_TYPE_NONE,
  AV_PIX_FMT_YUV420P,
  AV_PROFILE_H264_HIGH,
  FF_ENCODER_LIBX264,
} from 'node-av/constants';
import type { StreamFormat } from '../format.ts';
import { done, type PacketEncoder } from './packet-encoder.ts';

/** Ingests want a key frame every two to four seconds. */
const KEY_FRAME_S = 2;

export interface VideoEncoder extends PacketEncoder {
  /** Encodes the next picture. `isKey`: decoding must be able to begin here. */
  encode: (picture: Buffer, isKey: boolean) => Promise<void>;
}

/** Opens x264 with a steady bit rate and a fixed distance of key frames. */
export async function openVideoEncoder(
  format: StreamFormat,
  onPacket: (packet: Packet) => Promise<void>,
): Promise<VideoEncoder> {
  const { width, height, fps, bit_rate, preset } = format;
  const codec = Codec.findEncoderByName(FF_ENCODER_LIBX264);
  const context = new CodecContext();
  context.allocContext3(codec);
  context.width = width;
  context.height = height;
  context.pixelFormat = AV_PIX_FMT_YUV420P;
  context.timeBase = new Rational(1, fps);
  context.framerate = new Rational(fps, 1);
  context.profile = AV_PROFILE_H264_HIGH;
  context.gopSize = KEY_FRAME_S * fps;
  context.maxBFrames = 2;
  context.bitRate = BigInt(bit_rate);
  context.rcMaxRate = BigInt(bit_rate);
  context.rcBufferSize = 2 * bit_rate;
  context.colorSpace = AVCOL_SPC_BT709;
  context.colorPrimaries = AVCOL_PRI_BT709;
  context.colorTrc = AVCOL_TRC_BT709;
  context.colorRange = AVCOL_RANGE_MPEG;
  context.setFlags(AV_CODEC_FLAG_GLOBAL_HEADER);
  const options = Dictionary.fromObject({ preset, 'x264-params': 'scenecut=0:open-gop=0' });
  done(await context.open2(codec, options), 'Opening the H.264 encoder');

  const frame = new Frame();
  frame.alloc();
  frame.width = width;
  frame.height = height;
  frame.format = AV_PIX_FMT_YUV420P;
  done(frame.getBuffer(), 'Creating a picture');
  const packet = new Packet();
  packet.alloc();
  let count = 0n;

  async function send(next: Frame | null): Promise<void> {
    done(await context.sendFrame(next), 'Encoding a picture');
    while ((await context.receivePacket(packet)) >= 0) {
      await onPacket(packet);
      packet.unref();
    }
  }

  return {
    context,
    encode: async (picture, isKey) => {
      done(frame.makeWritable(), 'Reusing a picture');
      done(frame.fromBuffer(picture), 'Filling a picture');
      frame.pts = count;
      frame.pictType = isKey ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
      count += 1n;
      await send(frame);
    },
    finish: () => send(null),
    free: () => {
      frame.free();
      packet.free();
      context.freeContext();
    },
  };
}
