import { SAMPLE_BYTES } from '../format.ts';

/** Samples of 16-bit stereo on their way from the decoder to the ticks. */
export interface SampleQueue {
  add: (data: Buffer) => void;
  /** Moves the place of the next samples: forward by silence, back by dropping what would overlap. */
  move: (samples: number) => void;
  /** Removes and returns the next samples, filled up with silence. */
  take: (samples: number) => Buffer;
  length: () => number;
  /** Samples held in memory. Silence is only a number: a wrong timestamp may ask for hours of it. */
  held: () => number;
}

/** A run of samples; without data it is silence. */
interface Piece {
  samples: number;
  data: Buffer | null;
}

/** Creates an empty queue. */
export function createSampleQueue(): SampleQueue {
  const pieces: Piece[] = [];
  let length = 0;
  let held = 0;
  /** Samples that were already covered, because timestamps went back. */
  let overlap = 0;

  function push(piece: Piece): void {
    if (piece.samples === 0) return;
    pieces.push(piece);
    length += piece.samples;
    if (piece.data) held += piece.samples;
  }

  function add(data: Buffer): void {
    const cut = Math.min(overlap, data.length / SAMPLE_BYTES);
    overlap -= cut;
    push({ samples: data.length / SAMPLE_BYTES - cut, data: data.subarray(cut * SAMPLE_BYTES) });
  }

  function move(samples: number): void {
    const silence = samples - overlap;
    overlap = Math.max(0, -silence);
    push({ samples: Math.max(0, silence), data: null });
  }

  function take(samples: number): Buffer {
    const taken = Buffer.alloc(samples * SAMPLE_BYTES);
    let filled = 0;
    for (let piece = pieces[0]; piece && filled < samples; piece = pieces[0]) {
      const count = Math.min(piece.samples, samples - filled);
      piece.data?.copy(taken, filled * SAMPLE_BYTES, 0, count * SAMPLE_BYTES);
      if (piece.data) {
        piece.data = piece.data.subarray(count * SAMPLE_BYTES);
        held -= count;
      }
      piece.samples -= count;
      length -= count;
      filled += count;
      if (piece.samples === 0) pieces.shift();
    }
    return taken;
  }

  return { add, move, take, length: () => length, held: () => held };
}
