import { randomBytes } from 'node:crypto';
import { FILE_OF_FORMAT, type MediaFormat } from '../../model/media.ts';
import type { HttpClient } from '../../net/http.ts';
import type { Services } from '../../runtime/services.ts';
import { MINUTE, SECOND } from '../../time/instant.ts';

/** What one invocation works on files with: the importer, or a request that imports a small file itself. */
export interface MediaRun {
  services: Services;
  /** The guarded client: it fetches URLs that users chose. */
  http: Pick<HttpClient, 'open'>;
  /** Milliseconds left of this run. */
  remainingMs: () => number;
  /** A larger file is left to a run that has more time. */
  maxInlineBytes: number;
  /** Consecutive attempts without progress after which a transfer fails. */
  maxFailures: number;
}

/** Thrown when another worker acquired the lease: nothing that this run still holds counts. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Margin between the end of a run and the moment when another worker may acquire its lease. */
const LEASE_MARGIN_MS = 15 * SECOND;

/** Returns a lease that outlives this run, so that an expired one means a dead worker. */
export function newLease({ services, remainingMs }: Pick<MediaRun, 'services' | 'remainingMs'>): {
  lease_until: number;
  wake_at: number;
} {
  const lease_until = services.now() + remainingMs() + LEASE_MARGIN_MS;
  return { lease_until, wake_at: lease_until };
}

/** Delays before the next run, by consecutive attempts without progress. */
const BACKOFF_MS = [0, 10 * SECOND, 30 * SECOND, 1 * MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE];

export const backoffAfter = (failures: number) => BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0;

/** How long after the expected time the sweeper considers a message lost. */
export const SWEEP_GRACE_MS = 2 * MINUTE;

/** Returns an object key that cannot be guessed and contains nothing that a user chose. */
export function randomKey(prefix: string, format: MediaFormat): string {
  return `${prefix}${randomBytes(24).toString('base64url')}.${FILE_OF_FORMAT[format].extension}`;
}
