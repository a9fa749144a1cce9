/** Limits concurrency; waiters are served in order. */
export interface Semaphore {
  acquire: () => Promise<void>;
  release: () => void;
}

export function createSemaphore(count: number): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    acquire: () => {
      if (free === 0) return new Promise(resolve => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    release: () => {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
