import { ItemError } from '../item-error.ts';

/** The order of a file's pictures, which come in the order of decoding. */
export interface PictureOrder {
  /**
   * Adds a picture and returns how many ticks after its own it is shown. Throws ItemError where the pictures cannot be
   * copied.
   */
  add: (time_s: number | null, isKey: boolean) => number;
  /** Throws ItemError where the last pictures are missing. */
  end: () => void;
}

/** Containers round their times. In ticks. */
const TOLERANCE = 1 / 4;

/**
 * Checks that pictures have a constant rate, and that each group from a key frame to the next one is closed: it shows its key
 * frame first, and has all the ticks that it covers. So groups can be joined, whatever files they are from.
 */
export function createPictureOrder(fps: number): PictureOrder {
  let first: number | null = null;
  let count = 0;
  /** The place of the group's key frame, and the ticks of the group. */
  let begin = 0;
  const group = new Set<number>();
  let last = -1;

  function endGroup(): void {
    // All are different and none is before the key frame: a gap leaves one behind the end.
    if (last >= count) throw changed('A group of pictures is not complete');
    group.clear();
  }

  function tickOf(time_s: number | null): number {
    if (time_s === null) throw changed('A picture has no time, or an edit list leaves it out');
    first ??= time_s;
    const exact = (time_s - first) * fps;
    const tick = Math.round(exact);
    if (Math.abs(exact - tick) > TOLERANCE) throw changed(`The rate is not ${fps} pictures a second`);
    return tick;
  }

  function add(time_s: number | null, isKey: boolean): number {
    const tick = tickOf(time_s);
    if (isKey) {
      endGroup();
      begin = count;
    }
    if (!isKey && count === 0) throw changed('The first picture is not a key frame');
    if (isKey ? tick !== count : tick <= begin || group.has(tick))
      throw changed(`The rate is not ${fps} pictures a second, or a group of pictures is not closed`);
    group.add(tick);
    last = Math.max(last, tick);
    count += 1;
    return tick - (count - 1);
  }

  return { add, end: endGroup };
}

const changed = (message: string) => new ItemError('CHANGED', message);
