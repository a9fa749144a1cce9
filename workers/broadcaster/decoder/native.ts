import { FFmpegError, FilterGraph, type Frame } from 'node-av/lib';
import { AVERROR_EAGAIN, AVERROR_EOF, AV_NOPTS_VALUE } from 'node-av/constants';
import { ItemError } from '../item-error.ts';

/** Returns a result of FFmpeg. Throws ItemError `NOT_PLAYABLE` for an error code. */
export function assertDone(code: number, action: string): number {
  if (code >= 0) return code;
  throw new ItemError('NOT_PLAYABLE', `${action}: ${FFmpegError.strerror(code)}`);
}

/** True if something was received, false if FFmpeg needs more input first or has ended. Throws ItemError. */
export function wasReceived(code: number, action: string): boolean {
  if (code === AVERROR_EAGAIN || code === AVERROR_EOF) return false;
  assertDone(code, action);
  return true;
}

/** Returns a timestamp in seconds; null for none. */
export function seconds(timestamp: bigint, timeBase: { num: number; den: number }): number | null {
  return timestamp === AV_NOPTS_VALUE ? null : (Number(timestamp) * timeBase.num) / timeBase.den;
}

/** A chain of filters. */
export interface Graph {
  /** Filters a frame, which is empty afterwards, or with null ends the chain. Passes on what comes out. */
  run: (frame: Frame | null) => void;
  free: () => void;
}

/** Builds the chain. `source` describes the frames that go in. Throws ItemError. */
export function openGraph(
  kind: 'picture' | 'sound',
  source: string,
  filters: string,
  output: Frame,
  onFrame: () => void,
): Graph {
  const prefix = kind === 'sound' ? 'a' : '';
  const graph = new FilterGraph();
  graph.alloc();
  graph.nbThreads = 1;
  assertDone(
    graph.parsePtr(`${prefix}buffer@in=${source},${filters},${prefix}buffersink@out`),
    `Building the ${kind} filters`,
  );
  assertDone(graph.configSync(), `Configuring the ${kind} filters`);
  const first = graph.getFilter(`${prefix}buffer@in`);
  const last = graph.getFilter(`${prefix}buffersink@out`);
  if (!first || !last) throw new ItemError('NOT_PLAYABLE', `The ${kind} filters are incomplete`);
  return {
    run: frame => {
      assertDone(first.buffersrcAddFrameSync(frame), `Filtering ${kind}`);
      while (wasReceived(last.buffersinkGetFrameSync(output), `Filtering ${kind}`)) {
        onFrame();
        output.unref();
      }
    },
    free: () => graph.free(),
  };
}
