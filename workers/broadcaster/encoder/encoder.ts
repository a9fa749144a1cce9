import { Dictionary, FormatContext, IOContext, type Packet, type Stream } from 'node-av/lib';
import { pictureBytes, type StreamFormat } from '../format.ts';
import { createTagReader, type FlvTag } from './flv-tags.ts';
import { done, type PacketEncoder } from './packet-encoder.ts';
import { openSoundEncoder } from './sound-encoder.ts';
import { openVideoEncoder } from './video-encoder.ts';

/** The one encoder of a broadcast: whatever is played, the ingest receives one unbroken stream. */
export interface Encoder {
  /** Encodes a tick. `isKey`: its picture becomes a key frame. */
  encode: (tick: Buffer, isKey: boolean) => Promise<void>;
  /** Passes on the last tags and frees everything. */
  finish: () => Promise<void>;
}

const BUFFER_BYTES = 64 * 1024;

/** Opens the encoders and FFmpeg's FLV muxer. Tags go to `onTag`, the metadata and the headers first. */
export async function openEncoder(format: StreamFormat, onTag: (tag: FlvTag) => void): Promise<Encoder> {
  const muxer = openMuxer(onTag);
  const video = await openVideoEncoder(format, packet => muxer.write(packet, video.context, videoStream));
  const sound = await openSoundEncoder(packet => muxer.write(packet, sound.context, soundStream));
  const videoStream = muxer.addStream(video);
  const soundStream = muxer.addStream(sound);
  await muxer.begin();
  const length = pictureBytes(format);
  return {
    encode: async (tick, isKey) => {
      await video.encode(tick.subarray(0, length), isKey);
      await sound.encode(tick.subarray(length));
    },
    finish: async () => {
      await video.finish();
      await sound.finish();
      await muxer.end();
      video.free();
      sound.free();
    },
  };
}

function openMuxer(onTag: (tag: FlvTag) => void) {
  const muxer = new FormatContext();
  done(muxer.allocOutputContext2(null, 'flv', null), 'Creating the FLV muxer');
  const io = new IOContext();
  io.allocContextWithCallbacks(BUFFER_BYTES, 1, null, createTagReader(onTag), null);
  muxer.pb = io;

  function addStream({ context }: PacketEncoder): Stream {
    const stream = muxer.newStream(null);
    done(stream.codecpar.fromContext(context), 'Describing a stream');
    stream.timeBase = context.timeBase;
    return stream;
  }

  async function begin(): Promise<void> {
    const options = { flvflags: 'no_duration_filesize', flush_packets: '1' };
    done(await muxer.writeHeader(Dictionary.fromObject(options)), 'Writing the FLV header');
  }

  async function write(
    packet: Packet,
    { timeBase }: PacketEncoder['context'],
    stream: Stream,
  ): Promise<void> {
    packet.streamIndex = stream.index;
    packet.rescaleTs(timeBase, stream.timeBase);
    done(await muxer.interleavedWriteFrame(packet), 'Writing a packet');
  }

  async function end(): Promise<void> {
    done(await muxer.writeTrailer(), 'Writing the end of the FLV stream');
    // In this order: freeing the muxer with its I/O context frees that one too.
    muxer.pb = null;
    muxer.freeContext();
    io.freeContext();
  }

  return { addStream, begin, write, end };
}
