import type { ObjectStorage } from './storage.ts';

/** The parts of a lifecycle rule that the stack uses. */
export interface LifecycleRule {
  prefix: string;
  /** Age in days at which objects expire; null for never. */
  expireDays: number | null;
  /** Age in days at which incomplete multipart uploads are aborted; null for never. */
  abortDays: number | null;
}

const DAY_MS = 86_400_000;

/** Applies the rules. S3 does so about once a day. */
export async function applyBucketLifecycle(
  storage: ObjectStorage,
  rules: readonly LifecycleRule[],
  now: number,
): Promise<void> {
  for (const { prefix, expireDays, abortDays } of rules) {
    const isExpired = (key: string, since: number, days: number | null) =>
      days !== null && key.startsWith(prefix) && since + days * DAY_MS < now;
    for (const { key, object } of storage.list()) {
      if (isExpired(key, object.modified_at, expireDays)) await storage.delete(key);
    }
    for (const { id, upload } of storage.uploads.all()) {
      if (isExpired(upload.key, upload.initiated_at, abortDays)) await storage.uploads.end(id, []);
    }
  }
}
