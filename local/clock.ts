/**
 * The stack's clock: real time plus an offset that only grows. The offset lies in shared memory, so that moving it moves
 * the clock of every worker thread at once, frozen ones included.
 */
export interface Clock {
  /** Epoch milliseconds. */
  now: () => number;
  advance: (seconds: number) => void;
  /** How far the clock is ahead of real time, in milliseconds. */
  offsetMs: () => number;
  /** The offset's memory, for `installClock` in another thread. */
  memory: SharedArrayBuffer;
}

const RealDate = globalThis.Date;

export function createClock(offsetMs = 0): Clock {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const offset = new Float64Array(memory);
  offset[0] = offsetMs;
  return {
    memory,
    now: () => RealDate.now() + readOffset(offset),
    advance: seconds => {
      offset[0] = readOffset(offset) + seconds * 1000;
    },
    offsetMs: () => readOffset(offset),
  };
}

/** Lets this thread's global `Date` tell the stack's time. Timers and `performance` stay real. */
export function installClock(memory: SharedArrayBuffer): void {
  const offset = new Float64Array(memory);
  const now = () => RealDate.now() + readOffset(offset);
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args: unknown[], newTarget) => {
      const made: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget);
      return made instanceof RealDate ? made : new RealDate(Number.NaN);
    },
    get: (target, name, receiver): unknown => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}

export function uninstallClock(): void {
  globalThis.Date = RealDate;
}

const readOffset = (offset: Float64Array) => offset[0] ?? 0;
