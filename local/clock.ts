/**
 * The stack's clock: real time plus an offset that only grows. The offset is in shared memory, so advancing it advances
 * the clock of every worker thread at once, including frozen ones.
 */
export interface Clock {
  /** Epoch milliseconds. */
  now: () => number;
  advance: (seconds: number) => void;
  /** Calls the listener after each advance, for other processes. Returns a function that ends this. */
  onAdvance: (listener: () => void) => () => void;
  /** Milliseconds that the clock is ahead of real time. */
  offsetMs: () => number;
  /** Memory of the offset, for `installClock` in another thread. */
  memory: SharedArrayBuffer;
}

const RealDate = globalThis.Date;

export function createClock(offsetMs = 0): Clock {
  const memory = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  const offset = new Float64Array(memory);
  offset[0] = offsetMs;
  const listeners = new Set<() => void>();
  return {
    memory,
    now: () => RealDate.now() + readOffset(offset),
    advance: seconds => {
      offset[0] = readOffset(offset) + seconds * 1000;
      for (const listener of listeners) listener();
    },
    onAdvance: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    offsetMs: () => readOffset(offset),
  };
}

/** Makes this thread's global `Date` return the stack's time. Timers and `performance` keep real time. */
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
