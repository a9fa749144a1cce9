import { randomBytes } from 'node:crypto';
import { FILE_OF_FORMAT, type MediaFormat } from '../model/media.ts';
import type { HttpClient } from '../net/http.ts';
import type { Services } from '../runtime/services.ts';
import { MINUTE, SECOND } from '../time/instant.ts';

/** What works on files: the importer, or a request that does a small one itself. */
export interface MediaRun {
  services: Services;
  /** The guarded client: it fetches what users name. */
  http: Pick<HttpClient, 'open'>;
  /** What is left of this run. Milliseconds. */
  remainingMs: () => number;
  /** A file with more bytes is left to a run that has the time. */
  leaveAfterBytes: number;
  /** Attempts in a row that may get nothing further from an origin. */
  patience: number;
}

/** Somebody else works on the file now; whatever this run still has in hand is void. */
export class LeaseLost extends Error {
  override readonly name = 'TakenOver';
}

/** Margin between the end of a run and the moment when another may take its work over. */
const LEASE_MARGIN_MS = 15 * SECOND;

/** A lease outlives the run that holds it: one that has ended means a dead holder. */
export function leaseOf({ services, remainingMs }: MediaRun): { lease_until: number; wake_at: number } {
  const lease_until = services.now() + remainingMs() + LEASE_MARGIN_MS;
  return { lease_until, wake_at: lease_until };
}

/** Waits before the next run, by the attempts that got nothing further. */
const WAITS_MS = [0, 10 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE];

export const waitAfter = (failures: number) => WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0;

/** How long after the expected time the sweeper gives a note up for lost. */
export const GRACE_MS = 2 * MINUTE;

/** A key that nobody can guess and that nobody's name is part of. */
export function randomKey(prefix: string, format: MediaFormat): string {
  return `${prefix}${randomBytes(24).toString('base64url')}.${FILE_OF_FORMAT[format].extension}`;
}
