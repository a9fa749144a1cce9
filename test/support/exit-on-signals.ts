import { constants } from 'node:os';

/**
 * Exits on a signal, instead of being ended by it: the stacks that a program has started are ended when it exits, and
 * would be left running otherwise.
 */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
