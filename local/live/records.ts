import { globSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What encoders send to, and where the RTMP server records it: `<app>/<stream key>/<time>.flv`. */
export const APP = 'live2';

/** A day of 360p takes 9 GB. */
const KEPT = 20;

/** Returns the records of a stream, or of all, oldest first. An encoder that soon comes back goes on in its record. */
export function recordsOf(folder: string, key = '*'): string[] {
  const names = globSync(`${APP}/${key}/*.flv`, { cwd: folder });
  return names.sort((a, b) => basename(a).localeCompare(basename(b))).map(name => join(folder, name));
}

/** Deletes all records but the last 20. Only while no server writes any. */
export function pruneRecords(folder: string): void {
  for (const path of recordsOf(folder).slice(0, -KEPT)) rmSync(path);
}
