import type { Upload } from '../../model/upload.ts';

/** Returns the upload without its lease, wake-up time and end. */
export function withoutTransientFields(upload: Upload): Upload {
  const rest: Upload = { ...upload, lease_until: 0 };
  delete rest.wake_at;
  delete rest.ends_at;
  return rest;
}

/** The fields of an upload that the importer removes at this time. */
export const endingAt = (ends_at: number) => ({ ends_at, wake_at: ends_at });
