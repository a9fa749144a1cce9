import { createHash } from 'node:crypto';

/** Chooses from lists. The same seed leads to the same choices. */
export interface Chooser {
  pick: <T>(items: readonly T[]) => T;
}

/** Creates a chooser whose choices follow from a seed. `pick` throws for an empty list. */
export function chooserFor(seed: string): Chooser {
  let count = 0;
  const next = () => createHash('sha256').update(`${count++} ${seed}`).digest().readUInt32BE(0);
  return {
    pick: items => {
      const item = items[next() % items.length];
      if (item === undefined) throw new Error('Cannot choose from an empty list');
      return item;
    },
  };
}
