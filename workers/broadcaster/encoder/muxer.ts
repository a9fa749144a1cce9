import { Dictionary, FormatContext, IOContext, type Packet, type Stream } from 'node-av/lib';
import { createTagReader, type FlvTag } from './flv-tags.ts';
import { done } from './packet-encoder.ts';

/** FFmpeg's FLV muxer: RTMP carries the same tags. */
export interface Muxer {
  /** Adds a stream, which `describe` fills in. All streams are added before `begin`. */
  addStream: (timeBase: Stream['timeBase'], describe: (stream: Stream) => void) => MuxerStream;
  /** Passes on the metadata and the headers. */
  begin: () => Promise<void>;
  /** Passes on the last tags and frees everything. */
  end: () => Promise<void>;
}

export interface MuxerStream {
  /** Writes a packet with times in the stream's time base. It is empty afterwards. */
  write: (packet: Packet) => Promise<void>;
}

const BUFFER_BYTES = 64 * 1024;
const OPTIONS = { flvflags: 'no_duration_filesize', flush_packets: '1' };
const MICROSECONDS = 1_000_000;

/** Opens the muxer. Tags go to `onTag` in the order of their times: a stream waits for the other one, at most `longest_s`. */
export function openMuxer(onTag: (tag: FlvTag) => void, longest_s = 10): Muxer {
  const muxer = new FormatContext();
  done(muxer.allocOutputContext2(null, 'flv', null), 'Creating the FLV muxer');
  const io = new IOContext();
  io.allocContextWithCallbacks(BUFFER_BYTES, 1, null, createTagReader(onTag), null);
  muxer.pb = io;

  function addStream(timeBase: Stream['timeBase'], describe: (stream: Stream) => void): MuxerStream {
    const stream = muxer.newStream(null);
    describe(stream);
    stream.timeBase = timeBase;
    return {
      write: async packet => {
        packet.streamIndex = stream.index;
        // The muxer has its own time base.
        packet.rescaleTs(timeBase, stream.timeBase);
        done(await muxer.interleavedWriteFrame(packet), 'Writing a packet');
      },
    };
  }

  async function begin(): Promise<void> {
    const options = { ...OPTIONS, max_interleave_delta: String(longest_s * MICROSECONDS) };
    done(await muxer.writeHeader(Dictionary.fromObject(options)), 'Writing the FLV header');
  }

  async function end(): Promise<void> {
    done(await muxer.writeTrailer(), 'Writing the end of the FLV stream');
    // In this order: freeing the muxer with its I/O context frees that one too.
    muxer.pb = null;
    muxer.freeContext();
    io.freeContext();
  }

  return { addStream, begin, end };
}

/** Adds the stream that an encoder makes. */
export function addEncoded(
  muxer: Muxer,
  { context }: { context: Parameters<Stream['codecpar']['fromContext']>[0] },
): MuxerStream {
  return muxer.addStream(context.timeBase, stream =>
    done(stream.codecpar.fromContext(context), 'Describing a stream'),
  );
}
