import { existsSync, renameSync } from 'node:fs';

/** Moves a finished folder to its place. Another process may have made the same folder with the same content in the meantime. */
export function moveInto(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}
