import { Codec, CodecContext, Dictionary, Frame, type Packet, type Stream } from 'node-av/lib';
import { ItemError } from '../item-error.ts';
import { assertDone } from './native.ts';

/** 8192 x 4352, the largest pictures of common codecs. */
export const MAX_PIXELS = 8192 * 4352;

export interface Decoder {
  /** Decodes a packet, or with null what the decoder still holds. A damaged packet is skipped. */
  decode: (packet: Packet | null) => void;
}

/** Opens the decoder of a stream. `onFrame` receives each frame, which is reused afterwards. Throws ItemError. */
export async function openDecoder(stream: Stream, onFrame: (frame: Frame) => void): Promise<Decoder> {
  const codec = Codec.findDecoder(stream.codecpar.codecId);
  if (!codec) throw new ItemError('NOT_PLAYABLE', 'There is no decoder for this codec');
  const context = new CodecContext();
  context.allocContext3(codec);
  assertDone(context.parametersToContext(stream.codecpar), 'Reading the codec parameters');
  context.pktTimebase = stream.timeBase;
  const options = { threads: '2', max_pixels: String(MAX_PIXELS), err_detect: 'ignore_err' };
  // `open2Sync` of node-av 6.1.1 frees the options twice.
  assertDone(await context.open2(codec, Dictionary.fromObject(options)), 'Opening the decoder');
  const frame = new Frame();
  frame.alloc();

  return {
    decode: packet => {
      // The result is of no interest: the frames of a damaged packet are missing, the next ones follow.
      context.sendPacketSync(packet);
      while (context.receiveFrameSync(frame) >= 0) {
        onFrame(frame);
        frame.unref();
      }
    },
  };
}
