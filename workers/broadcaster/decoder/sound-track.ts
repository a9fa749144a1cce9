import { avChannelLayoutDescribe, Frame, type Packet, type Stream } from 'node-av/lib';
import { SAMPLE_BYTES, SAMPLE_RATE } from '../format.ts';
import { openGraph, seconds, type Graph } from './native.ts';
import { openDecoder } from './open-decoder.ts';
import { createSampleQueue } from './sample-queue.ts';

/** The sound of a file as one unbroken row of samples. */
export interface SoundTrack {
  /** Decodes a packet; null: the file has ended. */
  feed: (packet: Packet | null) => void;
  /** Samples that `take` can return now. */
  available: () => number;
  /** True when nothing can be added. */
  hasEnded: () => boolean;
  /** Samples held in memory: silence is only a number. */
  held: () => number;
  /** Returns the next samples, filled up with silence. */
  take: (samples: number) => Buffer;
}

const FILTERS = `aresample=${SAMPLE_RATE},aformat=sample_fmts=s16:channel_layouts=stereo:sample_rates=${SAMPLE_RATE}`;
/** A smaller difference between timestamps and samples is jitter of the file. */
const TOLERANCE = SAMPLE_RATE / 10;

/** Creates the track. `start_s`: the timestamp that its first sample would have. Throws ItemError. */
export async function createSoundTrack(stream: Stream, start_s: number): Promise<SoundTrack> {
  const decoder = await openDecoder(stream, onFrame);
  const filtered = new Frame();
  filtered.alloc();
  const queue = createSampleQueue();
  let graph: Graph | null = null;
  let graphSource = '';
  /** Where the samples that were decoded end, from the beginning of the file. */
  let position = 0;

  function onFrame(frame: Frame): void {
    const time = seconds(frame.bestEffortTimestamp, stream.timeBase);
    const expected = time === null ? position : Math.round((time - start_s) * SAMPLE_RATE);
    if (Math.abs(expected - position) > TOLERANCE) {
      endGraph();
      queue.move(expected - position);
      position = expected;
    }
    const source = soundSource(frame);
    if (source !== graphSource) endGraph();
    position += (frame.nbSamples * SAMPLE_RATE) / frame.sampleRate;
    graph ??= openGraph('sound', source, FILTERS, filtered, onFiltered);
    graphSource = source;
    graph.run(frame);
  }

  function onFiltered(): void {
    // The buffer may be longer than its samples.
    queue.add(filtered.toBuffer().subarray(0, filtered.nbSamples * SAMPLE_BYTES));
  }

  function endGraph(): void {
    graph?.run(null);
    graph?.free();
    graph = null;
  }

  let hasEnded = false;
  return {
    feed: packet => {
      decoder.decode(packet);
      if (packet) return;
      endGraph();
      hasEnded = true;
    },
    hasEnded: () => hasEnded,
    available: queue.length,
    held: queue.held,
    take: queue.take,
  };
}

function soundSource({ sampleRate, format, channelLayout }: Frame): string {
  const layout =
    channelLayout.mask === 0n ? `${channelLayout.nbChannels}c` : avChannelLayoutDescribe(channelLayout);
  return `time_base=1/${sampleRate}:sample_rate=${sampleRate}:sample_fmt=${format}:channel_layout=${layout ?? 'stereo'}`;
}
