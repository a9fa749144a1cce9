import type { Disk } from './disk.ts';

/** One rule of a bucket's lifecycle, as far as the stack has such. */
export interface LifecycleRule {
  prefix: string;
  /** Objects that are older go; null: none. */
  expireDays: number | null;
  /** Multipart uploads that are older and not complete go; null: none. */
  abortDays: number | null;
}

const DAY_MS = 86_400_000;

/** Does what the rules ask for. The real service does it once a day, about as late as that. */
export async function tidyBucket(disk: Disk, rules: readonly LifecycleRule[], now: number): Promise<void> {
  for (const { prefix, expireDays, abortDays } of rules) {
    const isOver = (key: string, since: number, days: number | null) =>
      days !== null && key.startsWith(prefix) && since + days * DAY_MS < now;
    for (const { key, object } of disk.list()) {
      if (isOver(key, object.modified_at, expireDays)) await disk.delete(key);
    }
    for (const { id, upload } of disk.uploads.all()) {
      if (isOver(upload.key, upload.begun_at, abortDays)) await disk.uploads.end(id, []);
    }
  }
}
