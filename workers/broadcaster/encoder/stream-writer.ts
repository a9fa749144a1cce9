/** Makes the one stream of a broadcast: whatever is played, the ingest receives it unbroken. */
export interface StreamWriter {
  /**
   * Adds a tick to the stream; null: no item has one in time, so that the last picture stays in silence. `isKey`: decoding
   * must be able to begin here, where the writer can decide that.
   */
  write: (tick: Buffer | null, isKey: boolean) => Promise<void>;
  /** Passes on the last tags and frees everything. */
  finish: () => Promise<void>;
}
