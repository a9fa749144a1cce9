import { Packet, Rational } from 'node-av/lib';
import { AVMEDIA_TYPE_VIDEO, AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { readCopiedTick, type CopiedTick } from '../copied-tick.ts';
import { samplesPerTick, soundBytes, type CopiedPictures, type PictureFormat } from '../format.ts';
import type { FlvTag } from './flv-tags.ts';
import { addEncoded, openMuxer, type Muxer, type MuxerStream } from './muxer.ts';
import { openSoundEncoder } from './sound-encoder.ts';
import type { StreamWriter } from './stream-writer.ts';

/** How long sound waits for a picture: the next item's may be seconds away. */
const LONGEST_WAIT_S = 0.5;
/** By which the sound begins before the time 0, as AAC does. */
const PRIMING = 1024;

/**
 * Opens the muxer and the sound's encoder for ticks whose pictures are sent as they are in their files. A tick in silence has
 * no picture, so that viewers see the last one; the next item begins with a key frame. Where an item stops and goes on in its
 * middle, the pictures that it reorders around that place may be shown in the wrong order.
 */
export async function openCopier(
  format: PictureFormat,
  copied: CopiedPictures,
  onTag: (tag: FlvTag) => void,
): Promise<StreamWriter> {
  const muxer = openMuxer(onTag, LONGEST_WAIT_S);
  // All times are later by so many ticks, so that none is negative, whatever comes first.
  const lead = copied.delay + Math.ceil(PRIMING / samplesPerTick(format));
  const soundLead = BigInt(lead * samplesPerTick(format));
  const sound = await openSoundEncoder(packet => {
    packet.pts += soundLead;
    packet.dts += soundLead;
    return samples.write(packet);
  });
  const pictures: MuxerStream = addCopied(muxer, format, copied);
  const samples: MuxerStream = addEncoded(muxer, sound);
  await muxer.begin();
  const silence = Buffer.alloc(soundBytes(format));
  const packet = new Packet();
  packet.alloc();
  /** Ticks so far: when the next picture is due, were it shown in the order of decoding. */
  let slot = 0;

  async function sendPicture({ picture, offset, is_key }: CopiedTick): Promise<void> {
    // The muxer would take it for an error, which ends the broadcast.
    if (picture.length === 0) return;
    packet.data = picture;
    packet.isKeyframe = is_key;
    packet.dts = BigInt(lead + slot - copied.delay);
    // Never due before it is decoded: that would be an error, too.
    packet.pts = BigInt(lead + slot + Math.max(offset, -copied.delay));
    packet.duration = 1n;
    await pictures.write(packet);
    packet.unref();
  }

  return {
    write: async bytes => {
      const tick = bytes && readCopiedTick(bytes);
      if (tick) await sendPicture(tick);
      await sound.encode(tick?.sound ?? silence);
      slot += 1;
    },
    finish: async () => {
      await sound.finish();
      await muxer.end();
      sound.free();
      packet.free();
    },
  };
}

function addCopied(
  muxer: Muxer,
  { width, height, fps }: PictureFormat,
  { config, bit_rate }: CopiedPictures,
): MuxerStream {
  return muxer.addStream(new Rational(1, fps), ({ codecpar }) => {
    codecpar.codecType = AVMEDIA_TYPE_VIDEO;
    codecpar.codecId = AV_CODEC_ID_H264;
    codecpar.format = AV_PIX_FMT_YUV420P;
    codecpar.width = width;
    codecpar.height = height;
    codecpar.frameRate = new Rational(fps, 1);
    codecpar.bitRate = BigInt(bit_rate);
    codecpar.extradata = Buffer.from(config, 'base64');
  });
}
