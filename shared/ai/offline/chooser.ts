import { createHash } from 'node:crypto';

/** Chooses from lists: the same input chooses the same. */
export interface Chooser {
  pick: <T>(items: readonly T[]) => T;
}

/** A chooser whose choices follow from a text. `items` must not be empty. */
export function chooserFor(seed: string): Chooser {
  let count = 0;
  const next = () => createHash('sha256').update(`${count++} ${seed}`).digest().readUInt32BE(0);
  return {
    pick: items => {
      const item = items[next() % items.length];
      if (item === undefined) throw new Error('Nothing to choose from');
      return item;
    },
  };
}
