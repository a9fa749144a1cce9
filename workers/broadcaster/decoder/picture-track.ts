import { Frame, type Packet } from 'node-av/lib';
import type { PictureFormat } from '../format.ts';
import type { MediaFile } from './media-file.ts';
import { openGraph, seconds, type Graph } from './native.ts';
import { openDecoder } from './open-decoder.ts';
import { pictureFilters, pictureSource, rotationFilters } from './picture-filters.ts';

/** The pictures of a file, on the ticks of the output. */
export interface PictureTrack {
  /** Decodes a packet; null: the file has ended. */
  feed: (packet: Packet | null) => void;
  /** True when no picture for this tick, or an earlier one, can follow. */
  isDecided: (tick: number) => boolean;
  /** Returns the picture to show at this tick; null before the first one. Ticks ascend. */
  take: (tick: number) => Buffer | null;
  /** The tick of the last picture that is known; -1 before the first one. */
  lastTick: () => number;
  /** Pictures held in memory. */
  held: () => number;
}

interface Picture {
  tick: number;
  data: Buffer;
}

/**
 * Creates the track. It assigns pictures to ticks by itself: FFmpeg's `fps` filter makes all missing pictures at once, so
 * that a single wrong timestamp costs gigabytes.
 */
export async function createPictureTrack(file: MediaFile, format: PictureFormat): Promise<PictureTrack> {
  const { video, start_s } = file;
  const rotation = rotationFilters(video.codecpar);
  const decoder = await openDecoder(video, onFrame);
  const filtered = new Frame();
  filtered.alloc();
  const pictures: Picture[] = [];
  let graph: Graph | null = null;
  let graphSource = '';
  /** The newest picture. It is scaled only when another tick begins, so pictures that are never shown cost little. */
  let candidate: { frame: Frame; tick: number } | null = null;
  let lastTick = -1;
  let shown: Buffer | null = null;
  let hasEnded = false;

  function onFrame(frame: Frame): void {
    const time = seconds(frame.bestEffortTimestamp, video.timeBase);
    const tick = time === null ? lastTick + 1 : Math.max(0, Math.round((time - start_s) * format.fps));
    if (tick < lastTick) return;
    if (candidate && tick > candidate.tick) filterCandidate();
    candidate?.frame.free();
    const copy = frame.clone();
    candidate = copy && { frame: copy, tick };
    lastTick = tick;
  }

  function filterCandidate(): void {
    if (!candidate) return;
    const { frame, tick } = candidate;
    candidate = null;
    const source = pictureSource(frame, format.fps);
    if (source !== graphSource) {
      graph?.free();
      const filters = pictureFilters(frame, rotation, format);
      graph = openGraph('picture', source, filters, filtered, onFiltered);
      graphSource = source;
    }
    frame.pts = BigInt(tick);
    graph?.run(frame);
    frame.free();
  }

  function onFiltered(): void {
    pictures.push({ tick: Number(filtered.pts), data: filtered.toBuffer() });
  }

  return {
    feed: packet => {
      decoder.decode(packet);
      if (packet) return;
      filterCandidate();
      hasEnded = true;
    },
    isDecided: tick => hasEnded || (pictures.at(-1)?.tick ?? -1) > tick,
    take: tick => {
      while (pictures[0] && (pictures[0].tick <= tick || shown === null))
        shown = pictures.shift()?.data ?? null;
      return shown;
    },
    lastTick: () => lastTick,
    held: () => pictures.length,
  };
}
