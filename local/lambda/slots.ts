/** Lets at most so many of something happen at once; the others wait in turn. */
export interface Slots {
  take: () => Promise<void>;
  give: () => void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take: () => {
      if (free === 0) return new Promise(resolve => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    give: () => {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
