/** Thrown instead of spending more on a file than its inspection is worth. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/**
 * What an inspection may spend on a file: bytes that are read or decompressed, and time. Every format is held to it, so
 * that no file of any content can occupy a function.
 */
export interface Budget {
  /** Bytes left. */
  remaining: () => number;
  /** Throws BudgetExceeded when the bytes or the time are used up. */
  spend: (bytes: number) => void;
}

export interface BudgetLimits {
  bytes: number;
  /** From the creation of the budget on. Milliseconds. */
  ms: number;
}

/** For an inspection that somebody waits for. */
export const QUICK: BudgetLimits = { bytes: 12 * 1024 ** 2, ms: 20_000 };

/** For a file on the disk, which is read as far as its format demands. */
export const LOCAL: BudgetLimits = { bytes: Infinity, ms: 20_000 };

/** For a file that is going to be stored: it is read as far as its format demands. */
export const UNLIMITED: BudgetLimits = { bytes: Infinity, ms: Infinity };

export function createBudget(
  { bytes, ms }: BudgetLimits,
  now: () => number = () => performance.now(),
): Budget {
  const deadline = now() + ms;
  let remaining = bytes;
  return {
    remaining: () => remaining,
    spend: amount => {
      if (amount > remaining) throw new BudgetExceeded(`More than ${bytes} bytes would have to be processed`);
      if (now() > deadline) throw new BudgetExceeded(`Processing takes longer than ${ms} ms`);
      remaining -= amount;
    },
  };
}
