/** What must be undone, in reverse order, at the end or when a start fails half-way. */
export interface Cleanup {
  add: (undo: () => unknown) => void;
  /** Undoes all. A failure is reported and does not keep the rest from being undone. */
  run: () => Promise<void>;
}

export function createCleanup(): Cleanup {
  const undos: (() => unknown)[] = [];
  return {
    add: undo => void undos.push(undo),
    run: async () => {
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        try {
          await undo();
        } catch (error) {
          console.error('Could not clean up:', error);
        }
      }
    },
  };
}
