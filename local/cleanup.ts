/** Cleanup actions, run in reverse order at shutdown or when a start fails. */
export interface Cleanup {
  add: (undo: () => unknown) => void;
  /** Runs all actions. A failure is logged and does not stop the others. */
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
          console.error('Cleanup action failed:', error);
        }
      }
    },
  };
}
